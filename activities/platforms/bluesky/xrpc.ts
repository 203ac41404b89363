// Calls to a PDS over XRPC, their answers read, their faults told in the engine's kinds.
import { toError } from './errors.ts';
import type { Answer, CallKind } from './errors.ts';
import { PlatformError } from '../platform-error.ts';
import type { Fetch } from '../platform.ts';
import { toTransportError } from '../transport-errors.ts';

export interface Call {
  kind: CallKind;
  service: string;
  method: string;
  query?: Record<string, string>;
  body?: unknown;
  token?: string;
  /** What must not show in an error; the token is added. */
  secrets?: readonly string[];
  signal: AbortSignal;
}

/** Answers with a 2xx, or throws a PlatformError. */
export type Send = (call: Call) => Promise<Answer>;

export function createXrpc(fetch: Fetch): Send {
  return async (call) => {
    const { kind, token, body, signal } = call;
    const secrets = [...(call.secrets ?? []), ...(token ? [token] : [])].filter(Boolean);
    if (signal.aborted) throw new PlatformError('unavailable', 'Stopped before the call.');
    const query = call.query ? `?${new URLSearchParams(call.query).toString()}` : '';
    const answer = await readAnswer(
      fetch(`${call.service}/xrpc/${call.method}${query}`, {
        method: call.query ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal,
      }),
    ).catch((error: unknown) => {
      throw toTransportError(error, kind === 'commit' ? 'commit' : 'other', call.service);
    });
    if (answer.status < 200 || answer.status > 299) throw toError(answer, kind, secrets);
    return answer;
  };
}

async function readAnswer(answering: Promise<Response>): Promise<Answer> {
  const response = await answering;
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parseJson(text) };
}

/** The text itself where it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
