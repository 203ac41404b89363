// The HTTP client for hosts that users name: guards every address, follows no redirects, has one deadline.
import { checkUrlSyntax } from '../../schema/wire/url-rules.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { createSecureContext } from './guarded-socket.ts';
import { createWithWebSocket, type WithWebSocket } from './guarded-websocket.ts';
import { OriginPool, type PoolSettings } from './origin-pool.ts';
import { SendAttempt } from './send-attempt.ts';
import { noConnection, NotBegunError, type SafeRequest, type SendResult } from './send-outcome.ts';
import type { UrlGuard } from './url-guard.ts';

/** About the longest time that a timer can wait. */
const downloadMs = 20 * 86_400_000;
/** undici's value for no maximum. */
const noMaximum = -1;

export interface SafeFetchOptions {
  guard: UrlGuard;
  connectionsPerOrigin?: number;
  /**
   * Maximum number of origins, for all projects together. Beyond it, the least recently used origin loses its
   * idle connections.
   */
  maxOrigins?: number;
  keepAliveMs?: number;
  /** Certificates trusted in addition to the default ones, as PEM. */
  ca?: readonly string[];
  /**
   * Deadlines. With `fetch`, the time counts from the call to the end of the body. With `withWebSocket`, it
   * counts from the call until `use` has ended.
   */
  fetchDeadlineMs?: number;
  /** Maximum size of a body (`fetch`), or of all messages together (`withWebSocket`). */
  fetchMaxBytes?: number;
}

export interface SafeFetch {
  /**
   * Resolves with any outcome at the receiver, failures included. Rejects only because of the caller: its
   * signal, `beginWithinMs`, a header that can't be sent, a closed client.
   */
  send: (request: SafeRequest) => Promise<SendResult>;
  /** The ordinary `fetch` for connectors with a user's host: guarded, with `redirect: manual`. */
  fetch: typeof globalThis.fetch;
  /** `fetch` for long bodies, with no maximum size and a deadline of days. The caller sets its own limits. */
  download: typeof globalThis.fetch;
  /** For connectors with a user's `wss:` URL. */
  withWebSocket: WithWebSocket;
  /** Waits for running requests to end. */
  close: () => Promise<void>;
}

export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const settings: PoolSettings = {
    guard: options.guard,
    secureContext: createSecureContext(options.ca),
    connectionsPerOrigin: options.connectionsPerOrigin ?? 20,
    keepAliveMs: options.keepAliveMs ?? 4_000,
  };
  const maxOrigins = options.maxOrigins ?? 1_000;
  const pools = new Map<string, OriginPool>();
  const exchange = {
    ...settings,
    deadlineMs: options.fetchDeadlineMs ?? 10_000,
    maxBytes: options.fetchMaxBytes ?? 4 * 1024 * 1024,
  };
  const guardedFetch = createGuardedFetch(exchange);
  const downloads = createGuardedFetch({
    ...exchange,
    deadlineMs: downloadMs,
    maxBytes: noMaximum,
  });
  let onAllClosed: (() => void) | null = null;
  let closing: Promise<void> | null = null;

  function forget(pool: OriginPool): void {
    const key = keyOf(pool);
    if (pools.get(key) === pool) pools.delete(key);
    if (pools.size === 0) onAllClosed?.();
  }

  function poolOf(place: PoolPlace): OriginPool {
    const key = keyOf(place);
    const known = pools.get(key);
    if (known) return known;
    if (pools.size >= maxOrigins) leastRecentlyUsed(pools.values())?.close();
    const pool = new OriginPool(place, settings, forget);
    pools.set(key, pool);
    return pool;
  }

  function send(request: SafeRequest): Promise<SendResult> {
    return new Promise((resolve, reject) => {
      if (closing) throw new NotBegunError('The client is closed.');
      request.signal?.throwIfAborted();
      const checked = checkUrlSyntax(request.url);
      if (!checked.ok) {
        resolve(refused(checked.message));
        return;
      }
      const pool = poolOf({ owner: request.owner, origin: checked.url.origin });
      pool.start(new SendAttempt(request, checked.url, pool, resolve, reject));
    });
  }

  async function closeAll(): Promise<void> {
    await new Promise<void>((resolve) => {
      onAllClosed = resolve;
      for (const pool of pools.values()) pool.close();
      if (pools.size === 0) resolve();
    });
    await Promise.all([guardedFetch.close(), downloads.close()]);
  }

  return {
    send,
    fetch: guardedFetch.fetch,
    download: downloads.fetch,
    withWebSocket: createWithWebSocket(exchange),
    close: () => (closing ??= closeAll()),
  };
}

type PoolPlace = Pick<OriginPool, 'owner' | 'origin'>;

/** Projects don't share connections, so waiting requests of one don't delay another. */
function keyOf({ owner, origin }: PoolPlace): string {
  return `${owner} ${origin}`;
}

function leastRecentlyUsed(pools: Iterable<OriginPool>): OriginPool | null {
  let oldest: OriginPool | null = null;
  for (const pool of pools) {
    if (pool.isIdle && (!oldest || pool.lastUsedAt < oldest.lastUsedAt)) oldest = pool;
  }
  return oldest;
}

function refused(message: string): SendResult {
  const timings = { ...noConnection, first_byte_ms: null, total_ms: 0 };
  const answer = { status: null, headers: null, body: null, remoteAddress: null };
  return { ok: false, errorCode: 'blocked_address', message, ...answer, timings };
}
