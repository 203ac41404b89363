// Sends one call: headers, idempotency key, time limit, retries, and its answer or error.
import { toMs, type Duration } from './durations.ts';
import { configurationError, FanfareError, parseAnswer, toError } from './errors.ts';
import { withRetries, type Attempt } from './retry.ts';

/** Options of one call. */
export interface CallOptions {
  /** Makes repeats of the call safe, also by another process. Default: a new key for each call. */
  idempotencyKey?: string;
  /** Longest time of one try. Default: that of the client. */
  timeout?: Duration;
  /** Ends the call. It then throws the signal's reason. */
  signal?: AbortSignal;
  /** How often a failed call is tried again. Default: that of the client. */
  maxRetries?: number;
}

export interface Request {
  query?: object | undefined;
  body?: unknown;
  /** Sent instead of `body`. */
  csv?: string;
  /** Default: for a POST and a PATCH. */
  takesKey?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Connection {
  url: string;
  apiKey: string;
  timeoutMs: number;
  maxRetries: number;
  fetch: typeof fetch;
}

/** Calls of one server with one API key. */
export interface Sender {
  readonly connection: Connection;
  send(method: Method, path: string, request?: Request, options?: CallOptions): Promise<Answer>;
  /** Parses the answer, as `parseAnswer` does. */
  json<T>(method: Method, path: string, request?: Request, options?: CallOptions): Promise<T>;
}

export function createSender(connection: Connection): Sender {
  async function send(
    method: Method,
    path: string,
    request: Request = {},
    options: CallOptions = {},
  ): Promise<Answer> {
    const { takesKey = method === 'POST' || method === 'PATCH' } = request;
    const given = options.idempotencyKey ?? keyIn(request.body);
    // A key that begins with `auto_` is of one call, so Fanfare still warns of repeated content.
    const key = given ?? (takesKey ? `auto_${crypto.randomUUID()}` : undefined);
    if (key !== undefined && !/^[ -~]{1,255}$/.test(key))
      throw configurationError(
        'The idempotency key must have 1 to 255 characters of printable ASCII.',
      );
    const body = request.csv ?? (request.body === undefined ? null : JSON.stringify(request.body));
    const init = {
      method,
      body,
      // Another server must not get the key.
      redirect: 'manual',
      headers: {
        Authorization: `Bearer ${connection.apiKey}`,
        ...(body === null
          ? {}
          : { 'Content-Type': request.csv === undefined ? 'application/json' : 'text/csv' }),
        ...(key === undefined ? {} : { 'Idempotency-Key': key }),
      },
    } as const;
    const url = connection.url + path + toQuery(request.query);
    const { maxRetries = connection.maxRetries, signal } = options;
    const timeoutMs =
      options.timeout === undefined ? connection.timeoutMs : toMs('timeout', options.timeout);
    return withRetries({ maxRetries, signal }, async (attempt) => {
      const answer = await fetchText(connection.fetch, url, init, { timeoutMs, signal });
      const isDone = answer.response.ok || isGone(method, attempt, answer.response);
      if (!isDone) throw toError(answer.response, answer.text);
      const { status, headers } = answer.response;
      return { status, headers, text: answer.text };
    });
  }

  async function json<T>(...parameters: Parameters<Sender['send']>): Promise<T> {
    const answer = await send(...parameters);
    return parseAnswer(answer, answer.text) as T;
  }

  return { connection, send, json };
}

/** A deletion whose answer was lost has succeeded if the subject is gone. */
function isGone(method: Method, { isAfterLost }: Attempt, { status }: Response): boolean {
  return method === 'DELETE' && isAfterLost && status === 404;
}

function keyIn(body: unknown): string | undefined {
  const key = (body as { idempotency_key?: unknown } | undefined)?.idempotency_key;
  return typeof key === 'string' ? key : undefined;
}

interface FetchLimits {
  timeoutMs: number;
  signal: AbortSignal | undefined;
}

/** Throws a FanfareError if no whole answer arrives, or the signal's reason. */
export async function fetchText(
  fetch: Connection['fetch'],
  url: string,
  init: RequestInit,
  { timeoutMs, signal }: FetchLimits,
): Promise<{ response: Response; text: string }> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      ...init,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    return { response, text: await response.text() };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    throw limit.aborted ? timeoutError(timeoutMs, cause) : connectionError(url, cause);
  }
}

function timeoutError(timeoutMs: number, cause: unknown): FanfareError {
  const message = `No answer arrived within ${timeoutMs / 1_000} s.`;
  return new FanfareError({ code: 'timeout', message, isRetriable: true, cause });
}

export function connectionError(url: string, cause: unknown): FanfareError {
  const reason = reasonOf(cause);
  const message = `No answer arrived from ${new URL(url).origin}${reason && `: ${reason}`}.`;
  return new FanfareError({ code: 'connection_failed', message, isRetriable: true, cause });
}

/** The reason of a failed fetch is in its cause, which in Node may be several failures. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : '';
}

/** `{status: ['draft', 'failed'], metadata: {a: 'b'}}` → `?status=draft&status=failed&metadata[a]=b` */
function toQuery(query: object | undefined): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) for (const item of value) parameters.append(name, String(item));
    else if (typeof value === 'object') {
      for (const [key, item] of Object.entries(value))
        parameters.append(`${name}[${key}]`, String(item));
    } else parameters.append(name, String(value));
  }
  return parameters.size > 0 ? `?${parameters.toString()}` : '';
}

/** Makes a path whose values are encoded: path`/v1/posts/${id}`. */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  return parts.reduce((text, part, index) => {
    const value = values[index - 1]!;
    // Such an ID would lead to another path, or can't be in one.
    if (!value || /^\.{1,2}$|\p{Surrogate}/u.test(value))
      throw configurationError(`${JSON.stringify(value)} is no ID.`);
    return text + encodeURIComponent(value) + part;
  });
}
