// The record of a post on Bluesky: its text, its links, its embed, its key.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readId } from '../../../schema/wire/ids.ts';
import type { OpenApi } from '../network-api.ts';
import { readBlobs, toEmbed, uploadBlob, type Blob } from './embed.ts';
import { findFacets } from './facets.ts';
import { askForDid } from './handles.ts';
import { resolveReply } from './reply.ts';
import { readCredentials } from './session.ts';
import { PlatformError } from '../platform-error.ts';
import type { PrepareOutcome, Target } from '../platform.ts';
import { preparedAs } from '../results.ts';

export const collection = 'app.bsky.feed.post';

/** Set before the first commit, so that every commit sends the same. */
const Prepared = z.object({ record: z.record(z.string(), z.unknown()) });

/** Uploads one file in each step. The last step makes the record, which references them. */
export async function prepareRecord(
  open: OpenApi,
  target: Target,
  signal: AbortSignal,
): Promise<PrepareOutcome> {
  if (Prepared.safeParse(target.state).success) return preparedAs(target.state);
  const blobs = readBlobs(target);
  const media = target.media[blobs.length];
  if (!media) return preparedAs({ record: await buildRecord(open, target, blobs, signal) });
  const blob = await uploadBlob(open, target, media, signal);
  return { outcome: 'more', state: { blobs: [...blobs, blob] }, waitMs: 0 };
}

export function readPrepared(target: Target): z.infer<typeof Prepared> {
  const prepared = Prepared.safeParse(target.state);
  if (!prepared.success) throw new PlatformError('rejected', 'The post was never prepared.');
  return prepared.data;
}

async function buildRecord(
  open: OpenApi,
  target: Target,
  blobs: readonly Blob[],
  signal: AbortSignal,
) {
  const { service } = readCredentials(target.credentials);
  const reply = await resolveReply(open, target, signal);
  // A lone surrogate has no UTF-8 form, and would shift every facet after it.
  const text = target.caption.toWellFormed();
  const resolve = (handle: string) => askForDid(open({ service }, signal), handle.toLowerCase());
  const facets = await findFacets(text, resolve);
  const { langs, tags } = target.platformOptions;
  const embed = toEmbed(target, blobs);
  return {
    $type: collection,
    text,
    createdAt: target.dueAt.toISOString(),
    ...(reply && { reply }),
    ...(facets.length > 0 && { facets }),
    ...(embed && { embed }),
    ...(Array.isArray(langs) && langs.length > 0 && { langs }),
    ...(Array.isArray(tags) && tags.length > 0 && { tags }),
  };
}

const tidAlphabet = '234567abcdefghijklmnopqrstuvwxyz';

/**
 * The record's key. It derives from the result's ID alone, so a post is found by it and never created
 * twice, even if the target's other data is lost. It sorts as the IDs do: each of a millisecond's 4,096 ids
 * has 250 of its 1,024,000 keys, and a hash of the id chooses one. @see https://atproto.com/specs/tid
 */
export function recordKey(resultId: string): string {
  const id = readId('result', resultId);
  if (!id) throw new TypeError(`${resultId} is not the id of a result.`);
  const hash = createHash('sha256').update(resultId).digest().readUInt32BE();
  const place = id.sequence * 250 + (hash % 250);
  // 53 bits of microseconds, and 10 bits in which other writers put their own number.
  const value = BigInt(id.ms) * 1_024_000n + BigInt(place);
  return Array.from({ length: 13 }, (_, digit) =>
    tidAlphabet.charAt(Number((value >> BigInt(5 * (12 - digit))) & 31n)),
  ).join('');
}
