// The thumbnails and the playlists of the simulated YouTube.
// By https://developers.google.com/youtube/data/reference/rest/v3/thumbnails/set and
// https://developers.google.com/youtube/data/reference/rest/v3/playlistItems/insert, read on 2026-11-27.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Route } from '../strict-requests.ts';
import { badRequest, GoogleError, notFound } from './refusals.ts';
import { readQuery } from './query.ts';

const ThumbnailQuery = z.strictObject({
  videoId: z.string().min(1),
  uploadType: z.literal('media'),
  alt: z.literal('json').optional(),
});
const ItemQuery = z.strictObject({ part: z.literal('snippet'), alt: z.literal('json').optional() });
const Item = z.strictObject({
  snippet: z.strictObject({
    playlistId: z.string(),
    resourceId: z.strictObject({ kind: z.literal('youtube#video'), videoId: z.string() }),
  }),
});
const maxBytes = 52_428_800;
const maxItems = 5_000;

interface Settings {
  check(request: Request, ...scopes: string[]): void;
  /** `thumbnail`: SHA-256 of the thumbnail that was set. */
  find(id: string): { thumbnail?: string } | undefined;
}

export function createSteps({ check, find }: Settings) {
  const steps = {
    /** The videos of each playlist, by its ID. */
    playlists: new Map<string, string[]>([['PLmarches', []]]),
    /** The channel has a verified phone number. */
    isVerified: true,
    /** Thumbnails that the channel may still set. */
    thumbnailQuota: 100,
    routes: [] as Route[],
  };

  function findVideo(id: string) {
    const video = find(id);
    if (video) return video;
    throw notFound('videoNotFound', 'video');
  }

  async function setThumbnail(request: Request): Promise<Response> {
    check(request, 'youtube.upload', 'youtube');
    const { videoId } = readQuery(request, ThumbnailQuery);
    const type = request.headers.get('content-type') ?? '';
    if (!['image/jpeg', 'image/png', 'application/octet-stream'].includes(type)) {
      throw badRequest(`Media type '${type}' is not supported.`, 'badContent');
    }
    const body = Buffer.from(await request.arrayBuffer());
    if (body.length === 0) {
      throw badRequest('The request does not include the image content.', 'mediaBodyRequired');
    }
    if (body.length > maxBytes) throw badRequest('The image is too large.', 'invalidImage');
    if (!isImage(body)) throw badRequest('The image content is invalid.', 'invalidImage');
    const video = findVideo(videoId);
    if (!steps.isVerified) {
      const message =
        "The authenticated user doesn't have permissions to upload and set custom video thumbnails.";
      throw new GoogleError(403, 'forbidden', message, 'youtube.thumbnail');
    }
    if (steps.thumbnailQuota === 0) {
      const message = 'The channel has uploaded too many thumbnails recently.';
      throw new GoogleError(429, 'uploadRateLimitExceeded', message, 'youtube.thumbnail');
    }
    steps.thumbnailQuota--;
    video.thumbnail = createHash('sha256').update(body).digest('hex');
    const url = `https://i.ytimg.com/vi/${videoId}/default.jpg`;
    const items = [{ default: { url, width: 120, height: 90 } }];
    const kind = 'youtube#thumbnailSetResponse';
    return Response.json({ kind, etag: `etag-${videoId}`, items });
  }

  /** A video can be in a playlist more than once. */
  async function insertItem(request: Request): Promise<Response> {
    check(request, 'youtube');
    readQuery(request, ItemQuery);
    const { data, error } = Item.safeParse(await request.json().catch(() => undefined));
    if (error) throw badRequest(z.prettifyError(error), 'invalidResourceType');
    const { playlistId, resourceId } = data.snippet;
    const items = steps.playlists.get(playlistId);
    if (!items) throw notFound('playlistNotFound', 'playlist');
    findVideo(resourceId.videoId);
    if (items.length >= maxItems) {
      const message = 'The playlist already contains the maximum allowed number of items.';
      throw new GoogleError(
        403,
        'playlistContainsMaximumNumberOfVideos',
        message,
        'youtube.playlistItem',
      );
    }
    const position = items.push(resourceId.videoId) - 1;
    return Response.json({
      kind: 'youtube#playlistItem',
      etag: `etag-${playlistId}-${position}`,
      id: `${playlistId}-${position}`,
      snippet: { ...data.snippet, position },
    });
  }

  steps.routes = [
    { method: 'POST', path: /^\/upload\/youtube\/v3\/thumbnails\/set$/, handle: setThumbnail },
    { method: 'POST', path: /^\/youtube\/v3\/playlistItems$/, handle: insertItem },
  ];
  return steps;
}

/** A JPEG or a PNG, by its first bytes. */
const isImage = (body: Buffer) =>
  body.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])) ||
  body.subarray(0, 4).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47]));
