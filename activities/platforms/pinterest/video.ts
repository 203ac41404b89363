// Uploads the video of a pin, and waits until Pinterest has processed it. Nobody sees an upload without a pin.
import { z } from 'zod';
import { callNetwork, isSuccess } from '../json-client.ts';
import { multipart, toFilePart } from '../multipart.ts';
import { requireOwn, type Ask } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { Fetch, PrepareOutcome, ProviderState, Target, TargetMedia } from '../platform.ts';
import { toRefusal, type Explanation } from '../refusal.ts';
import { preparedAs } from '../results.ts';
import { network } from './api.ts';

const mediaId = z.string().regex(/^\d+$/);

/** https://developers.pinterest.com/docs/api/v5/media-create */
const Registered = z.object({
  media_id: mediaId,
  upload_url: z.url(),
  upload_parameters: z.record(z.string(), z.string()),
});

/** https://developers.pinterest.com/docs/api/v5/media-get */
const Media = z.object({ status: z.string() });

const Uploaded = z.object({ mediaId: mediaId.optional() });

/** What the calls of a step need. */
interface Uploader {
  ask: Ask;
  fetch: Fetch;
  apiUrl: string;
  signal: AbortSignal;
}

const pollMs = 2_000;

/** Undefined: no video is uploaded. */
export const uploadedVideo = (state: ProviderState): string | undefined =>
  Uploaded.parse(state).mediaId;

/** The first step uploads the video. Later steps ask whether it is ready. Images go into the pin itself. */
export async function prepareVideo(
  uploader: Uploader,
  { media: [first], state }: Target,
): Promise<PrepareOutcome> {
  if (first?.kind !== 'video') return preparedAs(state);
  const uploaded = uploadedVideo(state);
  if (uploaded === undefined) {
    const made = { mediaId: await upload(uploader, first) };
    return { outcome: 'more', state: made, waitMs: pollMs };
  }
  const { status } = (await uploader.ask(`/media/${uploaded}`, Media)).body;
  if (status === 'succeeded') return preparedAs(state);
  if (status !== 'failed') return { outcome: 'more', state, waitMs: pollMs };
  const message = 'Pinterest could not process the video. It gives no reason.';
  throw new PlatformError('rejected', message, {
    platformCode: 'processing_failed',
    failsAs: 'media_invalid',
  });
}

/**
 * Pinterest takes the file at once. A repeated step registers another upload, so an address that has expired never
 * stops it.
 */
async function upload(
  { ask, fetch, apiUrl, signal }: Uploader,
  video: TargetMedia,
): Promise<string> {
  const json = { media_type: 'video' };
  const { media_id, upload_url, upload_parameters } = (await ask('/media', Registered, { json }))
    .body;
  // Pinterest's description shows https://pinterest-media-upload.s3-accelerate.amazonaws.com/.
  requireOwn(upload_url, { network, apiUrl, domain: 'amazonaws.com' });
  const answer = await callNetwork(fetch, {
    url: upload_url,
    upload: multipart(upload_parameters, [toFilePart('file', video)]),
    kind: 'other',
    signal,
  });
  if (isSuccess(answer)) return media_id;
  const secrets = [upload_url, ...Object.values(upload_parameters)];
  throw toRefusal({ network, kind: 'other', answer, secrets, ...explainUpload(answer.body) });
}

/** An error of S3: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
function explainUpload(body: unknown): Explanation {
  const read = (tag: string) => new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(String(body))?.[1];
  const [code, message] = [read('Code'), read('Message')];
  const isTooLarge = code === 'EntityTooLarge';
  return {
    code,
    message,
    // The address says nothing about the login or the post, and the next step gets another address.
    ...(isTooLarge
      ? { meaning: 'rejected', failsAs: 'media_too_large' }
      : { meaning: 'unavailable' }),
  };
}
