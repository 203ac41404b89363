// Calls to a PDS over XRPC, and its refusals as PlatformErrors.
import { sharedKind, toError } from './errors.ts';
import type { CallKind } from './errors.ts';
import { callNetwork, isSuccess, type NetworkAnswer } from '../json-client.ts';
import type { Fetch } from '../platform.ts';

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
export type Send = (call: Call) => Promise<NetworkAnswer>;

export function createXrpc(fetch: Fetch): Send {
  return async (call) => {
    const { kind, token, body, signal } = call;
    const secrets = [...(call.secrets ?? []), ...(token ? [token] : [])].filter(Boolean);
    const query = call.query ? `?${new URLSearchParams(call.query).toString()}` : '';
    const answer = await callNetwork(fetch, {
      url: `${call.service}/xrpc/${call.method}${query}`,
      method: call.query ? 'GET' : 'POST',
      headers: token ? { authorization: `Bearer ${token}` } : {},
      json: body,
      kind: sharedKind(kind),
      signal,
    });
    if (!isSuccess(answer)) throw toError(answer, kind, secrets);
    return answer;
  };
}
