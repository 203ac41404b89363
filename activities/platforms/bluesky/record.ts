// The record of a post on Bluesky: its text, its links, its embed, the references of a reply, its key.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { bluesky } from '../../../schema/platforms/bluesky.ts';
import { readId } from '../../../schema/wire/ids.ts';
import type { Ask, OpenApi } from '../network-api.ts';
import { Blob } from './blob.ts';
import { toEmbed, uploadBlob } from './embed.ts';
import { findFacets } from './facets.ts';
import { Gate, toGates } from './gates.ts';
import { askForDid } from './handles.ts';
import { resolveQuote, resolveReply } from './record-ref.ts';
import { readCredentials } from './session.ts';
import type { VideoService } from './video-service.ts';
import { PlatformError } from '../platform-error.ts';
import type { PrepareOutcome, Target } from '../platform.ts';
import { preparedAs } from '../results.ts';

export const collection = 'app.bsky.feed.post';

/** Set before the first commit, so that every commit sends the same record. */
const Prepared = z.object({
  record: z.record(z.string(), z.unknown()),
  gates: z.array(Gate).default([]),
});

const Uploads = z.object({
  /** In the order of the media, since `prepare` uploads them in this order. */
  blobs: z.array(Blob).default([]),
  /** The job of the video service that makes the next blob. */
  job: z.string().optional(),
});

const pollMs = 2_000;

/** Uploads one file in each step. The last step makes the record, which references them. */
export async function prepareRecord(
  { open, videos }: { open: OpenApi; videos: VideoService | undefined },
  target: Target,
  signal: AbortSignal,
): Promise<PrepareOutcome> {
  if (Prepared.safeParse(target.state).success) return preparedAs(target.state);
  const { service, access } = readCredentials(target.credentials);
  const [ask, askPublic] = [open(access, signal), open({ service }, signal)];
  const { blobs, job } = Uploads.parse(target.state);
  const media = target.media[blobs.length];
  if (!media) {
    const record = await buildRecord(ask, askPublic, target, blobs);
    const gates = toGates(target, uriOf(target));
    return preparedAs({ record, ...(gates.length > 0 && { gates }) });
  }
  const withBlob = (blob: Blob): PrepareOutcome => {
    return { outcome: 'more', state: { blobs: [...blobs, blob] }, waitMs: 0 };
  };
  if (media.kind === 'image' || !videos?.isFor(service)) {
    return withBlob(await uploadBlob(ask, media));
  }
  const { jobId, blob } = await (job === undefined
    ? videos.upload(ask, target, media, signal)
    : videos.readJob(job, signal));
  return blob ? withBlob(blob) : { outcome: 'more', state: { blobs, job: jobId }, waitMs: pollMs };
}

export function readPrepared(target: Target): z.infer<typeof Prepared> {
  const prepared = Prepared.safeParse(target.state);
  if (!prepared.success) throw new PlatformError('rejected', 'The post was never prepared.');
  return prepared.data;
}

async function buildRecord(ask: Ask, askPublic: Ask, target: Target, blobs: readonly Blob[]) {
  const reply = await resolveReply(ask, target.replyTo);
  // A lone surrogate has no UTF-8 form, and would shift every facet after it.
  const text = target.caption.toWellFormed();
  const facets = await findFacets(text, (handle) => askForDid(askPublic, handle.toLowerCase()));
  const { langs = [], tags = [], labels, quote } = bluesky.options.parse(target.platformOptions);
  const embed = toEmbed(target, blobs, await resolveQuote(ask, quote));
  return {
    $type: collection,
    text,
    createdAt: target.dueAt.toISOString(),
    ...(reply && { reply }),
    ...(facets.length > 0 && { facets }),
    ...(embed && { embed }),
    ...(langs.length > 0 && { langs }),
    ...(tags.length > 0 && { tags }),
    ...(labels && { labels: toSelfLabels(labels) }),
  };
}

const toSelfLabels = (labels: readonly string[]) => ({
  $type: 'com.atproto.label.defs#selfLabels',
  values: labels.map((val) => ({ val })),
});

/** The AT URI of the target's record, which it has before it exists. */
export const uriOf = ({ externalAccountId, resultId }: Target) =>
  `at://${externalAccountId}/${collection}/${recordKey(resultId)}`;

const tidAlphabet = '234567abcdefghijklmnopqrstuvwxyz';

/**
 * The record's key. It derives from the result's ID alone, so a post is found by its key and never created
 * twice, even if the target's other data is lost. Keys sort as the IDs do. A millisecond has 1,024,000 keys
 * and 4,096 IDs. Each ID has 250 keys, and a hash of the ID chooses one of them.
 * @see https://atproto.com/specs/tid
 */
export function recordKey(resultId: string): string {
  const id = readId('result', resultId);
  if (!id) throw new TypeError(`${resultId} is not the id of a result.`);
  const hash = createHash('sha256').update(resultId).digest().readUInt32BE();
  const place = id.sequence * 250 + (hash % 250);
  // The first 53 bits are microseconds. In the last 10 bits, other writers put their own number.
  const value = BigInt(id.ms) * 1_024_000n + BigInt(place);
  return Array.from({ length: 13 }, (_, digit) =>
    tidAlphabet.charAt(Number((value >> BigInt(5 * (12 - digit))) & 31n)),
  ).join('');
}
