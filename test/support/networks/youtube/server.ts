// YouTube's Data API v3 with one channel, as its documents and its discovery document of 2026-11-04 say:
// https://developers.google.com/youtube/data/reference/rest/v3. It refuses parameters that Fanfare has no use for.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';
import { dispatch, Refusal, type Route } from '../strict-requests.ts';
import { createChanges } from './changes.ts';
import { createLogin } from './login.ts';
import { readQuery } from './query.ts';
import { badRequest, GoogleError, notFound, notWelcome } from './refusals.ts';
import { createSteps } from './steps.ts';
import { createUploads, type Uploaded } from './uploads.ts';

export interface YouTubeVideo extends Uploaded {
  id: string;
  publishedAtMs: number;
  privacyStatus: string;
  /** How many more reads find the video in processing. */
  readsUntilProcessed: number;
  /** SHA-256 of the thumbnail that was set. Absent: YouTube chose one. */
  thumbnail?: string;
  /** How YouTube ends the processing. Absent: well. */
  end?: { uploadStatus: 'failed' | 'rejected'; reason: string };
}

const words = (...allowed: string[]) =>
  z
    .string()
    .transform((list) => list.split(','))
    .pipe(z.array(z.enum(allowed)).min(1));
const alt = z.literal('json').optional();
const ChannelQuery = z.strictObject({
  part: words('snippet', 'contentDetails'),
  mine: z.literal('true'),
  alt,
});
const ItemQuery = z.strictObject({
  part: words('snippet', 'contentDetails'),
  playlistId: z.string(),
  maxResults: z.coerce.number().int().min(0).max(50).default(5),
  pageToken: z.string().optional(),
  videoId: z.string().optional(),
  alt,
});
const VideoQuery = z.strictObject({
  part: words('snippet', 'status', 'fileDetails'),
  id: z
    .string()
    .transform((list) => list.split(','))
    .pipe(z.array(z.string().min(1)).max(50)),
  alt,
});

export type YouTubeServer = ReturnType<typeof createYouTubeServer>;

export function createYouTubeServer() {
  const login = createLogin();
  const videos: YouTubeVideo[] = [];
  const channel = { id: 'UCBrassBand01234567890ab', title: 'Brass Band' };
  const playlist = channel.id.replace('UC', 'UU');
  const calls: string[] = [];

  const uploads = createUploads({
    check: login.check,
    add: (uploaded) => addVideo(uploaded).id,
    show: (id) => show(find(id)!, ['snippet', 'status']),
  });

  const steps = createSteps({ check: login.check, find: (id) => find(id) });

  const server = {
    channel,
    login,
    uploads,
    steps,
    videos,
    /** The requests, without their queries. */
    calls,
    /** Every request that has no file, with its body. */
    requests: [] as Request[],
    /** The user has a channel. */
    hasChannel: true,
    /** How many reads find a new video in processing. */
    readsUntilProcessed: 1,
    /** YouTube makes every video private. */
    isForcedPrivate: false,
    /** How the processing of the next videos ends. */
    ends: [] as NonNullable<YouTubeVideo['end']>[],
    /** Whether the list of uploads has a new video already. */
    listsUploads: true,
    /** The owner sees the details of files. */
    hasFileDetails: true,
    /** Headers that the next answers have. */
    headers: {} as Record<string, string>,
    /** Replaces the answer to the next request. */
    nextAnswer: undefined as Response | undefined,
    /** Adds a video that was uploaded elsewhere. */
    addVideo,
    answer,
    refuse,
    expireToken: () => login.grants.expireAll(),
    revokeToken: () => login.grants.revokeAll(),
    listPosts: (): PublicPost[] => videos.map(toPublic),
  } satisfies NetworkServer & Record<string, unknown>;

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    calls.push(`${request.method} ${pathname}`);
    if (request.method !== 'PUT' || !pathname.startsWith('/upload/'))
      server.requests.push(request.clone());
    const scripted = server.nextAnswer;
    server.nextAnswer = undefined;
    const response = scripted ?? (await dispatch(routes, request));
    for (const [name, value] of Object.entries(server.headers)) response.headers.set(name, value);
    return response;
  }

  function addVideo(uploaded: Uploaded, change: Partial<YouTubeVideo> = {}): YouTubeVideo {
    const { privacyStatus = 'public' } = uploaded.metadata.status;
    const end = server.ends.shift();
    const video = {
      ...uploaded,
      id: randomBytes(8).toString('base64url').slice(0, 11),
      publishedAtMs: Date.now(),
      privacyStatus: server.isForcedPrivate ? 'private' : privacyStatus,
      readsUntilProcessed: server.readsUntilProcessed,
      ...(end && { end }),
      ...change,
    };
    videos.push(video);
    return video;
  }

  const find = (id: string) => videos.find((video) => video.id === id);

  const toPublic = ({ id, metadata, notifySubscribers, sha256 }: YouTubeVideo): PublicPost => ({
    id,
    text: metadata.snippet.description ?? '',
    replyTo: null,
    media: [sha256],
    options: { ...metadata, notifySubscribers },
  });

  /** Shows only the parts that the request names. */
  function show(video: YouTubeVideo, parts: readonly string[]) {
    const { id, metadata, publishedAtMs, bytes } = video;
    const { description = '', categoryId = '22', ...snippet } = metadata.snippet;
    return {
      kind: 'youtube#video',
      etag: `etag-${id}`,
      id,
      ...(parts.includes('snippet') && {
        snippet: {
          publishedAt: toTime(publishedAtMs),
          channelId: channel.id,
          channelTitle: channel.title,
          ...snippet,
          description,
          categoryId,
        },
      }),
      ...(parts.includes('status') && { status: showStatus(video) }),
      ...(parts.includes('fileDetails') &&
        server.hasFileDetails && { fileDetails: { fileSize: String(bytes) } }),
    };
  }

  function showStatus({ metadata, privacyStatus, readsUntilProcessed, end }: YouTubeVideo) {
    const shared = {
      license: 'youtube',
      embeddable: true,
      publicStatsViewable: true,
      madeForKids: metadata.status.selfDeclaredMadeForKids ?? false,
      ...metadata.status,
      privacyStatus,
    };
    if (readsUntilProcessed > 0) return { uploadStatus: 'uploaded', ...shared };
    if (!end) return { uploadStatus: 'processed', ...shared };
    const member = end.uploadStatus === 'failed' ? 'failureReason' : 'rejectionReason';
    return { uploadStatus: end.uploadStatus, [member]: end.reason, ...shared };
  }

  const toList = (kind: string, items: unknown[], more = {}) =>
    Response.json({
      kind: `youtube#${kind}ListResponse`,
      etag: 'etag-of-a-list',
      ...more,
      pageInfo: { totalResults: items.length, resultsPerPage: items.length },
      ...(items.length > 0 && { items }),
    });

  function listChannels(request: Request): Response {
    login.check(request, 'youtube.readonly', 'youtube');
    const { part } = readQuery(request, ChannelQuery);
    if (!server.hasChannel) return toList('channel', []);
    const { id, title } = channel;
    const picture = { url: 'https://yt3.test/brass=s88', width: 88, height: 88 };
    const thumbnails = { default: picture };
    const item = {
      kind: 'youtube#channel',
      etag: 'etag-of-a-channel',
      id,
      ...(part.includes('snippet') && { snippet: { title, description: '', thumbnails } }),
      ...(part.includes('contentDetails') && {
        contentDetails: { relatedPlaylists: { likes: 'LL', uploads: playlist } },
      }),
    };
    return toList('channel', [item]);
  }

  /** The uploads, newest first, or the videos of another playlist. */
  function listPlaylist(playlistId: string): YouTubeVideo[] {
    if (playlistId === playlist) return server.listsUploads ? videos.toReversed() : [];
    const ids = steps.playlists.get(playlistId);
    if (!ids) throw notFound('playlistNotFound', 'playlist');
    return ids.flatMap((id) => find(id) ?? []);
  }

  function listItems(request: Request): Response {
    login.check(request, 'youtube.readonly', 'youtube');
    const { part, playlistId, maxResults, pageToken, videoId } = readQuery(request, ItemQuery);
    const listed = listPlaylist(playlistId).filter(({ id }) => id === (videoId ?? id));
    const start = pageToken === undefined ? 0 : Number(/^page-(\d+)$/.exec(pageToken)?.[1]);
    if (Number.isNaN(start)) throw badRequest('Invalid page token.', 'invalidPageToken');
    const items = listed
      .slice(start, start + maxResults)
      .map(({ id, publishedAtMs, metadata }) => ({
        kind: 'youtube#playlistItem',
        etag: `etag-of-item-${id}`,
        id: `item-${id}`,
        ...(part.includes('snippet') && {
          snippet: { publishedAt: toTime(publishedAtMs), title: metadata.snippet.title },
        }),
        ...(part.includes('contentDetails') && { contentDetails: { videoId: id } }),
      }));
    const end = start + maxResults;
    return toList('playlistItem', items, end < listed.length && { nextPageToken: `page-${end}` });
  }

  /** Counts the read. */
  function listVideos(request: Request): Response {
    login.check(request, 'youtube.readonly', 'youtube');
    const { part, id: ids } = readQuery(request, VideoQuery);
    const found = ids.flatMap((id) => find(id) ?? []);
    const items = found.map((video) => show(video, part));
    for (const video of found) if (video.readsUntilProcessed > 0) video.readsUntilProcessed--;
    return toList('video', items);
  }

  /** Google's APIs report every refusal in their own form. */
  const inGoogleForm =
    (handle: Route['handle']): Route['handle'] =>
    async (request, params) => {
      try {
        return await handle(request, params);
      } catch (error) {
        if (error instanceof Refusal && !(error instanceof GoogleError)) {
          throw badRequest(error.message);
        }
        throw error;
      }
    };

  const routes: Route[] = [
    ...login.routes,
    ...[
      ...uploads.routes,
      ...steps.routes,
      ...createChanges({
        isForcedPrivate: () => server.isForcedPrivate,
        check: login.check,
        videos,
        show,
      }),
      { method: 'GET', path: /^\/youtube\/v3\/channels$/, handle: listChannels } as const,
      { method: 'GET', path: /^\/youtube\/v3\/playlistItems$/, handle: listItems } as const,
      { method: 'GET', path: /^\/youtube\/v3\/videos$/, handle: listVideos } as const,
    ].map((route) => ({ ...route, handle: inGoogleForm(route.handle) })),
  ];
  return server;
}

const toTime = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, '');

function refuse(kind: RefusalKind, request?: Request): Response {
  const isOAuth = request?.url.endsWith('/token') === true;
  switch (kind) {
    case 'limited':
      return limited().toResponse();
    case 'limited_with_retry_after': {
      const response = limited().toResponse();
      response.headers.set('retry-after', '1');
      return response;
    }
    case 'unavailable':
      return new GoogleError(503, 'backendError', 'Backend Error', 'global').toResponse();
    case 'error':
      return new GoogleError(500, 'internalError', 'Internal Error', 'global').toResponse();
    case 'rejected':
      if (isOAuth) {
        const error_description = 'Token has been expired or revoked.';
        return Response.json({ error: 'invalid_grant', error_description }, { status: 400 });
      }
      return notWelcome().toResponse();
  }
}

const limited = () =>
  new GoogleError(429, 'userRateLimitExceeded', 'User Rate Limit Exceeded', 'usageLimits');
