// How the simulated Graph APIs read requests, and show fields and lists.
// Stricter than Meta: they refuse a parameter that they don't know.
import { z } from 'zod';
import { parseJson } from '../../../../activities/platforms/json-client.ts';
import { GraphRefusal, invalid } from './refusals.ts';

export type Parameters = Record<string, unknown>;

export interface Given {
  parameters: Parameters;
  files: Map<string, Buffer>;
}

export const form = 'application/x-www-form-urlencoded';
export const json = 'application/json';
export const multipart = 'multipart/form-data';

/**
 * Parameters come in the query and in the body, in any mixture. `types`: types of bodies that the network
 * takes.
 */
export async function readGiven(request: Request, types: readonly string[]): Promise<Given> {
  const files = new Map<string, Buffer>();
  const { pathname, searchParams } = new URL(request.url);
  const type = request.headers.get('content-type')?.split(';')[0];
  const hasBody = request.method !== 'GET' && type !== undefined;
  if (hasBody && !types.includes(type)) throw invalid(`Can't read ${type}`);
  const body = hasBody ? toLists(await readBody(request, type, files)) : {};
  const parameters = { ...Object.fromEntries(searchParams), ...body };
  const { id, ...others } = parameters;
  // Meta's own client repeats the object of the path.
  return { parameters: pathname.split('/').includes(String(id)) ? others : parameters, files };
}

async function readBody(
  request: Request,
  type: string,
  files: Map<string, Buffer>,
): Promise<Parameters> {
  switch (type) {
    case json: {
      const body = z.record(z.string(), z.unknown()).safeParse(await request.json());
      if (!body.success) throw invalid('The body is no object.');
      return body.data;
    }
    case multipart: {
      const fields: Parameters = {};
      for (const [name, value] of await request.formData()) {
        if (typeof value === 'string') fields[name] = value;
        else files.set(name, Buffer.from(await value.arrayBuffer()));
      }
      return fields;
    }
    default:
      return Object.fromEntries(new URLSearchParams(await request.text()));
  }
}

/** `attached_media[0]` of a form becomes a list. */
function toLists(fields: Parameters): Parameters {
  const read: Parameters = {};
  for (const [name, value] of Object.entries(fields)) {
    const list = /^(\w+)\[(\d+)\]$/.exec(name);
    if (!list) read[name] = value;
    else {
      const items = (read[list[1]!] ??= []) as unknown[];
      items[Number(list[2])] = value;
    }
  }
  return read;
}

/** Throws the error `(#100)` if the schema refuses the parameters. */
export function read<T>(schema: z.ZodType<T>, parameters: Parameters): T {
  const { data, error } = schema.safeParse(parameters);
  if (!error) return data;
  const [issue] = error.issues;
  const name = issue?.path.join('.') ?? '';
  const isMissing = issue?.code === 'invalid_type' && !(name in parameters);
  throw invalid(isMissing ? `The parameter ${name} is required` : z.prettifyError(error));
}

const fromText = (given: unknown) => (typeof given === 'string' ? parseJson(given) : given);

/** In a query and in a form, every value except a text is JSON. */
export const jsonOf = <T>(schema: z.ZodType<T>) => z.preprocess(fromText, schema);

export const id = z.union([z.string().regex(/^\d+$/), z.int().transform(String)]);
export const flag = jsonOf(z.union([z.boolean(), z.literal([0, 1]).transform(Boolean)]));
export const count = jsonOf(z.int().min(0));
export const webUrl = z.url({ protocol: /^https?$/ });
/** The fields that the answer must have: a text with commas, or a list. */
export const fields = z
  .preprocess(
    (given) => (typeof given === 'string' && given.startsWith('[') ? parseJson(given) : given),
    z.union([z.string(), z.array(z.string()).transform((names) => names.join())]),
  )
  .optional();

export const Reading = z.strictObject({ fields });
export const Paging = z.strictObject({
  fields,
  limit: jsonOf(z.int().min(1).max(100)).default(25),
  after: z.string().optional(),
});
/** `since`: in seconds. */
export const Listing = Paging.extend({ since: jsonOf(z.number()).default(0) });

export const readBearer = ({ headers }: Request, scheme = 'Bearer') =>
  new RegExp(`^${scheme} (\\S+)$`).exec(headers.get('authorization') ?? '')?.[1];

/** Returns the requested fields that have a value. Graph APIs always return the object's ID. */
export function pick(
  row: object,
  fields: string | undefined,
  defaults: readonly string[],
): Parameters {
  const all = row as Parameters;
  const asked = splitFields(fields ?? defaults.join());
  const unknown = asked.find(([name]) => !(name in all));
  if (unknown) throw invalid(`Tried accessing nonexisting field (${unknown[0]})`);
  return { ...('id' in all && { id: all['id'] }), ...toMembers(all, asked) };
}

type Field = [name: string, members: string | undefined];

/** A field may name its members: `attachments{type,target}`. */
function splitFields(given: string): Field[] {
  const parts = [''];
  let depth = 0;
  for (const char of given) {
    if (char === '{') depth++;
    if (char === '}') depth--;
    if (char === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop()}${char}`);
  }
  return parts.map((part) => {
    const [, name = part, members] = /^(\w+)(?:\{(.+)\})?$/.exec(part) ?? [];
    return [name, members];
  });
}

const toMembers = (all: Parameters, asked: readonly Field[]) =>
  Object.fromEntries(asked.map(([name, members]) => [name, narrow(all[name], members)]));

/** Narrows an object, or each object of a list, to these members. */
function narrow(value: unknown, members: string | undefined): unknown {
  if (members === undefined || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each: unknown) => narrow(each, members));
  const all = value as Parameters;
  return 'data' in all
    ? { ...all, data: narrow(all['data'], members) }
    : toMembers(all, splitFields(members));
}

export interface PageRequest {
  limit: number;
  after?: string | undefined;
  fields?: string | undefined;
}

/**
 * A page of a list with cursors. `next`: the address of the next page. It has the token, as Meta's addresses
 * have. Absent: the network doesn't name the next page.
 */
export function listPage(
  rows: readonly object[],
  { limit, after, fields }: PageRequest,
  defaults: readonly string[],
  next?: URL,
): Response {
  const start = after === undefined ? 0 : Number(Buffer.from(after, 'base64').toString()) + 1;
  const end = Math.min(start + limit, rows.length);
  const cursor = (i: number) => Buffer.from(String(i)).toString('base64');
  const address = next && new URL(next);
  address?.searchParams.set('after', cursor(end - 1));
  return Response.json({
    data: rows.slice(start, end).map((row) => pick(row, fields, defaults)),
    ...(end > start && {
      paging: {
        cursors: { before: cursor(start), after: cursor(end - 1) },
        ...(address && end < rows.length && { next: address.href }),
      },
    }),
  });
}

/** Writes a time as Meta does. */
export const writeTime = (ms: number) => new Date(ms).toISOString().replace(/\.\d+Z$/, '+0000');

const oldestVersion = 22;

/** Returns the rest of the path. Throws for a version that has ended. */
export function withoutVersion(path: string): string {
  const version = /^\/v(\d+)\.\d+(?=\/|$)/.exec(path);
  if (!version) return path;
  if (Number(version[1]) < oldestVersion) {
    const message =
      '(#2635) You are calling a deprecated version of the Ads API. Please update to the latest version: v27.0.';
    throw new GraphRefusal(2635, message);
  }
  return path.slice(version[0].length);
}
