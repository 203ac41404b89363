// The ordinary fetch for connectors that are given a host, on guarded sockets.
import { Agent, Dispatcher1Wrapper } from 'undici';
import { checkUrlSyntax } from '../schema/url-rules.ts';
import { openSocket, SocketTrace } from './guarded-socket.ts';
import type { SocketSettings } from './guarded-socket.ts';
import { BlockedAddressError } from './url-guard.ts';

export interface GuardedFetchSettings extends SocketSettings {
  connectionsPerOrigin: number;
  keepAliveMs: number;
  deadlineMs: number;
  maxBytes: number;
}

export interface GuardedFetch {
  fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

/** Redirects come back as they are, and an answer that is compressed unasked is refused. */
export function createGuardedFetch(settings: GuardedFetchSettings): GuardedFetch {
  const agent = new Agent({
    connections: settings.connectionsPerOrigin,
    keepAliveTimeout: settings.keepAliveMs,
    keepAliveMaxTimeout: settings.keepAliveMs,
    maxResponseSize: settings.maxBytes,
    allowH2: false,
    connect: (target, callback) => {
      openSocket(settings, target, new SocketTrace(), callback);
    },
  });
  // Node's own fetch, so that its FormData and Blob can be sent, speaks undici's older interface.
  const dispatcher = new Dispatcher1Wrapper(agent) as unknown as NonNullable<
    RequestInit['dispatcher']
  >;

  async function guardedFetch(input: string | URL | Request, init: RequestInit = {}) {
    const request = input instanceof Request ? input : null;
    const verdict = checkUrlSyntax(urlOf(input));
    if (!verdict.ok) throw new BlockedAddressError(verdict.message);
    const headers = new Headers(init.headers ?? request?.headers);
    headers.set('accept-encoding', 'identity');
    const signals = [AbortSignal.timeout(settings.deadlineMs), init.signal, request?.signal];
    const response = await fetch(input, {
      ...init,
      headers,
      dispatcher,
      redirect: init.redirect === 'error' ? 'error' : 'manual',
      signal: AbortSignal.any(signals.filter((signal) => signal instanceof AbortSignal)),
    });
    const encoding = response.headers.get('content-encoding') ?? 'identity';
    if (encoding !== 'identity') {
      await response.body?.cancel();
      throw new TypeError(`The answer is encoded (${encoding}), which was not asked for.`);
    }
    return response;
  }

  return { fetch: guardedFetch, close: () => agent.close() };
}

function urlOf(input: string | URL | Request): string {
  if (typeof input === 'string') return input;
  return input instanceof URL ? input.href : input.url;
}
