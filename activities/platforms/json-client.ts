// Sends one HTTP request to a network, and reads its whole response.
import { PlatformError } from './platform-error.ts';
import type { Fetch } from './platform.ts';
import { toTransportError } from './transport-errors.ts';

/** `commit`: a lost answer may have published the post, so it is repeated only after a check. */
export type CallKind = 'commit' | 'other';

export interface NetworkCall {
  url: string;
  /** Default: POST with `json`, GET without. */
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string>;
  json?: unknown;
  kind: CallKind;
  signal: AbortSignal;
}

export interface NetworkAnswer {
  status: number;
  headers: Headers;
  /** Parsed JSON, or the text if it isn't JSON. */
  body: unknown;
}

/** Resolves with any status. Throws a PlatformError if no complete answer arrives. */
export async function callNetwork(fetch: Fetch, call: NetworkCall): Promise<NetworkAnswer> {
  const { url, json, kind, signal } = call;
  if (signal.aborted) throw new PlatformError('unavailable', 'Stopped before the call.');
  try {
    const response = await fetch(url, {
      method: call.method ?? (json === undefined ? 'GET' : 'POST'),
      headers: {
        accept: 'application/json',
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...call.headers,
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      redirect: 'manual',
      signal,
    });
    const { status, headers } = response;
    return { status, headers, body: parseJson(await response.text()) };
  } catch (error) {
    throw toTransportError(error, kind, url);
  }
}

export const isSuccess = ({ status }: NetworkAnswer): boolean => status >= 200 && status <= 299;

/** The text itself if it isn't JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
