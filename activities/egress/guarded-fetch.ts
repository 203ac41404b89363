// The ordinary fetch, on guarded sockets, for connectors with a user's host.
import { LRUCache } from 'lru-cache';
import { Agent, Dispatcher1Wrapper } from 'undici';
import { currentProject } from '../current-project.ts';
import { checkUrlSyntax } from '../../schema/wire/url-rules.ts';
import { openSocket, SocketTrace } from './guarded-socket.ts';
import type { PoolSettings } from './origin-pool.ts';
import { uploadMs } from './upload-time.ts';
import { BlockedAddressError } from './url-guard.ts';

export interface GuardedFetchSettings extends PoolSettings {
  deadlineMs: number;
  maxBytes: number;
}

/** For all projects together. Beyond this number, the least recently used client is closed. */
const maxClients = 1_000;

/**
 * The project whose connections and lookups a fetch uses. Projects share no connections or lookups, since the
 * requests of one project would wait for those of another. The project isn't a parameter, because connectors
 * get a plain `fetch`.
 */
export function currentOwner(): string {
  return currentProject() ?? '';
}

/** The body of an answer is compressed, which was not requested. */
export class EncodedBodyError extends TypeError {
  constructor(encoding: string) {
    super(`The answer is encoded (${encoding}), which was not asked for.`);
  }
}

/** Returns redirects without following them. Throws if a response is compressed, which was not requested. */
export function createGuardedFetch(settings: GuardedFetchSettings) {
  const clients = new LRUCache<string, Client>({
    max: maxClients,
    memoMethod: (owner) => createClient(settings, owner),
    dispose: ({ agent }) => void agent.close(),
  });

  async function guardedFetch(input: string | URL | Request, init: RequestInit = {}) {
    const request = input instanceof Request ? input : null;
    const checked = checkUrlSyntax(urlOf(input));
    if (!checked.ok) throw new BlockedAddressError(checked.message);
    const headers = new Headers(init.headers ?? request?.headers);
    headers.set('accept-encoding', 'identity');
    const deadlineMs = settings.deadlineMs + uploadMs(Number(headers.get('content-length') ?? 0));
    const signals = [AbortSignal.timeout(deadlineMs), init.signal, request?.signal];
    const response = await fetch(input, {
      ...init,
      headers,
      dispatcher: clients.memo(currentOwner()).dispatcher,
      redirect: init.redirect === 'error' ? 'error' : 'manual',
      signal: AbortSignal.any(signals.filter((signal) => signal instanceof AbortSignal)),
    });
    const encoding = response.headers.get('content-encoding') ?? 'identity';
    if (encoding !== 'identity') {
      await response.body?.cancel();
      throw new EncodedBodyError(encoding);
    }
    return response;
  }

  async function close(): Promise<void> {
    await Promise.all([...clients.values()].map(({ agent }) => agent.close()));
  }

  return { fetch: guardedFetch, close };
}

interface Client {
  agent: Agent;
  dispatcher: NonNullable<RequestInit['dispatcher']>;
}

function createClient(settings: GuardedFetchSettings, owner: string): Client {
  const agent = new Agent({
    connections: settings.connectionsPerOrigin,
    keepAliveTimeout: settings.keepAliveMs,
    keepAliveMaxTimeout: settings.keepAliveMs,
    maxResponseSize: settings.maxBytes,
    allowH2: false,
    connect: (target, callback) => {
      openSocket(settings, { ...target, owner }, new SocketTrace(), callback);
    },
  });
  // Uses Node's own fetch, which accepts Node's FormData and Blob but needs undici's older interface.
  const dispatcher = new Dispatcher1Wrapper(agent) as unknown as Client['dispatcher'];
  return { agent, dispatcher };
}

function urlOf(input: string | URL | Request): string {
  if (typeof input === 'string') return input;
  return input instanceof URL ? input.href : input.url;
}
