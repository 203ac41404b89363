// How the simulated Instagram reads requests, and shows fields and lists, as all Graph APIs do.
import { parseJson } from '../../../../activities/platforms/json-client.ts';
import type { Parameters } from './parameters.ts';
import { badParameter } from './refusals.ts';

/** With cursors, as all lists of the Graph API. */
export function listPage<T extends { id: string }>(
  all: readonly T[],
  { limit = '25', after, ...others }: Parameters,
  show: (item: T) => Record<string, unknown>,
): Response {
  if (Object.keys(others).length > 0 || !(Number(limit) >= 1 && Number(limit) <= 100)) {
    throw badParameter('Invalid parameters');
  }
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  const data = all.slice(start, start + Number(limit));
  const [first, last] = [data[0], data.at(-1)];
  const isLast = start + data.length >= all.length;
  return Response.json({
    data: data.map(show),
    ...(first &&
      last && {
        paging: {
          cursors: { before: first.id, after: last.id },
          ...(!isLast && { next: `https://graph.instagram.com/next?after=${last.id}` }),
        },
      }),
  });
}

/** The asked fields. Those without a value are left out. */
export function pick(
  all: Record<string, unknown>,
  { fields, ...others }: Parameters,
  defaults: string[],
): Record<string, unknown> {
  if (Object.keys(others).length > 0) throw badParameter('Unknown parameters');
  const asked = fields === undefined ? defaults : readFields(fields);
  const unknown = asked.find((field) => !(field in all));
  if (unknown !== undefined) {
    throw badParameter(`Tried accessing nonexisting field (${unknown})`);
  }
  // Graph APIs always name the object.
  const named = 'id' in all ? ['id', ...asked] : asked;
  return Object.fromEntries(named.map((field) => [field, all[field]]));
}

/** A text with commas, or a list in JSON. */
function readFields(fields: unknown): string[] {
  if (Array.isArray(fields)) return fields.map(String);
  const text = String(fields);
  return text.startsWith('[') ? readFields(parseJson(text)) : text.split(',');
}

export const readBearer = ({ headers }: Request) =>
  /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1];

/** Of the query and of the body, in any mixture. */
export async function readParameters(request: Request): Promise<Parameters> {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  const type = request.headers.get('content-type')?.split(';')[0];
  if (request.method === 'GET' || type === undefined) return query;
  const text = await request.text();
  if (type === 'application/x-www-form-urlencoded') {
    return { ...query, ...Object.fromEntries(new URLSearchParams(text)) };
  }
  const body = parseJson(text);
  if (type === 'application/json' && typeof body === 'object' && body !== null) {
    return { ...query, ...body };
  }
  throw badParameter(`Can't read ${type}`);
}
