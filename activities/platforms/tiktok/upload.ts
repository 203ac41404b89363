// The upload of a video, one chunk at a time. The last chunk makes TikTok publish the video.
import { z } from 'zod';
import { callNetwork, isSuccess, type CallKind, type NetworkAnswer } from '../json-client.ts';
import { rawUpload } from '../multipart.ts';
import { requireOwn, type Ask } from '../network-api.ts';
import type { Fetch, TargetMedia } from '../platform.ts';
import { toRefusal, toUnexpectedAnswer } from '../refusal.ts';
import { network } from './api.ts';

export const Upload = z.object({
  publishId: z.string(),
  url: z.string(),
  expiresAtMs: z.number(),
  /** Of the whole video. */
  bytes: z.int(),
  sentBytes: z.int(),
});
export type Upload = z.infer<typeof Upload>;

/** https://developers.tiktok.com/doc/content-posting-api-reference-direct-post */
const Started = z.object({
  data: z.object({ publish_id: z.string().min(1), upload_url: z.url() }),
});

/**
 * A chunk has 5 to 64 MB, and a video has at most 1,000 of them. The smallest chunks need the least time in a step.
 * https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide
 */
const chunkBytes = 5_242_880;
const livesMs = 3_600_000;
/** A step takes at most 20 seconds. */
const marginMs = 60_000;

/** `source_info` of the call that starts the upload. A smaller video is one chunk. */
export function toSource(bytes: number) {
  const chunk_size = Math.min(bytes, chunkBytes);
  return {
    source: 'FILE_UPLOAD',
    video_size: bytes,
    chunk_size,
    total_chunk_count: Math.floor(bytes / chunk_size),
  };
}

/** The last chunk has the rest of the video too. */
const lastStartOf = (bytes: number) => {
  const { chunk_size, total_chunk_count } = toSource(bytes);
  return (total_chunk_count - 1) * chunk_size;
};

export const isWholeButLast = ({ bytes, sentBytes }: Upload) => sentBytes >= lastStartOf(bytes);
export const hasExpired = ({ expiresAtMs }: Upload) => expiresAtMs - marginMs <= Date.now();

/** Nothing is published before the last chunk, so this can be repeated. */
export async function startUpload(
  ask: Ask,
  path: string,
  { bytes }: TargetMedia,
  post: object,
): Promise<Upload> {
  const startedMs = Date.now();
  const json = { ...post, source_info: toSource(bytes) };
  const { publish_id, upload_url } = (await ask(path, Started, { json })).body.data;
  const expiresAtMs = startedMs + livesMs;
  return { publishId: publish_id, url: upload_url, expiresAtMs, bytes, sentBytes: 0 };
}

/** `lost`: the upload has ended. `behind`: TikTok expects another chunk. */
export type Sent = 'stored' | 'complete' | 'lost' | 'behind';

interface Uploader {
  fetch: Fetch;
  apiUrl: string;
  signal: AbortSignal;
}

/** Sends the next chunk. `kind`: `commit` for the last one. */
export async function sendChunk(
  { fetch, apiUrl, signal }: Uploader,
  video: TargetMedia,
  { url, sentBytes: start, bytes }: Upload,
  kind: CallKind,
): Promise<Sent> {
  // The documents show addresses at `open-upload.tiktokapis.com` and `upload.us.tiktokapis.com`.
  requireOwn(url, { network, apiUrl, domain: 'tiktokapis.com' });
  const end = start < lastStartOf(bytes) ? nextStart(start) - 1 : bytes - 1;
  const chunk = { bytes: end - start + 1, open: () => video.open({ start, end }) };
  const answer = await callNetwork(fetch, {
    url,
    method: 'PUT',
    headers: { 'content-range': `bytes ${start}-${end}/${bytes}` },
    upload: rawUpload(chunk, video.contentType),
    kind,
    signal,
  });
  return readSent(answer, url, kind);
}

export const nextStart = (start: number) => start + chunkBytes;

/** https://developers.tiktok.com/doc/content-posting-api-reference-direct-post */
function readSent(answer: NetworkAnswer, url: string, kind: CallKind): Sent {
  const { status } = answer;
  if (status === 201) return 'complete';
  if (status === 206) return 'stored';
  if (isSuccess(answer)) throw toUnexpectedAnswer(network, kind);
  if (status === 403 || status === 404) return 'lost';
  if (status === 416) return 'behind';
  const message = status === 400 ? "TikTok can't read the range of bytes." : undefined;
  throw toRefusal({ network, kind, answer, secrets: [url], message });
}
