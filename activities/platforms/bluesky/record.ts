// The record that a post becomes on Bluesky: its text, what is linked in it, its key.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readId } from '../../../schema/wire/ids.ts';
import { findFacets } from './facets.ts';
import { resolveReply } from './reply.ts';
import { readCredentials } from './session.ts';
import type { Send } from './xrpc.ts';
import { PlatformError } from '../platform-error.ts';
import type { ProviderState, Target } from '../platform.ts';

export const collection = 'app.bsky.feed.post';

/** What is fixed before the first commit, so that every commit sends the same. */
const Prepared = z.object({ record: z.record(z.string(), z.unknown()) });

export async function prepareRecord(
  send: Send,
  target: Target,
  signal: AbortSignal,
): Promise<ProviderState> {
  if (Prepared.safeParse(target.state).success) return target.state;
  const record = await buildRecord(send, target, signal);
  return { ...target.state, record };
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
    createdAt: target.dueAt.toISOString(),
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

/**
 * The record's key. It derives from the result's id alone, so that a post is found by it, and never made
 * twice, whatever else of the target is lost. It sorts as the ids do: of the 1,024,000 keys that a
 * millisecond has, each of its 4,096 ids has 250, and a hash of the id chooses one.
 * @see https://atproto.com/specs/tid
 */
export function recordKey(resultId: string): string {
  const id = readId('result', resultId);
  if (!id) throw new TypeError(`${resultId} is not the id of a result.`);
  const hash = createHash('sha256').update(resultId).digest().readUInt32BE();
  const place = id.sequence * 250 + (hash % 250);
  // 53 bits of microseconds, and 10 bits that other writers fill with a number of their own.
  const value = BigInt(id.ms) * 1_024_000n + BigInt(place);
  return Array.from({ length: 13 }, (_, digit) =>
    tidAlphabet.charAt(Number((value >> BigInt(5 * (12 - digit))) & 31n)),
  ).join('');
}
