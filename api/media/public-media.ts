// Sends media to networks that fetch them, at the URLs of `activities/platforms/public-urls.ts`. It writes Node's own
// response, so that a reader who stalls or leaves frees its file and its place.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { asProject } from '../../activities/current-project.ts';
import { createFairPlaces } from '../../activities/fair-places.ts';
import { checkImage, openCheckImage } from '../../activities/media/check-image.ts';
import { openSource } from '../../activities/media/segments.ts';
import { StoreError } from '../../activities/media/store/store.ts';
import { publicTypes, type PublicMedia } from '../../activities/platforms/public-urls.ts';
import { isCheckRunning } from '../../schema/database/accounts/checks.ts';
import { findPublicMedia } from '../../schema/database/posts/public-media.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Context } from '../http/context.ts';
import { toAppError, toErrorAnswer } from '../http/errors.ts';
import { nameRequest } from '../http/request-id.ts';
import type { PublicPage } from '../http/route.ts';
import { requireStorage } from './limits.ts';
import { drain, headerOf, send, translate } from './upload-answer.ts';

export interface PublicMediaOptions {
  /** Files that are sent at a time. */
  places: number;
  /** Longest wait for a place. */
  placeMs: number;
  /** Longest time of one answer. */
  totalMs: number;
}

const defaults: PublicMediaOptions = { places: 16, placeMs: 5_000, totalMs: 15 * 60_000 };

type Needs = Pick<Context, 'db' | 'log' | 'media' | 'publicUrl' | 'publicUrls'>;

/** `/media/<token>/1.<extension>`. Some readers encode the `~` of the token. */
const mediaPath = /^\/media\/((?:[\w~-]|%7E){1,1000})\/1\.(\w{1,5})(?:\?|$)/i;

export const isPublicMediaUrl = (url: string) => url.startsWith('/media/');

/** Crawlers of networks obey `robots.txt`. */
export const robotsPage: PublicPage = {
  path: '/robots.txt',
  respond: (_, c) => c.text('User-agent: *\nAllow: /media/\nDisallow: /\n'),
};

export interface PublicMediaServer {
  respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>;
}

interface PublicFile {
  contentType: string;
  bytes: number;
  /** In hex. */
  sha256: string;
  /** `range`: offsets of the first and the last byte. */
  read(range: { start: number; end: number }): AsyncIterable<Uint8Array>;
}

const imageOfCheck: PublicFile = {
  contentType: checkImage.contentType,
  bytes: checkImage.bytes.length,
  sha256: checkImage.sha256,
  read: (range) => openCheckImage(range),
};

export function createPublicMedia(
  context: Needs,
  options: Partial<PublicMediaOptions> = {},
): PublicMediaServer {
  const { places, placeMs, totalMs } = { ...defaults, ...options };
  const inPlace = createFairPlaces(places);

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method, headers } = incoming;
    if (method !== 'GET' && method !== 'HEAD') {
      outgoing.setHeader('Allow', 'GET, HEAD');
      throw new AppError('method_not_allowed', 'The URL of media accepts only GET and HEAD.');
    }
    const { projectId, ...file } = await find(incoming.url ?? '/');
    const { bytes: size } = file;
    const etag = `"${file.sha256}"`;
    const shown = {
      'Content-Type': file.contentType,
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'Cross-Origin-Resource-Policy': 'cross-origin',
      ETag: etag,
    };
    if (method === 'HEAD') {
      outgoing.writeHead(200, { ...shown, 'Content-Length': size }).end();
      return;
    }
    const isSame = (headerOf(incoming, 'if-range') ?? etag) === etag;
    const range = isSame ? readRange(headers.range, size) : undefined;
    if (range === 'outside') {
      const none = { 'Content-Range': `bytes */${size}`, 'Content-Length': 0 };
      outgoing.writeHead(416, { ...shown, ...none }).end();
      return;
    }
    await withPlace(projectId, async () => {
      if (outgoing.destroyed) return;
      const { start, end } = range ?? { start: 0, end: size - 1 };
      outgoing.writeHead(range ? 206 : 200, {
        ...shown,
        'Content-Length': end - start + 1,
        ...(range && { 'Content-Range': `bytes ${start}-${end}/${size}` }),
      });
      const signal = AbortSignal.timeout(totalMs);
      await asProject(projectId, () => pipeline(file.read({ start, end }), outgoing, { signal }));
    });
  }

  async function find(url: string): Promise<PublicFile & { projectId: string }> {
    const [, token, extension] = mediaPath.exec(url) ?? [];
    const named = token && context.publicUrls.read(token.replace(/%7E/i, '~'));
    if (!named) throw notThere();
    const { projectId } = named;
    const file = await asProject(projectId, () => findFile(named));
    if (!file || publicTypes.get(file.contentType) !== extension) throw notThere();
    return { projectId, ...file };
  }

  async function findFile({
    projectId,
    resultId,
    mediaId,
  }: PublicMedia): Promise<PublicFile | undefined> {
    const { db } = context;
    if (mediaId === checkImage.id) {
      return (await isCheckRunning(db, projectId, resultId)) ? imageOfCheck : undefined;
    }
    const storage = requireStorage(context);
    const media = await findPublicMedia(db, projectId, { resultId, mediaId });
    return (
      media && {
        contentType: media.content_type!,
        bytes: media.received_bytes,
        sha256: media.sha256!,
        read: (range) => openSource({ db, store: storage.store }, media).read(range),
      }
    );
  }

  async function withPlace(projectId: string, work: () => Promise<void>): Promise<void> {
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(tooMany()), placeMs);
    const begin = () => {
      clearTimeout(timer);
      return work();
    };
    await inPlace(projectId, begin, waiting.signal);
  }

  return {
    async respond(incoming, outgoing) {
      const requestId = nameRequest(headerOf(incoming, 'x-request-id'));
      outgoing.setHeader('X-Request-Id', requestId);
      try {
        await answer(incoming, outgoing);
      } catch (thrown) {
        // The length of the file was announced, so the reader notices that bytes are missing.
        if (outgoing.headersSent) {
          if (thrown instanceof StoreError) reportBroken(context, thrown, requestId);
          outgoing.destroy();
          return;
        }
        const error = toAppError(context, translate(thrown), requestId);
        const { status, headers, error: shown } = toErrorAnswer(context, error);
        send(outgoing, status, headers, { error: shown, request_id: requestId });
      } finally {
        drain(incoming);
      }
    },
  };
}

function reportBroken({ log }: Needs, err: StoreError, requestId: string): void {
  const fields = { component: 'media', err, request_id: requestId };
  log.warn(fields, 'media could not be read to their end');
}

function notThere(): AppError {
  return new AppError('not_found', 'No media have this URL, or it has expired.');
}

function tooMany(): AppError {
  return new AppError('unavailable', 'This server sends too many media at once.', {
    retryAfterS: 5,
  });
}

/** Undefined: the whole file is sent, also if the header has several ranges or is malformed. */
function readRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | 'outside' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') {
    const start = Math.max(size - Number(to), 0);
    return start < size ? { start, end: size - 1 } : 'outside';
  }
  const [start, end] = [Number(from), to === '' ? Infinity : Number(to)];
  if (end < start) return undefined;
  return start < size ? { start, end: Math.min(end, size - 1) } : 'outside';
}
