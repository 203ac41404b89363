// TikTok's Content Posting API with one creator, as the pages of its documents say, read on 2026-11-27. TikTok
// publishes no description that a program can read, so each rule names its page.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';
import { newSecret } from '../oauth/grants.ts';
import { dispatch, readJson, Refusal, type Route } from '../strict-requests.ts';
import { createLogin } from './login.ts';
import { answerWith, forbidden, invalid, refuseOAuth, TikTokError } from './refusals.ts';
import { checkSource, Source, takeChunk, type Upload } from './uploads.ts';

/** TikTok counts UTF-16 code units. */
const text = (max: number) => z.string().max(max);
const level = z.enum([
  'PUBLIC_TO_EVERYONE',
  'MUTUAL_FOLLOW_FRIENDS',
  'FOLLOWER_OF_CREATOR',
  'SELF_ONLY',
]);

/** https://developers.tiktok.com/doc/content-posting-api-reference-direct-post */
const NewVideo = z.strictObject({
  post_info: z.strictObject({
    title: text(2_200).optional(),
    privacy_level: level,
    disable_duet: z.boolean().optional(),
    disable_comment: z.boolean().optional(),
    disable_stitch: z.boolean().optional(),
    video_cover_timestamp_ms: z.int().min(0).optional(),
    brand_content_toggle: z.boolean(),
    brand_organic_toggle: z.boolean(),
    is_aigc: z.boolean().optional(),
  }),
  source_info: Source,
});
/** https://developers.tiktok.com/doc/content-posting-api-reference-upload-video */
const NewDraft = z.strictObject({ source_info: Source });

const photos = z.strictObject({
  source: z.literal('PULL_FROM_URL'),
  photo_images: z.array(z.url()).min(1).max(35),
  photo_cover_index: z.int().min(0),
});
const texts = { title: text(90).optional(), description: text(4_000).optional() };
/** https://developers.tiktok.com/doc/content-posting-api-reference-photo-post */
const NewPhotos = z.discriminatedUnion('post_mode', [
  z.strictObject({
    media_type: z.literal('PHOTO'),
    post_mode: z.literal('DIRECT_POST'),
    post_info: z.strictObject({
      ...texts,
      privacy_level: level,
      disable_comment: z.boolean().optional(),
      auto_add_music: z.boolean().optional(),
      brand_content_toggle: z.boolean(),
      brand_organic_toggle: z.boolean(),
    }),
    source_info: photos,
  }),
  z.strictObject({
    media_type: z.literal('PHOTO'),
    post_mode: z.literal('MEDIA_UPLOAD'),
    post_info: z.strictObject(texts),
    source_info: photos,
  }),
]);

interface Publishing {
  id: string;
  isDraft: boolean;
  text: string;
  options: Record<string, unknown>;
  upload: Upload | undefined;
  /** SHA-256 of the media, once TikTok has them. */
  media: string[] | undefined;
  /** Why the post will never be public. */
  failure: string | undefined;
  polls: number;
  postId: string;
}

type Call = 'init' | 'creator_info' | 'status';

export type TikTokServer = ReturnType<typeof createTikTokServer>;

export function createTikTokServer() {
  const openId = newSecret('open');
  const login = createLogin(openId);
  const publishings: Publishing[] = [];
  const recent: { call: Call; atMs: number }[] = [];
  let lastPostId = 7_400_000_000_000_000_000n;

  const server = {
    login,
    openId,
    creator: {
      creator_avatar_url: 'https://p16.tiktokcdn.test/ada.jpeg',
      creator_username: 'ada_l',
      creator_nickname: 'Ada',
      privacy_level_options: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
      comment_disabled: false,
      duet_disabled: false,
      stitch_disabled: false,
      max_video_post_duration_sec: 300,
    },
    /** Code of the refusal of every post, such as `spam_risk_too_many_posts`. */
    refusesPosts: undefined as string | undefined,
    isAudited: true,
    isPrivateAccount: false,
    /** The calls per minute of a token are limited. */
    hasLimits: false,
    /** TikTok has verified the domain of the photos. */
    isDomainVerified: true,
    /** How often the status of a whole post still says that TikTok processes it. */
    processingPolls: 1,
    /** The moderation of public posts has ended. */
    isModerated: true,
    /** Reason with which the next post fails. */
    failsWith: undefined as string | undefined,
    /** What the upload address begins with. */
    origin: 'http://network.test',
    /** The requests, without their queries. */
    calls: [] as string[],
    /** Bodies of the calls that begin a post. */
    begun: [] as Record<string, unknown>[],
    publishings,
    /** Replaces the answer to a request, if it returns one. */
    intercept: (_request: Request): Response | undefined => undefined,
    expireUploads() {
      for (const { upload } of publishings) if (upload) upload.expiresAtMs = 0;
    },
    answer,
    refuse,
    expireToken: () => login.grants.expireAll(),
    revokeToken: () => login.grants.revokeAll(),
    listPosts: (): PublicPost[] =>
      publishings.filter((each) => each.media && !each.failure).map(toPublic),
    listSecrets: () => [
      ...login.listSecrets(),
      ...publishings.flatMap(({ upload }) => upload?.token ?? []),
    ],
  } satisfies NetworkServer & Record<string, unknown>;

  const toPublic = ({ postId, text: shown, media, options }: Publishing): PublicPost => ({
    id: postId,
    text: shown,
    replyTo: null,
    options,
    media: media!,
  });

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    server.calls.push(`${request.method} ${pathname}`);
    return server.intercept(request) ?? dispatch(routes, request);
  }

  /** Each page names the limit of its call, per user access token. */
  function countCall(call: Call, limit: number): void {
    const nowMs = Date.now();
    recent.push({ call, atMs: nowMs });
    const made = recent.filter((each) => each.call === call && each.atMs > nowMs - 60_000);
    if (!server.hasLimits || made.length <= limit) return;
    throw new TikTokError(429, 'rate_limit_exceeded', 'The API rate limit was exceeded.');
  }

  const ofApi =
    (handle: Route['handle']): Route['handle'] =>
    async (request, params) => {
      try {
        return await handle(request, params);
      } catch (error) {
        if (error instanceof TikTokError || !(error instanceof Refusal)) throw error;
        throw invalid(error.message);
      }
    };

  function checkDirect(chosen: z.infer<typeof level>): void {
    if (server.refusesPosts) throw forbidden(server.refusesPosts);
    // https://developers.tiktok.com/doc/content-sharing-guidelines
    if (!server.isAudited && (chosen !== 'SELF_ONLY' || !server.isPrivateAccount)) {
      throw forbidden('unaudited_client_can_only_post_to_private_accounts');
    }
    if (!server.creator.privacy_level_options.includes(chosen)) {
      throw new TikTokError(403, 'privacy_level_option_mismatch', 'Not an option of the creator.');
    }
  }

  function add(
    given: Pick<Publishing, 'isDraft' | 'text' | 'options' | 'upload' | 'media'>,
  ): Publishing {
    const prefix = given.isDraft ? 'v_inbox' : 'v_pub';
    const id = `${prefix}_file~v2-1.${publishings.length + 1}`;
    const failure = server.failsWith;
    server.failsWith = undefined;
    lastPostId += 1n;
    const added = { ...given, id, failure, polls: 0, postId: String(lastPostId) };
    publishings.push(added);
    return added;
  }

  function startUpload(source: z.infer<typeof Source>): Upload {
    checkSource(source);
    const sha256 = createHash('sha256');
    // https://developers.tiktok.com/doc/content-posting-api-reference-direct-post: valid for one hour.
    const expiresAtMs = Date.now() + 3_600_000;
    return { source, token: newSecret('upload'), held: 0, sha256, expiresAtMs };
  }

  const toStarted = ({ id, upload }: Publishing) =>
    answerWith({
      publish_id: id,
      upload_url: `${server.origin}/video/?upload_id=67890&upload_token=${upload!.token}`,
    });

  async function fetchPhoto(url: string): Promise<string> {
    const response = await fetch(url, { redirect: 'manual' });
    const bytes = Buffer.from(await response.arrayBuffer());
    const type = response.headers.get('content-type') ?? '';
    if (response.status !== 200) throw new Error('photo_pull_failed');
    if (!/^image\/(jpeg|webp)$/.test(type)) throw new Error('file_format_check_failed');
    if (bytes.length > 20_000_000) throw new Error('picture_size_check_failed');
    return createHash('sha256').update(bytes).digest('hex');
  }

  async function postPhotos(request: Request): Promise<Response> {
    const given = await readJson(request, NewPhotos);
    const { post_mode: mode, post_info: info, source_info: source } = given;
    login.check(request, mode === 'DIRECT_POST' ? 'video.publish' : 'video.upload');
    countCall('init', 6);
    server.begun.push(given);
    if (mode === 'DIRECT_POST') checkDirect(given.post_info.privacy_level);
    if (!server.isDomainVerified) {
      throw forbidden('url_ownership_unverified', 'Please review our URL ownership rules.');
    }
    if (source.photo_cover_index >= source.photo_images.length) throw invalid('No such photo.');
    const { description = '', ...options } = info;
    const isDraft = mode === 'MEDIA_UPLOAD';
    const added = add({ isDraft, text: description, options, upload: undefined, media: undefined });
    try {
      added.media = await Promise.all(source.photo_images.map(fetchPhoto));
    } catch (error) {
      added.failure = (error as Error).message;
    }
    return answerWith({ publish_id: added.id });
  }

  /** https://developers.tiktok.com/doc/content-posting-api-reference-get-video-status */
  function readStatus(given: Publishing): Response {
    const { upload, media, failure, isDraft, options } = given;
    const bytes = upload && { uploaded_bytes: upload.held };
    if (failure && (media || !upload)) {
      return answerWith({ status: 'FAILED', fail_reason: failure, ...bytes });
    }
    const processing = upload ? 'PROCESSING_UPLOAD' : 'PROCESSING_DOWNLOAD';
    if (!media || given.polls++ < server.processingPolls) {
      return answerWith({ status: processing, ...bytes });
    }
    if (isDraft) return answerWith({ status: 'SEND_TO_USER_INBOX', ...bytes });
    const isPublic = options['privacy_level'] === 'PUBLIC_TO_EVERYONE' && server.isModerated;
    // An int64, which JavaScript would round.
    const ids = isPublic ? `,"publicaly_available_post_id":[${given.postId}]` : '';
    const error = '"error":{"code":"ok","message":"","log_id":"20261127AABBCCDD"}';
    const body = `{"data":{"status":"PUBLISH_COMPLETE"${ids}},${error}}`;
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  }

  const routes: Route[] = [
    ...login.routes,
    {
      // https://developers.tiktok.com/doc/tiktok-api-v2-get-user-info
      method: 'GET',
      path: /^\/v2\/user\/info\/$/,
      handle: ofApi((request) => {
        login.check(request, 'user.info.basic');
        const fields = (new URL(request.url).searchParams.get('fields') ?? '').split(',');
        const user = { open_id: openId, display_name: 'Ada', avatar_url: 'https://a.test/a.jpeg' };
        if (!fields.every((field) => field in user)) throw invalid('Fields is not set correctly');
        const shown = Object.entries(user).filter(([name]) => fields.includes(name));
        return answerWith({ user: Object.fromEntries(shown) });
      }),
    },
    {
      // https://developers.tiktok.com/doc/content-posting-api-reference-query-creator-info
      method: 'POST',
      path: /^\/v2\/post\/publish\/creator_info\/query\/$/,
      handle: ofApi((request) => {
        login.check(request, 'video.publish');
        countCall('creator_info', 20);
        if (server.refusesPosts) throw forbidden(server.refusesPosts);
        return answerWith(server.creator);
      }),
    },
    {
      method: 'POST',
      path: /^\/v2\/post\/publish\/video\/init\/$/,
      handle: ofApi(async (request) => {
        login.check(request, 'video.publish');
        countCall('init', 6);
        const given = await readJson(request, NewVideo);
        server.begun.push(given);
        const { title = '', ...options } = given.post_info;
        checkDirect(options.privacy_level);
        const upload = startUpload(given.source_info);
        return toStarted(add({ isDraft: false, text: title, options, upload, media: undefined }));
      }),
    },
    {
      method: 'POST',
      path: /^\/v2\/post\/publish\/inbox\/video\/init\/$/,
      handle: ofApi(async (request) => {
        login.check(request, 'video.upload');
        countCall('init', 6);
        const given = await readJson(request, NewDraft);
        server.begun.push(given);
        if (server.refusesPosts) throw forbidden(server.refusesPosts);
        const upload = startUpload(given.source_info);
        return toStarted(add({ isDraft: true, text: '', options: {}, upload, media: undefined }));
      }),
    },
    {
      method: 'POST',
      path: /^\/v2\/post\/publish\/content\/init\/$/,
      handle: ofApi(postPhotos),
    },
    {
      method: 'POST',
      path: /^\/v2\/post\/publish\/status\/fetch\/$/,
      handle: ofApi(async (request) => {
        const token = request.headers.get('authorization') ?? '';
        const { scope = '' } = login.grants.find(token.replace('Bearer ', '')) ?? {};
        login.check(request, scope.includes('video.publish') ? 'video.publish' : 'video.upload');
        countCall('status', 30);
        const { publish_id } = await readJson(request, z.strictObject({ publish_id: z.string() }));
        const found = publishings.find(({ id }) => id === publish_id);
        if (!found)
          throw new TikTokError(400, 'invalid_publish_id', 'The publish_id does not exist.');
        return readStatus(found);
      }),
    },
    {
      method: 'PUT',
      path: /^\/video\/$/,
      async handle(request) {
        const token = new URL(request.url).searchParams.get('upload_token');
        const found = publishings.find(({ upload }) => upload?.token === token);
        const taken = await takeChunk(found?.upload, request);
        if (taken.status === 201) found!.media = [found!.upload!.sha256.digest('hex')];
        return taken;
      },
    },
  ];
  return server;
}

function refuse(kind: RefusalKind, request?: Request): Response {
  if (request?.method === 'PUT') {
    const statuses = { limited: 429, limited_with_retry_after: 429, unavailable: 503 };
    const status = { ...statuses, error: 500, rejected: 400 }[kind];
    return Response.json({}, { status });
  }
  const isOAuth = /\/oauth\//.test(request?.url ?? '');
  switch (kind) {
    case 'limited':
    case 'limited_with_retry_after':
      return new TikTokError(429, 'rate_limit_exceeded', 'Too many requests.').toResponse();
    case 'unavailable':
      return new TikTokError(503, 'internal_error', 'Down for maintenance.').toResponse();
    case 'error':
      return new TikTokError(500, 'internal_error', 'Something broke.').toResponse();
    case 'rejected':
      return isOAuth
        ? refuseOAuth('invalid_grant', 'Refresh token is invalid or expired.')
        : invalid('One or more fields in request is invalid.').toResponse();
  }
}
