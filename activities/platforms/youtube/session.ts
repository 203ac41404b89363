// A resumable upload of one video. Its URL is the proof of the upload: YouTube makes one video of it at most.
import { z } from 'zod';
import { youtube } from '../../../schema/platforms/youtube.ts';
import { callNetwork, isSuccess, type CallKind } from '../json-client.ts';
import { rawUpload } from '../multipart.ts';
import { requireOwn } from '../network-api.ts';
import type { Target, TargetMedia } from '../platform.ts';
import { toRefusal, toUnexpectedAnswer } from '../refusal.ts';
import { network, readRefusal, type YouTubeApi } from './api.ts';
import { toSnippet } from './snippet.ts';
import { Video } from './video.ts';

/** How much has arrived, or the video if all of it has. Undefined: the upload has ended without its video. */
type Progress = { next: number; video?: undefined } | { video: Video } | undefined;

/** YouTube takes chunks of a multiple of 262,144 bytes, except the last one. */
export const chunkBytes = 32 * 262_144;

/** Offset of the last chunk. With it, YouTube publishes the video. */
export const lastStartOf = ({ bytes }: TargetMedia): number =>
  (Math.ceil(bytes / chunkBytes) - 1) * chunkBytes;

const incomplete = 308;
const unknownSessions: readonly number[] = [404, 410];

/** Returns the URL of the upload. @see https://developers.google.com/youtube/data/guides/using_resumable_upload_protocol */
export async function startSession(
  { insert, apiUrl }: YouTubeApi,
  target: Target,
  { bytes, contentType }: TargetMedia,
): Promise<string> {
  const { notify_subscribers } = youtube.options.parse(target.platformOptions);
  const { headers } = await insert('/upload/youtube/v3/videos', z.unknown(), {
    query: {
      uploadType: 'resumable',
      part: 'snippet,status',
      ...(notify_subscribers !== undefined && { notifySubscribers: String(notify_subscribers) }),
    },
    headers: {
      'x-upload-content-length': String(bytes),
      'x-upload-content-type': contentType,
    },
    json: toVideo(target),
  });
  const url = z.url().safeParse(headers.get('location'));
  if (!url.success) throw toUnexpectedAnswer(network, 'other');
  requireOwn(url.data, { network, apiUrl, domain: 'googleapis.com' });
  return url.data;
}

function toVideo({ caption, platformOptions }: Target) {
  const options = youtube.options.parse(platformOptions);
  const { visibility, made_for_kids, made_with_ai } = options;
  return {
    snippet: toSnippet(caption, options),
    status: {
      privacyStatus: visibility ?? 'public',
      selfDeclaredMadeForKids: made_for_kids,
      ...(made_with_ai !== undefined && { containsSyntheticMedia: made_with_ai }),
    },
  };
}

/** Asks how much has arrived. */
export const askProgress = (api: YouTubeApi, url: string, { bytes }: TargetMedia) =>
  put(api, url, { 'content-range': `bytes */${bytes}` }, 'other');

/** Sends the bytes from `start` to before `end`. */
export function sendBytes(
  api: YouTubeApi,
  url: string,
  video: TargetMedia,
  [start, end]: [number, number],
  kind: CallKind,
): Promise<Progress> {
  const range = { start, end: end - 1 };
  const source = { bytes: end - start, open: () => video.open(range) };
  const header = { 'content-range': `bytes ${range.start}-${range.end}/${video.bytes}` };
  return put(api, url, header, kind, rawUpload(source, video.contentType));
}

async function put(
  { fetch, token, signal }: YouTubeApi,
  url: string,
  range: { 'content-range': string },
  kind: CallKind,
  upload?: ReturnType<typeof rawUpload>,
): Promise<Progress> {
  const answer = await callNetwork(fetch, {
    url,
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, ...range },
    ...(upload && { upload }),
    kind,
    signal,
  });
  const { status, headers, body } = answer;
  if (status === incomplete) return { next: readNext(headers) };
  if (unknownSessions.includes(status)) return undefined;
  if (!isSuccess(answer)) {
    const explained = readRefusal(answer);
    // A request that was given up may have delivered the bytes late, so the next call asks again.
    const meaning = status === 400 ? 'unavailable' : explained.meaning;
    throw toRefusal({ network, kind, answer, secrets: [token, url], ...explained, meaning });
  }
  const video = Video.safeParse(body).data;
  if (!video) throw toUnexpectedAnswer(network, kind);
  return { video };
}

/** Without a range, nothing has arrived. */
function readNext(headers: Headers): number {
  const last = /^bytes=0-(\d+)$/.exec(headers.get('range') ?? '')?.[1];
  return last === undefined ? 0 : Number(last) + 1;
}
