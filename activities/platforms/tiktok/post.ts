// A post as TikTok takes it: the steps before it, and the call that publishes it.
import { z } from 'zod';
import { interactions, tiktok, type Interaction } from '../../../schema/platforms/tiktok.ts';
import type { Ask } from '../network-api.ts';
import { notForGood, PlatformError } from '../platform-error.ts';
import type {
  CommitOutcome,
  Fetch,
  PrepareOutcome,
  ProviderState,
  ReconcileOutcome,
  Target,
} from '../platform.ts';
import { canFetchMedia } from '../public-urls.ts';
import { toUnexpectedAnswer } from '../refusal.ts';
import { preparedAs } from '../results.ts';
import { network } from './api.ts';
import { checkTarget, readCreator } from './creator.ts';
import { failureOf } from './errors.ts';
import { readPublished, readStatus, type PostStatus } from './status.ts';
import { hasExpired, isWholeButLast, nextStart, sendChunk, startUpload, Upload } from './upload.ts';

/** What the calls of a step need. */
export interface Caller {
  ask: Ask;
  fetch: Fetch;
  apiUrl: string;
  signal: AbortSignal;
}

const Prepared = z.object({
  upload: Upload.optional(),
  /** ID of the publishing of photos. */
  publishId: z.string().optional(),
  /** The creator has turned comments off, or duets, or stitches. */
  off: z.array(z.string()).default([]),
});
type Prepared = z.infer<typeof Prepared>;

/** https://developers.tiktok.com/doc/content-posting-api-reference-photo-post */
const Taken = z.object({ data: z.object({ publish_id: z.string().min(1) }) });

/** TikTok fetches photos within an hour. */
const publicForMs = 2 * 3_600_000;

const isInbox = ({ platformOptions }: Target) =>
  tiktok.options.parse(platformOptions).mode === 'inbox';

export async function prepare(caller: Caller, target: Target): Promise<PrepareOutcome> {
  const [file] = target.media;
  if (!file) {
    throw new PlatformError('rejected', `${network} needs a video or photos.`, {
      platformCode: 'media_required',
    });
  }
  const { upload, off } = Prepared.parse(target.state);
  if (file.kind === 'image') {
    requirePublic(target, caller.apiUrl);
    return preparedAs({ off: await findOff(caller.ask, target) });
  }
  if (!upload || hasExpired(upload)) {
    const found = await findOff(caller.ask, target);
    return toStep({ off: found, upload: await begin(caller.ask, target, found) });
  }
  return toStep({ off, upload: await sendNext(caller, target, upload) });
}

/** Undefined `upload`: TikTok no longer has it, so that it begins again. */
function toStep({ off, upload }: Pick<Prepared, 'off' | 'upload'>): PrepareOutcome {
  const state = { off, ...(upload && { upload }) };
  if (upload && isWholeButLast(upload)) return preparedAs(state);
  return { outcome: 'more', state, waitMs: 0 };
}

/** Asks what the creator may publish now. Drafts need no such question, and may lack its scope. */
async function findOff(ask: Ask, target: Target): Promise<string[]> {
  if (isInbox(target)) return [];
  const creator = await readCreator(ask);
  checkTarget(creator, target);
  return interactions.filter((what) => creator[`${what}_disabled`]);
}

function begin(ask: Ask, target: Target, off: readonly string[]): Promise<Upload> {
  const [video] = target.media;
  const path = isInbox(target) ? '/post/publish/inbox/video/init/' : '/post/publish/video/init/';
  const post = isInbox(target) ? {} : { post_info: toVideoInfo(target, off) };
  return startUpload(ask, path, video!, post);
}

async function sendNext(
  caller: Caller,
  { media }: Target,
  upload: Upload,
): Promise<Upload | undefined> {
  const sent = await sendChunk(caller, media[0]!, upload, 'other');
  if (sent === 'stored') return { ...upload, sentBytes: nextStart(upload.sentBytes) };
  if (sent !== 'behind') return undefined;
  // The answer to an earlier call was lost, so TikTok says how much it has.
  const { uploaded_bytes: bytes = 0 } = await readStatus(caller.ask, upload.publishId);
  return bytes === nextStart(upload.sentBytes) ? { ...upload, sentBytes: bytes } : undefined;
}

type Options = z.infer<typeof tiktok.options>;

const isAllowed = (options: Options, off: readonly string[], what: Interaction) =>
  options[`allow_${what}`] === true && !off.includes(what);

/** https://developers.tiktok.com/doc/content-posting-api-reference-direct-post */
function toVideoInfo({ caption, platformOptions, media }: Target, off: readonly string[]) {
  const options = tiktok.options.parse(platformOptions);
  const coverAtMs = media[0]!.thumbnailAtMs;
  return {
    ...(caption !== '' && { title: caption.toWellFormed() }),
    privacy_level: options.privacy_level,
    disable_comment: !isAllowed(options, off, 'comment'),
    disable_duet: !isAllowed(options, off, 'duet'),
    disable_stitch: !isAllowed(options, off, 'stitch'),
    ...(coverAtMs !== null && { video_cover_timestamp_ms: coverAtMs }),
    brand_content_toggle: options.paid_partnership ?? false,
    brand_organic_toggle: options.promotes_own_brand ?? false,
    is_aigc: options.made_with_ai ?? false,
  };
}

/** https://developers.tiktok.com/doc/content-posting-api-reference-photo-post */
function toPhotos(target: Target, off: readonly string[]) {
  const { caption, platformOptions, media } = target;
  const options = tiktok.options.parse(platformOptions);
  const texts = {
    ...(options.title !== undefined && { title: options.title.toWellFormed() }),
    ...(caption !== '' && { description: caption.toWellFormed() }),
  };
  const direct = {
    privacy_level: options.privacy_level,
    disable_comment: !isAllowed(options, off, 'comment'),
    auto_add_music: options.auto_add_music ?? false,
    brand_content_toggle: options.paid_partnership ?? false,
    brand_organic_toggle: options.promotes_own_brand ?? false,
  };
  return {
    media_type: 'PHOTO',
    post_mode: isInbox(target) ? 'MEDIA_UPLOAD' : 'DIRECT_POST',
    post_info: isInbox(target) ? texts : { ...texts, ...direct },
    source_info: {
      source: 'PULL_FROM_URL',
      photo_images: media.map((photo) => photo.publicUrl(publicForMs)),
      photo_cover_index: 0,
    },
  };
}

function requirePublic({ media }: Target, apiUrl: string): void {
  const isPublic = (url: string) => canFetchMedia({ needsPublicMedia: true }, { apiUrl }, url);
  if (media.every((photo) => isPublic(photo.publicUrl(publicForMs)))) return;
  const message = `${network} fetches photos, and this installation has no public address for them.`;
  throw new PlatformError('rejected', message, {
    platformCode: 'media_not_public',
    failsAs: 'media_not_public',
  });
}

/** Sends the last chunk of a video, or has TikTok fetch the photos. */
export async function commit(caller: Caller, target: Target): Promise<CommitOutcome> {
  const { media, state } = target;
  const { upload, off } = Prepared.parse(state);
  if (media[0]?.kind === 'image') {
    const call = { kind: 'commit', json: toPhotos(target, off) } as const;
    const { body } = await caller.ask('/post/publish/content/init/', Taken, call);
    return { outcome: 'accepted', state: { publishId: body.data.publish_id } };
  }
  if (!upload || hasExpired(upload) || !isWholeButLast(upload)) return { outcome: 'stale' };
  const sent = await sendChunk(caller, media[0]!, upload, 'commit');
  if (sent === 'complete') return { outcome: 'accepted', state };
  if (sent === 'stored') throw toUnexpectedAnswer(network, 'commit');
  return afterRefusedChunk(caller, target, upload);
}

/** An earlier call may have sent the last chunk. Only the status shows that. */
async function afterRefusedChunk(
  { ask }: Caller,
  { state }: Target,
  upload: Upload,
): Promise<CommitOutcome> {
  const status = await readStatus(ask, upload.publishId);
  if (status.status === 'FAILED') throw failureOf(status.fail_reason);
  return isMissingBytes(status, upload) ? { outcome: 'stale' } : { outcome: 'accepted', state };
}

/** TikTok waits for the rest of the video, so that it publishes nothing. */
const isMissingBytes = ({ status, uploaded_bytes }: PostStatus, { bytes }: Upload) =>
  status === 'PROCESSING_UPLOAD' && uploaded_bytes !== undefined && uploaded_bytes < bytes;

/** Also of a published post, whose moderation is followed. */
export const publishIdOf = (state: ProviderState): string | undefined => {
  const { upload, publishId } = Prepared.parse(state);
  return upload?.publishId ?? publishId;
};

export async function confirm(ask: Ask, target: Target): Promise<CommitOutcome> {
  const publishId = publishIdOf(target.state);
  if (publishId === undefined) {
    throw new PlatformError('unavailable', 'The ID of the publishing is lost.');
  }
  const status = await readStatus(ask, publishId).catch(notForGood);
  if (status.status === 'FAILED') throw failureOf(status.fail_reason);
  const published = readPublished(status, target, publishId);
  return published
    ? { outcome: 'published', published }
    : { outcome: 'accepted', state: target.state };
}

/**
 * Only the ID of the publishing leads to a post. Of photos, it comes with the answer that was lost, and TikTok lists
 * no posts without a further scope.
 */
export async function reconcile(ask: Ask, target: Target): Promise<ReconcileOutcome> {
  const { upload } = Prepared.parse(target.state);
  const publishId = publishIdOf(target.state);
  if (publishId === undefined) return { outcome: 'unknown' };
  const status = await readStatus(ask, publishId);
  const published = readPublished(status, target, publishId);
  if (published) return { outcome: 'published', published };
  const isAbsent = status.status === 'FAILED' || (upload && isMissingBytes(status, upload));
  if (isAbsent) return { outcome: 'absent' };
  throw new PlatformError('unavailable', `${network} is still processing the post.`);
}
