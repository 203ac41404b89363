// The upload of a video, in steps. Each step continues where the last one ended. The video's ID is saved
// before its bytes are sent.
import { z } from 'zod';
import type { Placement } from '../../../schema/platforms/facebook.ts';
import { callNetwork, isSuccess, type NetworkAnswer } from '../json-client.ts';
import { explainGraphError } from '../meta/graph.ts';
import { GraphId } from '../meta/ids.ts';
import { multipart, rawUpload, toFilePart } from '../multipart.ts';
import { requireOwn } from '../network-api.ts';
import { hasCode, PlatformError } from '../platform-error.ts';
import type { TargetMedia } from '../platform.ts';
import { toRefusal, type Explanation } from '../refusal.ts';
import { network, type PageApi } from './api.ts';
import { facebookErrors } from './errors.ts';
import { readVideoStatus } from './video-status.ts';

const offset = z.coerce.number().int().min(0);

/** @see https://developers.facebook.com/docs/graph-api/reference/page/videos */
const StartedSession = z.object({
  video_id: GraphId,
  upload_session_id: GraphId,
  start_offset: offset,
  end_offset: offset,
});
const NextRange = StartedSession.pick({ start_offset: true, end_offset: true });

/** @see https://developers.facebook.com/docs/video-api/guides/reels-publishing */
const StartedUpload = z.object({ video_id: GraphId, upload_url: z.url() });

const Sent = z.object({ success: z.literal(true) });

export const VideoUpload = z.object({
  id: z.string(),
  /** The upload of a video for the feed, which is sent in ranges. */
  session: z.object({ id: z.string(), start: z.number(), end: z.number() }).optional(),
  /** The upload of a reel or a story, which is sent at once. */
  url: z.string().optional(),
  isUploaded: z.boolean().default(false),
  hasCover: z.boolean().default(false),
  /** How often the upload has failed. */
  failures: z.int().default(0),
});
export type VideoUpload = z.infer<typeof VideoUpload>;

type Step = 'ready' | { upload: VideoUpload; waitMs: number };

const pollMs = 2_000;
/** Maximum number of failures of an upload. */
const maxFailures = 3;

/** Does one step. Undefined `upload`: begins the upload. */
export async function uploadVideo(
  api: PageApi,
  video: TargetMedia,
  placement: Placement,
  upload: VideoUpload | undefined,
): Promise<Step> {
  if (!upload) return { upload: await start(api, video, placement), waitMs: 0 };
  if (!upload.isUploaded) {
    const { session } = upload;
    return session
      ? sendRange(api, video, upload, session)
      : sendRest(api, video, placement, upload);
  }
  if (video.thumbnail && placement !== 'story' && !upload.hasCover) {
    await setCover(api, upload.id, video.thumbnail);
    return { upload: { ...upload, hasCover: true }, waitMs: 0 };
  }
  if (placement !== 'story') return 'ready';
  const { isReady, failure } = await readVideoStatus(api, upload.id);
  if (failure) throw failure;
  return isReady ? 'ready' : { upload, waitMs: pollMs };
}

export const edgeOf = (placement: Placement) =>
  ({ feed: 'videos', reel: 'video_reels', story: 'video_stories' })[placement];

async function start(
  { page, graph, videos }: PageApi,
  { bytes }: TargetMedia,
  placement: Placement,
): Promise<VideoUpload> {
  const path = `/${page}/${edgeOf(placement)}`;
  if (placement !== 'feed') {
    const json = { upload_phase: 'start' };
    const { video_id: id, upload_url: url } = (await graph(path, StartedUpload, { json })).body;
    return VideoUpload.parse({ id, url });
  }
  const json = { upload_phase: 'start', file_size: bytes };
  const { body } = await videos(path, StartedSession, { json });
  const { start_offset, end_offset } = body;
  const session = { id: body.upload_session_id, start: start_offset, end: end_offset };
  return VideoUpload.parse({ id: body.video_id, session });
}

/** Sends the range that Facebook asks for. At the end, Facebook asks for an empty range. */
async function sendRange(
  { page, videos }: PageApi,
  video: TargetMedia,
  upload: VideoUpload,
  { id, start, end }: NonNullable<VideoUpload['session']>,
): Promise<Step> {
  if (start >= end) return { upload: { ...upload, isUploaded: true }, waitMs: 0 };
  const chunk = {
    ...toFilePart('video_file_chunk', video),
    source: { bytes: end - start, open: () => video.open({ start, end: end - 1 }) },
  };
  const fields = {
    upload_phase: 'transfer',
    upload_session_id: id,
    start_offset: String(start),
  };
  const asked = videos(`/${page}/videos`, NextRange, { upload: multipart(fields, [chunk]) });
  const { start_offset, end_offset } = await asked.then(({ body }) => body, readAskedRange);
  return {
    upload: { ...upload, session: { id, start: start_offset, end: end_offset } },
    waitMs: 0,
  };
}

/** The answer to an earlier step was lost, so Facebook names the range that it has not received. */
function readAskedRange(error: unknown): z.infer<typeof NextRange> {
  if (!(error instanceof PlatformError)) throw error;
  const { platformCode = '', providerError } = error.options;
  const { data } = NextRange.safeParse(providerError);
  if (!data || !/\b1363037$/.test(platformCode)) throw error;
  return data;
}

/**
 * Sends the bytes that have not arrived. In one request, Facebook takes everything from an offset on.
 * @see https://developers.facebook.com/docs/video-api/guides/reels-publishing
 */
async function sendRest(
  api: PageApi,
  video: TargetMedia,
  placement: Placement,
  upload: VideoUpload,
): Promise<Step> {
  const { arrivedBytes, isUploaded, failure } = await readVideoStatus(api, upload.id);
  if (failure) throw failure;
  if (isUploaded) return { upload: { ...upload, isUploaded }, waitMs: 0 };
  if (arrivedBytes >= video.bytes) return { upload, waitMs: pollMs };
  try {
    await send(api, upload.url!, video, arrivedBytes);
    return { upload: { ...upload, isUploaded: true }, waitMs: 0 };
  } catch (error) {
    const failures = upload.failures + 1;
    if (!hasCode(error, 'ProcessingFailedError') || failures > maxFailures) throw error;
    // Facebook's documents advise repeating the request, and then beginning again.
    const next = failures === 1 ? upload : await start(api, video, placement);
    return { upload: { ...next, failures }, waitMs: pollMs };
  }
}

async function send(
  { fetch, token, apiUrl, signal }: PageApi,
  url: string,
  video: TargetMedia,
  start: number,
): Promise<void> {
  // The documents show addresses at `rupload.facebook.com`.
  requireOwn(url, { network, apiUrl, domain: 'facebook.com' });
  const rest = {
    bytes: video.bytes - start,
    open: () => video.open({ start, end: video.bytes - 1 }),
  };
  const answer = await callNetwork(fetch, {
    url,
    headers: {
      authorization: `OAuth ${token}`,
      offset: String(start),
      file_size: String(video.bytes),
    },
    upload: rawUpload(rest, 'application/octet-stream'),
    kind: 'other',
    signal,
  });
  if (isSuccess(answer) && Sent.safeParse(answer.body).success) return;
  throw toRefusal({ network, kind: 'other', answer, secrets: [token], ...explainUpload(answer) });
}

/** @see https://developers.facebook.com/docs/instagram-platform/content-publishing */
const Debug = z.object({
  debug_info: z.object({ type: z.string().optional(), message: z.string().optional() }),
});

/** The next step asks how much has arrived, so it may succeed after any failure. */
function explainUpload(answer: NetworkAnswer): Explanation {
  const explained = explainGraphError(facebookErrors, answer, {}, 'other');
  if (explained.code !== undefined) return explained;
  const { type, message } = Debug.safeParse(answer.body).data?.debug_info ?? {};
  return { code: type, message, meaning: 'unavailable' };
}

/** @see https://developers.facebook.com/docs/graph-api/reference/video/thumbnails */
async function setCover({ graph }: PageApi, id: string, image: TargetMedia): Promise<void> {
  const upload = multipart({ is_preferred: 'true' }, [toFilePart('source', image)]);
  await graph(`/${id}/thumbnails`, Sent, { upload });
}
