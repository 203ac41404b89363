// Looking up hosts that users name, so that names nobody answers for can't hold up the others.
import type { LookupAddress } from 'node:dns';
import { lookup as lookupBySystem } from 'node:dns/promises';
import { isAnswered } from './dns-probe.ts';
import { createLane } from './lane.ts';

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface HostLookupOptions {
  /** All addresses of a name; holds a thread of the process until it ends. */
  resolve?: Resolve;
  /** Whether the name servers answer for a name at all; holds no thread. */
  probe?: (hostname: string) => Promise<boolean>;
  /** A look-up under way for longer shows that its name is slow. */
  slowAfterMs?: number;
  /** The longest wait for a free place. */
  maxWaitMs?: number;
}

/** Node looks up in half of its threads: 8 of our 16. The one left over is for our own hosts. */
const promptLookups = 6;
const slowLookups = 1;
const rememberSlowMs = 10 * 60_000;
const maxRemembered = 10_000;

/**
 * The system's resolver can't be interrupted: a name that is never answered holds a thread for
 * 10 s and more, whoever still waits for it. So each name is asked for without a thread first; one
 * that isn't answered soon, or was slow lately, goes to a lane of its own.
 */
export function createHostLookup(options: HostLookupOptions = {}): Resolve {
  const resolve = options.resolve ?? resolveBySystem;
  const probe = options.probe ?? isAnswered;
  const slowAfterMs = options.slowAfterMs ?? 1_000;
  const maxWaitMs = options.maxWaitMs ?? 10_000;
  const promptLane = createLane(promptLookups, maxWaitMs);
  const slowLane = createLane(slowLookups, maxWaitMs);
  const slowUntil = new Map<string, number>();

  function isKnownSlow(hostname: string): boolean {
    return (slowUntil.get(hostname) ?? 0) > performance.now();
  }

  function rememberSlow(hostname: string): void {
    slowUntil.delete(hostname);
    slowUntil.set(hostname, performance.now() + rememberSlowMs);
    const [oldest] = slowUntil.keys();
    if (slowUntil.size > maxRemembered && oldest !== undefined) slowUntil.delete(oldest);
  }

  async function resolveTimed(hostname: string): Promise<readonly LookupAddress[]> {
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      rememberSlow(hostname);
    }, slowAfterMs);
    try {
      return await resolve(hostname);
    } finally {
      clearTimeout(timer);
      if (!isSlow) slowUntil.delete(hostname);
    }
  }

  return async (hostname) => {
    const isPrompt =
      hostname === 'localhost' || (!isKnownSlow(hostname) && (await probe(hostname)));
    return (isPrompt ? promptLane : slowLane).run(() => resolveTimed(hostname));
  };
}

function resolveBySystem(hostname: string): Promise<LookupAddress[]> {
  return lookupBySystem(hostname, { all: true, order: 'verbatim' });
}
