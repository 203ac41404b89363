// Uploads the media of a post in steps. Each step uploads one image, a document, or one part of a video.
import { z } from 'zod';
import { callNetwork, isSuccess, type NetworkAnswer } from '../json-client.ts';
import { rawUpload } from '../multipart.ts';
import { requireOwn, type Ask } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type {
  Fetch,
  MediaSource,
  PrepareOutcome,
  ProviderState,
  Target,
  TargetMedia,
} from '../platform.ts';
import { toRefusal, toUnexpectedAnswer } from '../refusal.ts';
import { preparedAs } from '../results.ts';
import { network } from './client.ts';

/** @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/images-api */
const StartedImage = z
  .object({
    value: z.object({ uploadUrl: z.url(), image: z.string().startsWith('urn:li:image:') }),
  })
  .transform(({ value }) => ({ uploadUrl: value.uploadUrl, urn: value.image }));

/** @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/documents-api */
const StartedDocument = z
  .object({
    value: z.object({ uploadUrl: z.url(), document: z.string().startsWith('urn:li:document:') }),
  })
  .transform(({ value }) => ({ uploadUrl: value.uploadUrl, urn: value.document }));

/** @see https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/videos-api */
const Part = z.object({ uploadUrl: z.url(), firstByte: z.int().min(0), lastByte: z.int().min(0) });
const StartedVideo = z.object({
  value: z.object({
    video: z.string().startsWith('urn:li:video:'),
    uploadToken: z.string().default(''),
    uploadInstructions: z.array(Part).min(1),
    uploadUrlsExpireAt: z.number(),
  }),
});
/** A video or a document. */
const Processed = z.object({
  status: z.string(),
  processingFailureReason: z.string().optional(),
});

/** A video whose parts are not all uploaded, or that LinkedIn is processing. */
const VideoUpload = StartedVideo.shape.value.extend({
  /** LinkedIn's IDs of the uploaded parts, in the order of the parts. */
  partIds: z.array(z.string()).default([]),
  isFinal: z.boolean().default(false),
});
type VideoUpload = z.infer<typeof VideoUpload>;

const Uploads = z.object({
  /** In the order of the media. */
  urns: z.array(z.string()).default([]),
  video: VideoUpload.optional(),
  /** A document that LinkedIn is processing. */
  document: z.string().optional(),
});

/** What the calls of a step need. */
interface Uploader {
  rest: Ask;
  fetch: Fetch;
  apiUrl: string;
  signal: AbortSignal;
}

const pollMs = 2_000;
/** A step takes at most 20 seconds. */
const expiryMarginMs = 60_000;

export const uploadedUrns = (state: ProviderState): string[] => Uploads.parse(state).urns;

export async function prepareMedia(uploader: Uploader, target: Target): Promise<PrepareOutcome> {
  const { media, state } = target;
  const { urns, video, document } = Uploads.parse(state);
  const next = media[urns.length];
  if (!next) return preparedAs(state);
  if (next.kind === 'image') {
    const uploaded = [...urns, await uploadWhole(uploader, target, next)];
    if (uploaded.length === media.length) return preparedAs({ urns: uploaded });
    return { outcome: 'more', state: { urns: uploaded }, waitMs: 0 };
  }
  if (next.kind === 'document') {
    const urn = document ?? (await uploadWhole(uploader, target, next));
    if (document && (await isReady(uploader.rest, urn)))
      return preparedAs({ urns: [...urns, urn] });
    return { outcome: 'more', state: { urns, document: urn }, waitMs: pollMs };
  }
  const step = await advanceVideo(uploader, target, next, video);
  if (step === 'ready') return preparedAs({ urns: [...urns, video!.video] });
  return { outcome: 'more', state: { urns, video: step }, waitMs: step?.isFinal ? pollMs : 0 };
}

/** LinkedIn doesn't show an upload that no post uses, so a repeated step is harmless. */
async function uploadWhole(
  uploader: Uploader,
  { externalAccountId: owner, credentials }: Target,
  media: TargetMedia,
): Promise<string> {
  const json = { initializeUploadRequest: { owner } };
  const path = `/${media.kind}s?action=initializeUpload`;
  const Started = media.kind === 'image' ? StartedImage : StartedDocument;
  const { uploadUrl, urn } = (await uploader.rest(path, Started, { json })).body;
  const { access_token: token = '' } = credentials;
  await put(uploader, uploadUrl, media, {
    'content-type': media.contentType,
    authorization: `Bearer ${token}`,
  });
  return urn;
}

/** Does the next step. Undefined: the upload must begin again. */
async function advanceVideo(
  uploader: Uploader,
  { externalAccountId: owner }: Target,
  video: TargetMedia,
  upload: VideoUpload | undefined,
): Promise<VideoUpload | 'ready' | undefined> {
  const { rest } = uploader;
  if (!upload) {
    const flags = { uploadCaptions: false, uploadThumbnail: false };
    const json = { initializeUploadRequest: { owner, fileSizeBytes: video.bytes, ...flags } };
    const path = '/videos?action=initializeUpload';
    return VideoUpload.parse((await rest(path, StartedVideo, { json })).body.value);
  }
  const { video: urn, uploadToken, uploadInstructions, uploadUrlsExpireAt, partIds } = upload;
  if (upload.isFinal) return (await isReady(rest, urn)) ? 'ready' : upload;
  const part = uploadInstructions[partIds.length];
  if (part) {
    if (Date.now() > uploadUrlsExpireAt - expiryMarginMs) return undefined;
    const partId = await uploadPart(uploader, video, part);
    return { ...upload, partIds: [...partIds, partId] };
  }
  const json = { finalizeUploadRequest: { video: urn, uploadToken, uploadedPartIds: partIds } };
  await rest('/videos?action=finalizeUpload', z.unknown(), { json });
  return { ...upload, isFinal: true };
}

async function uploadPart(
  uploader: Uploader,
  video: TargetMedia,
  { uploadUrl, firstByte, lastByte }: z.infer<typeof Part>,
): Promise<string> {
  const range = { start: firstByte, end: lastByte };
  const source = { bytes: lastByte - firstByte + 1, open: () => video.open(range) };
  const headers = { 'content-type': 'application/octet-stream' };
  const partId = (await put(uploader, uploadUrl, source, headers)).headers.get('etag');
  if (partId) return partId;
  throw toUnexpectedAnswer(network, 'other');
}

async function isReady(rest: Ask, urn: string): Promise<boolean> {
  const [, , kind = ''] = urn.split(':');
  const { body } = await rest(`/${kind}s/${encodeURIComponent(urn)}`, Processed);
  if (body.status !== 'PROCESSING_FAILED') return body.status === 'AVAILABLE';
  const reason = body.processingFailureReason ?? 'no reason was given';
  const message = `LinkedIn could not process the ${kind}: ${reason}`;
  throw new PlatformError('rejected', message, { platformCode: body.status });
}

/** The URL of a part needs no token. If the URL has ended, that says nothing about the login. */
async function put(
  { fetch, apiUrl, signal }: Uploader,
  url: string,
  source: MediaSource,
  { 'content-type': type, ...headers }: { 'content-type': string; authorization?: string },
): Promise<NetworkAnswer> {
  // LinkedIn's documents show addresses at `www.linkedin.com` and `api.linkedin.com`.
  requireOwn(url, { network, apiUrl, domain: 'linkedin.com' });
  const answer = await callNetwork(fetch, {
    url,
    method: 'PUT',
    headers,
    upload: rawUpload(source, type),
    kind: 'other',
    signal,
  });
  if (isSuccess(answer)) return answer;
  const { authorization } = headers;
  const hasEnded = !authorization && (answer.status === 401 || answer.status === 403);
  throw toRefusal({
    network,
    kind: 'other',
    answer,
    secrets: [url, authorization ?? ''],
    meaning: hasEnded ? 'unavailable' : undefined,
  });
}
