// A Mastodon server with one account, strict about what it is sent. `oauth.ts` has its logins by consent.
// Endpoints, fields, headers and answers: https://docs.joinmastodon.org/methods/ (statuses, accounts, apps,
// instance) and /entities/, as of version 4.6, read on 2026-11-22. Refusals and their words: app/controllers/api,
// app/validators and config/locales/en.yml of https://github.com/mastodon/mastodon, read on the same day.
// Unlike a real server, it refuses fields and parameters that it doesn't know.
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';
import { createMastodonOAuth, type OAuthTraits, type RegisteredApp } from './oauth.ts';
import { Refusal } from './refusal.ts';

export interface MastodonServer extends NetworkServer {
  readonly token: string;
  readonly accountId: string;
  /** The paths of all requests, without their queries, in order. */
  readonly calls: string[];
  readonly listPosts: () => PublicPost[];
  /** Adds a post of the account that was not published with Fanfare. */
  addStatus(status: Partial<Status>): Status;
  /** Changes a post, as its user might. */
  editStatus(id: string, text: string): void;
  /** Forgets the idempotency keys, as a server does after an hour. */
  forgetKeys(): void;
  readonly uploads: readonly Upload[];
  /** Deletes unused uploads, as a server does after a day. */
  deleteUnused(): void;
  /** Apps that were registered, in order. */
  listApps(): RegisteredApp[];
  /** Forgets all apps, as a server does when its database is reset. */
  forgetApps(): void;
  /** Logins by consent that were not revoked. */
  countLogins(): number;
  /** Every secret of an app, code and token that the server ever gave out. */
  listSecrets(): string[];
}

/** A media attachment. */
export interface Upload {
  readonly id: string;
  readonly kind: 'image' | 'video';
  readonly type: string;
  readonly filename: string;
  readonly sha256: string;
  readonly thumbnailSha256: string | null;
  description: string | null;
  /** How many more polls find the upload in processing. */
  pollsLeft: number;
  statusId: string | null;
}

export interface MastodonTraits extends OAuthTraits {
  domain?: string;
  maxCharacters?: number;
  charactersPerUrl?: number;
  /** Scopes of the application. Null: a server before 4.3, which doesn't return them. */
  scopes?: string[] | null;
  /** Scopes of the token. Default: `scopes`. */
  tokenScopes?: string[];
  /** How far the server's clock is ahead of ours. */
  clockAheadMs?: number;
  /** Limits that `/api/v2/instance` reports. Null: the server reports none. */
  mediaLimits?: Partial<typeof newServerLimits> | null;
  /** Number of polls after which a video is ready. `fails`: the server can't process the video. */
  videoPolls?: number | 'fails';
  /** Limits that `/api/v2/instance` reports. Null: the server reports none. */
  pollLimits?: Partial<typeof newPollLimits> | null;
  /** Whether the server has `/api/v1/apps/verify_credentials`. Default: true. GoToSocial 0.20 lacks it. */
  showsApps?: boolean;
  /**
   * Status with which the server refuses media that are gone or used. Default: 422. GoToSocial answers 400.
   */
  usedMediaStatus?: 400 | 422;
  /**
   * Whether the server reads `Idempotency-Key`. Default: true. GoToSocial doesn't read it, and publishes a
   * repeat.
   */
  keepsKeys?: boolean;
}

/** @see https://github.com/superseriousbusiness/gotosocial/blob/main/internal/processing/status/common.go */
export const asGoToSocial: MastodonTraits = {
  showsApps: false,
  usedMediaStatus: 400,
  keepsKeys: false,
};

/** @see https://github.com/mastodon/mastodon/blob/main/app/validators/poll_options_validator.rb */
export const newPollLimits = {
  max_options: 4,
  max_characters_per_option: 50,
  min_expiration: 300,
  max_expiration: 2_629_746,
};

/** @see https://github.com/mastodon/mastodon/blob/main/app/models/media_attachment.rb */
export const newServerLimits = {
  max_media_attachments: 4,
  // prettier-ignore
  supported_mime_types: ['image/jpeg', 'image/png', 'image/gif', 'image/heic', 'image/webp', 'image/avif', 'video/webm', 'video/mp4', 'video/quicktime', 'video/ogg', 'audio/mpeg'],
  description_limit: 1_500,
  image_size_limit: 16_777_216,
  image_matrix_limit: 33_177_600,
  video_size_limit: 103_809_024,
  video_frame_rate_limit: 120,
  video_matrix_limit: 8_294_400,
};

interface Status {
  id: string;
  text: string;
  createdAt: number;
  editedAt: number | null;
  replyTo: string | null;
  mediaIds: string[];
  options: z.infer<typeof StatusOptions>;
}

const StatusOptions = z.strictObject({
  visibility: z.enum(['public', 'unlisted', 'private', 'direct']).optional(),
  spoiler_text: z.string().optional(),
  sensitive: z.boolean().optional(),
  language: z.string().optional(),
  poll: z
    .strictObject({
      options: z.array(z.string()),
      expires_in: z.int(),
      multiple: z.boolean().optional(),
      hide_totals: z.boolean().optional(),
    })
    .optional(),
});
const NewStatus = StatusOptions.extend({
  status: z.string(),
  in_reply_to_id: z.string().optional(),
  media_ids: z.array(z.string()).min(1).optional(),
});
const StatusEdit = StatusOptions.omit({ visibility: true, poll: true }).extend({
  status: z.string(),
  media_ids: z.array(z.string()).min(1).optional(),
  media_attributes: z.array(z.strictObject({ id: z.string(), description: z.string() })).optional(),
});
const MediaForm = z.strictObject({
  file: z.instanceof(File),
  description: z.string().optional(),
  thumbnail: z.instanceof(File).optional(),
});
const ListQuery = z.strictObject({
  exclude_reblogs: z.literal('true'),
  limit: z.string().regex(/^([1-9]|[1-3]\d|40)$/),
  max_id: z.string().optional(),
});

const allScopes = ['read:accounts', 'read:statuses', 'write:statuses', 'write:media'];
const accountId = '109343827';

export function createMastodonServer({
  domain = 'mastodon.test',
  maxCharacters = 500,
  charactersPerUrl = 23,
  scopes = allScopes,
  clockAheadMs = 0,
  mediaLimits = {},
  videoPolls = 2,
  pollLimits = {},
  showsApps = true,
  usedMediaStatus = 422,
  keepsKeys = true,
  tokenScopes = scopes ?? allScopes,
  ...oauthTraits
}: MastodonTraits = {}): MastodonServer {
  const polls = { ...newPollLimits, ...pollLimits };
  const { max_media_attachments: maxMedia, ...fileLimits } = { ...newServerLimits, ...mediaLimits };
  const token = randomBytes(32).toString('base64url');
  const statuses: Status[] = [];
  const byKey = new Map<string, Status>();
  const uploads: Upload[] = [];
  const calls: string[] = [];
  const oauth = createMastodonOAuth(oauthTraits);
  let isRevoked = false;
  let lastId = 0n;

  const now = () => Date.now() + clockAheadMs;

  /** An id is the time, followed by 16 bits that distinguish ids of the same time. */
  function nextId(createdAt: number): string {
    const id = BigInt(createdAt) << 16n;
    lastId = id > lastId ? id : lastId + 1n;
    return String(lastId);
  }

  /** Refuses in the words of Doorkeeper. The token needs only one scope of `any`. */
  function authorize(request: Request, ...any: string[]): void {
    const given = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    const login = given === token ? { isRevoked, scope: tokenScopes.join(' ') } : findLogin(given);
    if (!login) throw new Refusal(401, 'The access token is invalid');
    if (login.isRevoked) throw new Refusal(401, 'The access token was revoked');
    const granted = login.scope.split(' ');
    const isGranted = any.flatMap((scope) => [scope, scope.split(':')[0]!]).some(has(granted));
    if (any.length > 0 && !isGranted) {
      throw new Refusal(403, 'This action is outside the authorized scopes');
    }
  }

  const findLogin = (accessToken = '') => oauth.grants.find(accessToken);

  const routes: Record<string, (request: Request, id: string) => unknown> = {
    ...oauth.routes,

    'GET /api/v2/instance': () => ({
      domain,
      title: 'Mastodon',
      version: '4.6.3',
      source_url: 'https://github.com/mastodon/mastodon',
      configuration: {
        statuses: {
          max_characters: maxCharacters,
          ...(mediaLimits && { max_media_attachments: maxMedia }),
          characters_reserved_per_url: charactersPerUrl,
        },
        ...(mediaLimits && { media_attachments: fileLimits }),
        ...(pollLimits && { polls }),
      },
      api_versions: { mastodon: 8 },
    }),

    'GET /api/v1/apps/verify_credentials'(request) {
      if (!showsApps) throw new Refusal(404, 'Not Found');
      authorize(request);
      return { id: '563419', name: 'Fanfare', website: null, ...(scopes && { scopes }) };
    },

    'GET /api/v1/accounts/verify_credentials'(request) {
      authorize(request, 'profile', 'read:accounts');
      const avatar_static = 'https://files.mastodon.test/avatars/ada.png';
      const names = { username: 'ada', acct: 'ada', display_name: 'Ada' };
      return { id: accountId, ...names, avatar_static, locked: false };
    },

    async 'POST /api/v1/statuses'(request) {
      authorize(request, 'write:statuses');
      const key = request.headers.get('idempotency-key');
      if (!key) throw new Refusal(400, 'The test server takes no post without Idempotency-Key');
      const given = check(NewStatus, await request.json().catch(() => undefined));
      const { status: text, in_reply_to_id: replyTo = null, media_ids = [], ...options } = given;
      if (replyTo !== null && !statuses.some(({ id }) => id === replyTo)) {
        throw new Refusal(404, 'The post you are trying to reply to does not appear to exist.');
      }
      const known = keepsKeys ? byKey.get(key) : undefined;
      if (known) return present(known);
      const media = findUnused(media_ids, options);
      validate(text, options, media);
      const status = add({ text: text.trim(), replyTo, mediaIds: media_ids, options });
      for (const upload of media) upload.statusId = status.id;
      byKey.set(key, status);
      return present(status);
    },

    async 'POST /api/v2/media'(request) {
      authorize(request, 'write:media');
      const form = await request.formData().catch(() => new FormData());
      const given = check(MediaForm, Object.fromEntries(form));
      const upload = await readUpload(given);
      uploads.push(upload);
      return presentMedia(upload);
    },

    'GET /api/v1/media/:id'(request, id) {
      authorize(request, 'write:media');
      const upload = uploads.find((upload) => upload.id === id && upload.statusId === null);
      if (!upload) throw new Refusal(404, 'Record not found');
      if (upload.kind === 'video' && videoPolls === 'fails') throw new Refusal(422, unreadable);
      upload.pollsLeft = Math.max(upload.pollsLeft - 1, 0);
      return presentMedia(upload);
    },

    'GET /api/v1/accounts/:id/statuses'(request, id) {
      authorize(request, 'read:statuses');
      if (id !== accountId) throw new Refusal(404, 'Record not found');
      const query = Object.fromEntries(new URL(request.url).searchParams);
      const { limit, max_id } = check(ListQuery, query);
      return statuses
        .filter((status) => max_id === undefined || BigInt(status.id) < BigInt(max_id))
        .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? 1 : -1))
        .slice(0, Number(limit))
        .map(present);
    },

    'GET /api/v1/statuses/:id'(request, id) {
      authorize(request, 'read:statuses');
      return present(getStatus(id));
    },

    'GET /api/v1/statuses/:id/source'(request, id) {
      authorize(request, 'read:statuses');
      const { text, options } = getStatus(id);
      return { id, text, spoiler_text: options.spoiler_text ?? '' };
    },

    /** @see https://docs.joinmastodon.org/methods/statuses/#edit */
    async 'PUT /api/v1/statuses/:id'(request, id) {
      authorize(request, 'write:statuses');
      const status = getStatus(id);
      const given = check(StatusEdit, await request.json().catch(() => undefined));
      const { status: text, media_ids = [], media_attributes = [], ...options } = given;
      if (media_ids.some((mediaId) => !status.mediaIds.includes(mediaId))) {
        throw new Refusal(422, 'Validation failed: Media must be of the status');
      }
      validate(
        text,
        { ...status.options, ...options },
        uploads.filter((each) => media_ids.includes(each.id)),
      );
      for (const { id: mediaId, description } of media_attributes) {
        uploads.find((each) => each.id === mediaId)!.description = description || null;
      }
      Object.assign(status, { text: text.trim(), mediaIds: media_ids, editedAt: Date.now() });
      // A poll that the edit doesn't name is removed.
      status.options = { ...status.options, poll: undefined, ...options };
      return present(status);
    },

    /** @see https://docs.joinmastodon.org/methods/statuses/#delete */
    'DELETE /api/v1/statuses/:id'(request, id) {
      authorize(request, 'write:statuses');
      const status = getStatus(id);
      statuses.splice(statuses.indexOf(status), 1);
      return { ...present(status), text: status.text };
    },
  };

  function getStatus(id: string): Status {
    const status = statuses.find((status) => status.id === id);
    if (!status) throw new Refusal(404, 'Record not found');
    return status;
  }

  async function readUpload(given: z.infer<typeof MediaForm>): Promise<Upload> {
    const { file, thumbnail, description } = given;
    const bytes = Buffer.from(await file.arrayBuffer());
    const kind = file.type.startsWith('video/') ? 'video' : 'image';
    const limit = fileLimits[`${kind}_size_limit`];
    const faults: [boolean, string][] = [
      [!fileLimits.supported_mime_types.includes(file.type), 'File content type is invalid'],
      [bytes.length >= limit, `File must be less than ${limit} Bytes`],
      [kind === 'image' && thumbnail !== undefined, 'Thumbnail must be blank'],
      [
        Array.from(description ?? '').length > fileLimits.description_limit,
        `Description is too long (maximum is ${fileLimits.description_limit} characters)`,
      ],
    ];
    const found = faults.filter(([isFault]) => isFault).map(([, words]) => words);
    if (found.length > 0) throw new Refusal(422, `Validation failed: ${found.join(', ')}`);
    if (!startsAs(file.type, bytes)) throw new Refusal(500, unreadable);
    return {
      id: nextId(now()),
      kind,
      type: file.type,
      filename: file.name,
      sha256: hashOf(bytes),
      thumbnailSha256: thumbnail ? hashOf(Buffer.from(await thumbnail.arrayBuffer())) : null,
      description: description ?? null,
      pollsLeft: kind === 'image' ? 0 : videoPolls === 'fails' ? 1 : videoPolls,
      statusId: null,
    };
  }

  const hashOfUpload = (id: string) => uploads.find((upload) => upload.id === id)!.sha256;

  const presentMedia = ({ id, kind, description, pollsLeft }: Upload) => ({
    id,
    type: kind,
    url: pollsLeft > 0 ? null : `https://files.${domain}/${id}/original`,
    preview_url: `https://files.${domain}/${id}/small`,
    remote_url: null,
    description,
  });

  /** Checks the uploads of a new post, in the order in which a real server does. */
  function findUnused(ids: string[], { poll }: Status['options']): Upload[] {
    if (ids.length > maxMedia || (ids.length > 0 && poll)) {
      throw new Refusal(422, `Cannot attach more than ${maxMedia} files`);
    }
    const found = uploads.filter(({ id, statusId }) => statusId === null && ids.includes(id));
    const missing = ids.filter((id) => !found.some((upload) => upload.id === id));
    if (missing.length > 0) {
      const isUsed = uploads.some(({ id }) => id === missing[0]);
      const words =
        usedMediaStatus === 422
          ? `Media ${missing.join(', ')} not found or already attached to another post`
          : `Bad Request: media ${isUsed ? 'already attached to status' : 'not found'}: ${missing[0]}`;
      throw new Refusal(usedMediaStatus, words);
    }
    if (found.length > 1 && found.some(({ kind }) => kind === 'video')) {
      throw new Refusal(422, 'Cannot attach a video to a post that already contains images');
    }
    if (found.some(({ pollsLeft }) => pollsLeft > 0)) {
      const words = 'Cannot attach files that have not finished processing. Try again in a moment!';
      throw new Refusal(422, words);
    }
    return found;
  }

  function validate(text: string, options: Status['options'], media: Upload[]): void {
    const { spoiler_text = '', poll } = options;
    const faults: string[] = [];
    if (text.trim() === '' && media.length === 0) faults.push("Text can't be blank");
    if (spoiler_text.length + countedLength(text.trim(), charactersPerUrl) > maxCharacters) {
      faults.push(`Text character limit of ${maxCharacters} exceeded`);
    }
    if (poll) faults.push(...pollFaults(poll, polls));
    if (faults.length > 0) throw new Refusal(422, `Validation failed: ${faults.join(', ')}`);
  }

  function add(given: Partial<Status>): Status {
    const createdAt = given.createdAt ?? now();
    const status: Status = {
      id: nextId(createdAt),
      text: '',
      editedAt: null,
      replyTo: null,
      mediaIds: [],
      options: {},
      ...given,
      createdAt,
    };
    statuses.push(status);
    return status;
  }

  function present({ id, text, createdAt, editedAt, replyTo, mediaIds, options }: Status) {
    const { poll, spoiler_text = '', visibility = 'public', language = 'en' } = options;
    return {
      id,
      created_at: new Date(createdAt).toISOString(),
      edited_at: editedAt && new Date(editedAt).toISOString(),
      in_reply_to_id: replyTo,
      in_reply_to_account_id: replyTo && accountId,
      sensitive: options.sensitive ?? spoiler_text !== '',
      spoiler_text,
      visibility,
      language,
      uri: `https://${domain}/users/ada/statuses/${id}`,
      url: `https://${domain}/@ada/${id}`,
      // The text as the server shows it. Mentions have lost their domains.
      content: `<p>${text.replaceAll('<', '&lt;').replaceAll(/(@\w+)@\S+/g, '$1')}</p>`,
      reblog: null,
      account: { id: accountId, username: 'ada', acct: 'ada' },
      media_attachments: uploads.filter((upload) => mediaIds.includes(upload.id)).map(presentMedia),
      mentions: [],
      tags: [],
      poll: poll ? { id, options: poll.options.map((title) => ({ title, votes_count: 0 })) } : null,
    };
  }

  return {
    token,
    accountId,
    calls,
    async answer(request) {
      const { pathname } = new URL(request.url);
      calls.push(pathname);
      const id = /\/(\d+)(\/|$)/.exec(pathname)?.[1] ?? '';
      const route = routes[`${request.method} ${id ? pathname.replace(id, ':id') : pathname}`];
      try {
        if (!route) throw new Refusal(404, 'Not Found');
        if (pathname === '/api/v1/statuses') expectJson(request);
        const body = await route(request, id);
        if (body instanceof Response) return body;
        return toResponse(statusOf(request, body), body, now());
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return toResponse(error.status, { error: error.message }, now());
      }
    },
    refuse,
    revokeToken() {
      isRevoked = true;
      oauth.grants.revokeAll();
    },
    listPosts: () =>
      statuses.map(({ id, text, replyTo, mediaIds, options }) => ({
        id,
        text,
        replyTo,
        ...(mediaIds.length > 0 && { media: mediaIds.map(hashOfUpload) }),
        options,
      })),
    addStatus: add,
    editStatus(id, text) {
      const status = statuses.find((status) => status.id === id)!;
      Object.assign(status, { text, editedAt: now() });
    },
    forgetKeys: () => byKey.clear(),
    listApps: oauth.listApps,
    forgetApps: oauth.forgetApps,
    countLogins: oauth.grants.countLive,
    listSecrets: () => [token, ...oauth.listSecrets()],
    uploads,
    deleteUnused() {
      const kept = uploads.filter(({ statusId }) => statusId !== null);
      uploads.splice(0, uploads.length, ...kept);
    },
  };
}

const unreadable = 'Error processing thumbnail for uploaded media';

/** While media are processed, the status is 202 for the upload, and 206 for a poll. */
function statusOf({ method }: Request, body: unknown): number {
  const isProcessing = z.object({ preview_url: z.string(), url: z.null() }).safeParse(body).success;
  if (!isProcessing) return 200;
  return method === 'POST' ? 202 : 206;
}

const signatures: Record<string, [offset: number, text: string]> = {
  'image/jpeg': [0, '\xff\xd8\xff'],
  'image/png': [1, 'PNG'],
  'image/webp': [8, 'WEBP'],
  'image/gif': [0, 'GIF8'],
  'image/avif': [4, 'ftypavif'],
  'video/mp4': [4, 'ftyp'],
  'video/quicktime': [4, 'ftyp'],
  'video/webm': [0, '\x1a\x45\xdf\xa3'],
};

function startsAs(type: string, bytes: Buffer): boolean {
  const [offset, text] = signatures[type] ?? [0, ''];
  return bytes.toString('latin1', offset, offset + text.length) === text;
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const has = (granted: string[]) => (scope: string) => granted.includes(scope);

/**
 * Takes each word that begins like a URL or a mention as a URL or a mention. That is enough for the tests.
 */
function countedLength(text: string, charactersPerUrl: number): number {
  const counted = text
    .replaceAll(/https?:\/\/\S+/g, 'x'.repeat(charactersPerUrl))
    .replaceAll(/(^|\s)(@\w+)@\S+/g, '$1$2');
  return [...new Intl.Segmenter('en').segment(counted)].length;
}

function pollFaults(
  { options, expires_in }: NonNullable<Status['options']['poll']>,
  limits: typeof newPollLimits,
): string[] {
  const { max_options: most, max_characters_per_option: longest } = limits;
  const isLong = (option: string) => [...new Intl.Segmenter('en').segment(option)].length > longest;
  const faults: [boolean, string][] = [
    [options.length < 2, 'options must have more than one item'],
    [options.length > most, `options can't contain more than ${most} items`],
    [options.some(isLong), `options cannot be longer than ${longest} characters each`],
    [new Set(options).size < options.length, 'options contain duplicate items'],
    [expires_in > limits.max_expiration, 'expires at is too far into the future'],
    [expires_in < limits.min_expiration, 'expires at is too soon'],
  ];
  return faults.filter(([isFault]) => isFault).map(([, words]) => `Poll ${words}`);
}

function expectJson(request: Request): void {
  const type = request.headers.get('content-type')?.split(';')[0];
  if (type !== 'application/json') throw new Refusal(400, 'The test server takes JSON only');
}

function check<T>(schema: z.ZodType<T>, given: unknown): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new Refusal(422, `Validation failed: ${z.prettifyError(parsed.error)}`);
}

function toResponse(status: number, body: unknown, nowMs: number, headers = {}): Response {
  const date = new Date(nowMs).toUTCString();
  return Response.json(body, { status, headers: { date, ...headers } });
}

/** @see https://docs.joinmastodon.org/api/rate-limits/ */
export const limitHeaders = (remaining: number, resetsInMs: number) => ({
  'x-ratelimit-limit': '300',
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': new Date(Date.now() + resetsInMs).toISOString(),
});

function refuse(kind: RefusalKind): Response {
  const answer = (status: number, error: string, headers = {}) =>
    toResponse(status, { error }, Date.now(), headers);
  switch (kind) {
    case 'limited':
      return answer(429, 'Too many requests');
    case 'limited_with_retry_after':
      return answer(429, 'Too many requests', limitHeaders(0, 1_000));
    case 'unavailable':
      return answer(503, 'There was a temporary problem serving your request, please try again');
    case 'error':
      return toResponse(500, { status: 500, error: 'Internal Server Error' }, Date.now());
    case 'rejected':
      return answer(403, 'This action is not allowed');
  }
}
