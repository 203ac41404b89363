// The record that a post becomes on Bluesky: its text, what is linked in it, its key.
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { findFacets } from './bluesky-facets.ts';
import { resolveReply } from './bluesky-reply.ts';
import { readCredentials } from './bluesky-session.ts';
import type { Send } from './bluesky-xrpc.ts';
import { PlatformError } from './platform-error.ts';
import type { ProviderState, Target } from './platform.ts';

export const collection = 'app.bsky.feed.post';

/** What is fixed before the first commit, so that every commit sends the same. */
const Prepared = z.object({ rkey: z.string(), record: z.record(z.string(), z.unknown()) });

export async function prepareRecord(
  send: Send,
  target: Target,
  signal: AbortSignal,
): Promise<ProviderState> {
  if (Prepared.safeParse(target.state).success) return target.state;
  const record = await buildRecord(send, target, signal);
  return { ...target.state, rkey: nextTid(), record };
}

export function readPrepared(target: Target): z.infer<typeof Prepared> {
  const prepared = Prepared.safeParse(target.state);
  if (!prepared.success) throw new PlatformError('rejected', 'The post was never prepared.');
  return prepared.data;
}

async function buildRecord(send: Send, target: Target, signal: AbortSignal) {
  const { service } = readCredentials(target.credentials);
  const reply = await resolveReply(send, target, signal);
  // A lone surrogate has no UTF-8 form, and would move every facet after it.
  const text = target.caption.toWellFormed();
  const resolve = (handle: string) => resolveHandle(send, service, handle, signal);
  const facets = await findFacets(text, resolve);
  const { langs, tags } = target.platformOptions;
  return {
    $type: collection,
    text,
    createdAt: new Date().toISOString(),
    ...(reply && { reply }),
    ...(facets.length > 0 && { facets }),
    ...(Array.isArray(langs) && langs.length > 0 && { langs }),
    ...(Array.isArray(tags) && tags.length > 0 && { tags }),
  };
}

async function resolveHandle(send: Send, service: string, handle: string, signal: AbortSignal) {
  try {
    const method = 'com.atproto.identity.resolveHandle';
    const query = { handle: handle.toLowerCase() };
    const { body } = await send({ kind: 'prepare', service, method, query, signal });
    const resolved = z.object({ did: z.string() }).safeParse(body);
    return resolved.success ? resolved.data.did : null;
  } catch (error) {
    // The post matters more than its link: only what may pass is waited out.
    const mayPass =
      !(error instanceof PlatformError) || ['rate_limited', 'unavailable'].includes(error.kind);
    if (mayPass) throw error;
    return null;
  }
}

const tidAlphabet = '234567abcdefghijklmnopqrstuvwxyz';
const tidClock = randomInt(1024);
let lastTidMicros = 0;

/**
 * A record key that sorts by time: 53 bits of microseconds, 10 bits of this process.
 * @see https://atproto.com/specs/tid
 */
function nextTid(): string {
  lastTidMicros = Math.max(Date.now() * 1000, lastTidMicros + 1);
  const value = (BigInt(lastTidMicros) << 10n) | BigInt(tidClock);
  return Array.from({ length: 13 }, (_, place) =>
    tidAlphabet.charAt(Number((value >> BigInt(5 * (12 - place))) & 31n)),
  ).join('');
}
