// Calls to a running Fanfare as a client makes them: with a key, in JSON.
import { checkAnswer } from '../checks/answers.ts';

export interface ApiAnswer<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON; undefined for an empty body. */
  readonly body: T;
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests read into answers of every shape
type Json = any;

export interface CallOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface Api {
  readonly url: string;
  readonly key: string;
  get(path: string, options?: CallOptions): Promise<ApiAnswer<Json>>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<ApiAnswer<Json>>;
  patch(path: string, body?: unknown, options?: CallOptions): Promise<ApiAnswer<Json>>;
  delete(path: string, options?: CallOptions): Promise<ApiAnswer<Json>>;
  /** Sends any request. A string or bytes are sent unchanged as the body. */
  call(
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<ApiAnswer<Json>>;
  graphql(query: string, variables?: Record<string, unknown>): Promise<ApiAnswer<Json>>;
}

/** An empty `key` sends no Authorization. */
export function createApi(url: string, key: string): Api {
  async function call(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<ApiAnswer<Json>> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(new URL(path, url), {
      method,
      redirect: 'manual',
      ...(options.signal ? { signal: options.signal } : {}),
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(body === undefined
        ? {}
        : { body: isRaw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    const answer = { status, headers, text, body: parse(text) };
    // The bench can measure another checkout, whose answers may differ.
    if (process.env['BENCH_PROGRAM'] === undefined) checkAnswer(method, path, answer);
    return answer;
  }
  return {
    url,
    key,
    call,
    get: (path, options) => call('GET', path, undefined, options),
    post: (path, body, options) => call('POST', path, body, options),
    patch: (path, body, options) => call('PATCH', path, body, options),
    delete: (path, options) => call('DELETE', path, undefined, options),
    graphql: (query, variables = {}) => call('POST', '/graphql', { query, variables }),
  };
}

function parse(text: string): Json {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
