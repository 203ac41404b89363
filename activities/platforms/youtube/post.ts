// Uploads the video of a post in steps, and publishes it with its last chunk.
import { z } from 'zod';
import { notForGood, PlatformError } from '../platform-error.ts';
import type {
  CommitOutcome,
  PrepareOutcome,
  ProviderState,
  Published,
  ReconcileOutcome,
  Target,
  TargetMedia,
} from '../platform.ts';
import { preparedAs } from '../results.ts';
import { network, type YouTubeApi } from './api.ts';
import { findUpload } from './find-upload.ts';
import { followLater } from './follow-video.ts';
import { askProgress, chunkBytes, lastStartOf, sendBytes, startSession } from './session.ts';
import { findFailure, isProcessed, readVideo, toPublished, type Video } from './video.ts';

const Prepared = z.object({
  /** URL of the upload. */
  url: z.string().optional(),
  /** ID of the video. Absent: the upload is not complete. */
  videoId: z.string().optional(),
  /** When the upload was complete. */
  uploadedAtMs: z.number().optional(),
});

/** YouTube reports most rejections, such as that of a duplicate, while it processes a short video. */
const confirmForMs = 300_000;

function videoOf({ media }: Target): TargetMedia {
  const [video] = media;
  if (video?.kind === 'video') return video;
  const message = 'YouTube needs a video.';
  throw new PlatformError('rejected', message, { platformCode: 'media_required' });
}

/**
 * Sends one chunk, but never the last one. Each step first asks how much has arrived, because a step that was
 * interrupted leaves no other trace.
 */
export async function prepareVideo(api: YouTubeApi, target: Target): Promise<PrepareOutcome> {
  const video = videoOf(target);
  const { url, videoId } = Prepared.parse(target.state);
  if (videoId !== undefined) return preparedAs(target.state);
  const lastStart = lastStartOf(video);
  const after = (next: number, state: ProviderState): PrepareOutcome =>
    next < lastStart ? { outcome: 'more', state, waitMs: 0 } : preparedAs(state);
  if (url === undefined) return after(0, { url: await startSession(api, target, video) });
  const arrived = await askProgress(api, url, video);
  if (!arrived) return afterLostSession(api, target);
  if (arrived.video || arrived.next >= lastStart) return preparedAs(target.state);
  const end = Math.min(arrived.next + chunkBytes, lastStart);
  const sent = await sendBytes(api, url, video, [arrived.next, end], 'other');
  if (!sent) return afterLostSession(api, target);
  return after(sent.video ? video.bytes : sent.next, target.state);
}

/** The next upload may begin only if the last one has left no video. */
async function afterLostSession(api: YouTubeApi, target: Target): Promise<PrepareOutcome> {
  const found = await findUpload(api, target);
  if (found.outcome === 'published') return preparedAs({ videoId: found.published.externalId });
  return { outcome: 'more', state: {}, waitMs: 0 };
}

/** Sends the rest of the video, if it hasn't arrived. */
export async function publish(api: YouTubeApi, target: Target): Promise<CommitOutcome> {
  const video = videoOf(target);
  const { url, videoId } = Prepared.parse(target.state);
  if (videoId !== undefined) return { outcome: 'accepted', state: target.state };
  if (url === undefined) return { outcome: 'stale' };
  const arrived = await askProgress(api, url, video);
  const done =
    arrived && !arrived.video && !isWhole(arrived, video)
      ? await sendBytes(api, url, video, [arrived.next, video.bytes], 'commit')
      : arrived;
  if (done?.video) return accept(target, done.video);
  if (done && isWhole(done, video)) throw makingVideo('unknown_outcome');
  if (done) throw new PlatformError('unavailable', `${network} has not received all bytes.`);
  const found = await findUpload(api, target);
  if (found.outcome === 'published') return found;
  if (found.outcome === 'absent') return { outcome: 'stale' };
  throw new PlatformError('unknown_outcome', `${network} no longer knows the upload.`);
}

const isWhole = ({ next }: { next: number }, { bytes }: TargetMedia) => next >= bytes;

/** YouTube has all bytes, but names no video yet. */
const makingVideo = (kind: 'unavailable' | 'unknown_outcome') =>
  new PlatformError(kind, `${network} has all bytes of the video, but does not name it.`);

function accept(target: Target, video: Video): CommitOutcome {
  const failure = findFailure(video);
  if (failure) throw failure;
  const { uploadedAtMs = Date.now() } = Prepared.parse(target.state);
  if (isProcessed(video) || Date.now() - uploadedAtMs > confirmForMs) return found(video, target);
  return { outcome: 'accepted', state: { ...target.state, videoId: video.id, uploadedAtMs } };
}

/** The processing of a long video takes hours, so it is followed. */
function found(video: Video, target: Target): { outcome: 'published'; published: Published } {
  const published = toPublished(video, target);
  if (isProcessed(video)) return { outcome: 'published', published };
  return { outcome: 'published', published: { ...published, followUp: followLater() } };
}

/** Whether YouTube has processed the video. */
export async function confirmVideo(api: YouTubeApi, target: Target): Promise<CommitOutcome> {
  const { videoId } = Prepared.parse(target.state);
  if (videoId === undefined) {
    throw new PlatformError('unavailable', 'The ID of the video is lost.');
  }
  // A refusal of the question says nothing about the video.
  const video = await readVideo(api, videoId).catch(notForGood);
  return video ? accept(target, video) : { outcome: 'accepted', state: target.state };
}

/** A complete upload names its video. The video of a lost upload is searched for. */
export async function reconcileVideo(api: YouTubeApi, target: Target): Promise<ReconcileOutcome> {
  const { url, videoId } = Prepared.parse(target.state);
  const [file] = target.media;
  if (videoId === undefined && url !== undefined && file) {
    const arrived = await askProgress(api, url, file);
    if (arrived?.video) return asFound(arrived.video, target);
    if (arrived && isWhole(arrived, file)) throw makingVideo('unavailable');
    if (arrived) return { outcome: 'absent' };
  }
  if (videoId !== undefined) {
    const video = await readVideo(api, videoId);
    if (video) return asFound(video, target);
  }
  return findUpload(api, target);
}

/** A video that YouTube refuses is absent, so that the next commit reports the reason. */
function asFound(video: Video, target: Target): ReconcileOutcome {
  if (findFailure(video)) return { outcome: 'absent' };
  return found(video, target);
}
