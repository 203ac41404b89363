// The record of a post on Bluesky: its text, its links, its embed, the references of a reply, its key.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readId } from '../../../schema/wire/ids.ts';
import type { Ask, OpenApi } from '../network-api.ts';
import { Blob } from './blob.ts';
import { toEmbed, uploadBlob } from './embed.ts';
import { findFacets } from './facets.ts';
import { askForDid } from './handles.ts';
import { readCredentials } from './session.ts';
import type { VideoService } from './video-service.ts';
import { PlatformError } from '../platform-error.ts';
import type { PrepareOutcome, Target } from '../platform.ts';
import { preparedAs } from '../results.ts';

export const collection = 'app.bsky.feed.post';

/** Set before the first commit, so that every commit sends the same record. */
const Prepared = z.object({ record: z.record(z.string(), z.unknown()) });

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
  if (!media) return preparedAs({ record: await buildRecord(ask, askPublic, target, blobs) });
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

/** Refers to exactly one version of a record. */
const Ref = z.object({ uri: z.string().startsWith('at://'), cid: z.string().min(1) });
const Found = Ref.extend({ value: z.unknown() });
const Answering = z.object({ reply: z.object({ root: Ref }) });

const uriPattern = /^at:\/\/([^/]+)\/([^/]+)\/([^/]+)$/;

/**
 * The post that the target replies to, and the first post of its thread. Undefined: the target is no reply.
 * The account's PDS knows its own records, and asks the app view for others.
 * @see https://docs.bsky.app/docs/advanced-guides/posts
 */
async function resolveReply(ask: Ask, replyTo: string | null) {
  if (replyTo === null) return undefined;
  const [, repo = '', collection = '', rkey = ''] = uriPattern.exec(replyTo) ?? [];
  const call = { query: { repo, collection, rkey } };
  const { body } = await ask('com.atproto.repo.getRecord', Found, call).catch((error: unknown) => {
    throw error instanceof PlatformError && error.kind === 'rejected' ? notFound(error) : error;
  });
  const { uri, cid, value } = body;
  const parent = { uri, cid };
  return { root: Answering.safeParse(value).data?.reply.root ?? parent, parent };
}

/** Whenever a PDS refuses the read, the record or its repository is missing or was taken down. */
function notFound(error: PlatformError): PlatformError {
  return new PlatformError('rejected', 'The post to reply to is not on Bluesky.', {
    platformCode: 'reply_to_not_found',
    providerError: error.options.providerError,
    cause: error,
  });
}

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
