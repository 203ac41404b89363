// Uploads the media of a post to X in segments, one call per step. X then processes videos and GIFs.
import { z } from 'zod';
import type { Ask } from '../network-api.ts';
import { multipart } from '../multipart.ts';
import { PlatformError } from '../platform-error.ts';
import type { PrepareOutcome, ProviderState, Target, TargetMedia } from '../platform.ts';
import { preparedAs } from '../results.ts';

/** @see https://docs.x.com/x-api/media/quickstart/media-upload-chunked */
const Answer = z.object({
  data: z.object({
    id: z.string().regex(/^\d{1,19}$/),
    media_key: z.string().optional(),
    expires_after_secs: z.int().optional(),
    /** Facts that X reports once it has the whole file. */
    image: z.unknown().optional(),
    video: z.unknown().optional(),
    processing_info: z
      .object({
        state: z.string(),
        check_after_secs: z.int().optional(),
        // Documented for API v1.1: https://github.com/xdevplatform/large-video-upload-python
        error: z.object({ message: z.string().optional() }).optional(),
      })
      .optional(),
  }),
});
type Uploaded = z.infer<typeof Answer>['data'];
/** Any successful answer will do. API v1.1 answered without a body. */
const Done = z.union([z.looseObject({}), z.literal('')]);

const Upload = z.object({
  id: z.string(),
  /** The media's name in posts. */
  key: z.string().optional(),
  expiresAtMs: z.number(),
  sentBytes: z.int(),
  stage: z.enum(['sending', 'processing', 'ready', 'described']),
});
type Upload = z.infer<typeof Upload>;
/** In the order of the media. */
const Uploads = z.object({ uploads: z.array(Upload).default([]) });

/** X's own sample sends as much: https://github.com/xdevplatform/large-video-upload-python */
const segmentBytes = 4_194_304;
const defaultLifeMs = 3_600_000;
/** Keeps X from forgetting media while the post is sent. */
const marginMs = 60_000;
const pollMs = 1_000;

/** Undefined: an upload is missing or has expired. */
export function findUploads({ media, state }: Target): Upload[] | undefined {
  const { uploads } = Uploads.parse(state);
  const areReady = uploads.every((upload) => isDone(upload) && !hasExpired(upload));
  return uploads.length === media.length && areReady ? uploads : undefined;
}

/** Uploads that a lost commit may have used. They count even if they have expired since. */
export const listUploads = (state: ProviderState): Upload[] => Uploads.parse(state).uploads;

const isDone = ({ stage }: Upload) => stage === 'described';
const hasExpired = ({ expiresAtMs }: Upload) => expiresAtMs - marginMs <= Date.now();

export async function prepareMedia(ask: Ask, { media, state }: Target): Promise<PrepareOutcome> {
  const known = Uploads.parse(state).uploads;
  const expired = known.findIndex(hasExpired);
  const uploads = expired === -1 ? known : known.slice(0, expired);
  const at = uploads.findIndex((upload) => !isDone(upload));
  const index = at === -1 ? uploads.length : at;
  const file = media[index];
  if (!file) return preparedAs({ uploads });
  const step = await advance(ask, file, uploads[index]);
  const taken = { uploads: [...uploads.slice(0, index), step.upload] };
  const isLast = index === media.length - 1 && isDone(step.upload);
  return isLast ? preparedAs(taken) : { outcome: 'more', state: taken, waitMs: step.waitMs ?? 0 };
}

interface Step {
  upload: Upload;
  waitMs?: number;
}

async function advance(ask: Ask, file: TargetMedia, upload: Upload | undefined): Promise<Step> {
  if (!upload) return { upload: await initialize(ask, file) };
  const { id, stage, sentBytes } = upload;
  if (stage === 'ready') {
    await describe(ask, id, file);
    return { upload: { ...upload, stage: 'described' } };
  }
  if (stage === 'sending' && sentBytes < file.bytes) {
    return { upload: await append(ask, file, upload) };
  }
  const uploaded = stage === 'sending' ? await finalize(ask, id) : await readStatus(ask, id);
  return afterUpload(file, upload, uploaded);
}

async function initialize(ask: Ask, { bytes, contentType, kind }: TargetMedia): Promise<Upload> {
  const isGif = contentType === 'image/gif';
  const json = {
    media_type: contentType,
    total_bytes: bytes,
    // Videos of posts are `tweet_video`, of any size that Fanfare accepts. `amplify_video` is for ads.
    // https://docs.x.com/x-api/media/quickstart/best-practices
    media_category: kind === 'video' ? 'tweet_video' : isGif ? 'tweet_gif' : 'tweet_image',
  };
  const { data } = (await ask('/media/upload/initialize', Answer, { json })).body;
  return {
    id: data.id,
    key: data.media_key,
    expiresAtMs: expiryOf(data),
    sentBytes: 0,
    stage: 'sending',
  };
}

/** A segment may be sent again. */
async function append(ask: Ask, file: TargetMedia, upload: Upload): Promise<Upload> {
  const start = upload.sentBytes;
  const end = Math.min(start + segmentBytes, file.bytes);
  const source = { bytes: end - start, open: () => file.open({ start, end: end - 1 }) };
  const { filename, contentType } = file;
  const part = { name: 'media', filename, contentType, source };
  const form = multipart({ segment_index: String(start / segmentBytes) }, [part]);
  await ask(`/media/upload/${upload.id}/append`, Done, { upload: form });
  return { ...upload, sentBytes: end };
}

/**
 * A refusal may be the answer to a second call, after the answer to the first call was lost. The status shows
 * what happened.
 */
async function finalize(ask: Ask, id: string): Promise<Uploaded> {
  try {
    const call = { method: 'POST' } as const;
    return (await ask(`/media/upload/${id}/finalize`, Answer, call)).body.data;
  } catch (error) {
    if (!(error instanceof PlatformError) || error.kind !== 'rejected') throw error;
    const status = await readStatus(ask, id).catch(() => undefined);
    if (!status || !(status.processing_info ?? status.image ?? status.video)) throw error;
    return status;
  }
}

async function readStatus(ask: Ask, id: string): Promise<Uploaded> {
  const query = { command: 'STATUS', media_id: id };
  return (await ask('/media/upload', Answer, { query })).body.data;
}

function afterUpload(file: TargetMedia, upload: Upload, uploaded: Uploaded): Step {
  const { media_key: key = upload.key, processing_info: processing } = uploaded;
  const { state = 'succeeded', check_after_secs, error } = processing ?? {};
  if (state === 'failed') {
    const words = error?.message ?? 'X gave no reason.';
    throw new PlatformError('rejected', `X could not process the ${file.kind}: ${words}`, {
      platformCode: 'processing_failed',
      providerError: { ...processing },
    });
  }
  const life = { ...upload, key, expiresAtMs: expiryOf(uploaded, upload) };
  if (state !== 'succeeded') {
    const waitMs = check_after_secs === undefined ? pollMs : check_after_secs * 1_000;
    return { upload: { ...life, stage: 'processing' }, waitMs };
  }
  return { upload: { ...life, stage: toDescribe(file) === null ? 'described' : 'ready' } };
}

const expiryOf = ({ expires_after_secs }: Uploaded, known?: Upload) =>
  expires_after_secs === undefined
    ? (known?.expiresAtMs ?? Date.now() + defaultLifeMs)
    : Date.now() + expires_after_secs * 1_000;

/** X shows no alt text of a video. */
const toDescribe = ({ kind, altText }: TargetMedia) => (kind === 'image' ? altText : null);

/** @see https://docs.x.com/x-api/media/create-media-metadata */
async function describe(ask: Ask, id: string, file: TargetMedia): Promise<void> {
  const json = { id, metadata: { alt_text: { text: file.altText!.toWellFormed() } } };
  await ask('/media/metadata', Done, { json });
}
