// The calls that two clients make to a simulator, in a shared form. Two calls are the same in any order of
// parameters, and as form, query or JSON.
import type { NetworkServer } from '../networks/contract/subject.ts';

export interface Call {
  call: string;
  parameters: Record<string, unknown>;
}

export interface CallForm {
  isRecorded(url: string): boolean;
  /** Removes what differs from run to run. */
  toPath(path: string): string;
  toParameter(name: string, value: unknown): [string, unknown];
}

/** Returns the same simulator, which now adds its calls to `calls`. */
export function recordCalls(server: NetworkServer, calls: Call[], form: CallForm): NetworkServer {
  return {
    answer: async (request) => {
      if (form.isRecorded(request.url)) calls.push(await readCall(request.clone(), form));
      return server.answer(request);
    },
    refuse: (kind, request) => server.refuse(kind, request),
    revokeToken: () => server.revokeToken(),
  };
}

/**
 * Parameters that are not compared: the connector sends the token in a header, and only Meta's client repeats
 * the object of the path.
 */
const unread = new Set(['access_token', 'id']);

async function readCall(request: Request, { toPath, toParameter }: CallForm): Promise<Call> {
  const { pathname, searchParams } = new URL(request.url);
  const body = request.method === 'GET' ? {} : await readBody(request);
  const parameters = Object.entries({ ...Object.fromEntries(searchParams), ...body })
    .filter(([name, value]) => !unread.has(name) && String(value) !== '')
    .map(([name, value]) => toParameter(name, value))
    .toSorted(([a], [b]) => a.localeCompare(b));
  const path = toPath(pathname.replace(/\/v\d+\.\d+(?=\/)/, ''));
  return { call: `${request.method} ${path}`, parameters: Object.fromEntries(parameters) };
}

async function readBody(request: Request): Promise<Record<string, unknown>> {
  const type = request.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) {
    return (await request.json()) as Record<string, unknown>;
  }
  if (type.startsWith('multipart/')) return Object.fromEntries(await request.formData());
  return Object.fromEntries(new URLSearchParams(await request.text()));
}

/** Whether a text is JSON rather than words. */
export const isJson = (value: unknown): value is string =>
  typeof value === 'string' && /^(?:[[{]|true$|false$|\d+$)/.test(value);

/** Returns the calls of `theirs` that have no equal in `own`. */
export function findDifferent(theirs: readonly Call[], own: readonly Call[]): Call[] {
  const known = new Set(own.map((call) => JSON.stringify(call)));
  const different = theirs.filter((call) => !known.has(JSON.stringify(call)));
  console.log(`Meta's client: ${theirs.length} calls compared, ${different.length} differ.`);
  return different;
}
