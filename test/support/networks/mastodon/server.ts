// A Mastodon server with one account, strict about what it is sent.
// Endpoints, fields, headers and answers: https://docs.joinmastodon.org/methods/ (statuses, accounts, apps,
// instance) and /entities/, as of version 4.6, read on 2026-11-22. Refusals and their words: app/controllers/api,
// app/validators and config/locales/en.yml of https://github.com/mastodon/mastodon, read on the same day.
// Unlike a server it refuses fields and parameters that it doesn't know.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';

export interface MastodonServer extends NetworkServer {
  readonly token: string;
  readonly accountId: string;
  /** The paths that were asked for, without their queries, in order. */
  readonly calls: string[];
  readonly listPosts: () => PublicPost[];
  /** A post of the account that was made elsewhere. */
  addStatus(status: Partial<Status>): Status;
  /** As its user does later. */
  editStatus(id: string, text: string): void;
  /** As an hour after the posts. */
  forgetKeys(): void;
}

export interface MastodonTraits {
  domain?: string;
  maxCharacters?: number;
  charactersPerUrl?: number;
  /** Of the application, and so of its token. Null: a server before 4.3, which doesn't return them. */
  scopes?: string[] | null;
  /** How far its clock is ahead of ours. */
  clockAheadMs?: number;
}

interface Status {
  id: string;
  text: string;
  createdAt: number;
  editedAt: number | null;
  replyTo: string | null;
  options: z.infer<typeof StatusOptions>;
}

/** @see https://docs.joinmastodon.org/entities/Error/ */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
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
});
const ListQuery = z.strictObject({
  exclude_reblogs: z.literal('true'),
  limit: z.string().regex(/^([1-9]|[1-3]\d|40)$/),
  max_id: z.string().optional(),
});

const allScopes = ['read:accounts', 'read:statuses', 'write:statuses'];
const accountId = '109343827';
const maxOptions = 4;
const maxCharactersPerOption = 50;
const minExpirationS = 300;
const maxExpirationS = 2_629_746;

export function createMastodonServer({
  domain = 'mastodon.test',
  maxCharacters = 500,
  charactersPerUrl = 23,
  scopes = allScopes,
  clockAheadMs = 0,
}: MastodonTraits = {}): MastodonServer {
  const token = randomBytes(32).toString('base64url');
  const statuses: Status[] = [];
  const byKey = new Map<string, Status>();
  const calls: string[] = [];
  let isRevoked = false;
  let lastId = 0n;

  const now = () => Date.now() + clockAheadMs;

  /** Ids hold the time, above 16 bits of their own. */
  function nextId(createdAt: number): string {
    const id = BigInt(createdAt) << 16n;
    lastId = id > lastId ? id : lastId + 1n;
    return String(lastId);
  }

  /** As Doorkeeper words it. `any`: of these one is enough. */
  function authorize(request: Request, ...any: string[]): void {
    const given = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    if (given !== token) throw new Refusal(401, 'The access token is invalid');
    if (isRevoked) throw new Refusal(401, 'The access token was revoked');
    const granted = scopes ?? allScopes;
    const isGranted = any.flatMap((scope) => [scope, scope.split(':')[0]!]).some(has(granted));
    if (any.length > 0 && !isGranted) {
      throw new Refusal(403, 'This action is outside the authorized scopes');
    }
  }

  const routes: Record<string, (request: Request, id: string) => unknown> = {
    'GET /api/v2/instance': () => ({
      domain,
      title: 'Mastodon',
      version: '4.6.3',
      source_url: 'https://github.com/mastodon/mastodon',
      configuration: {
        statuses: {
          max_characters: maxCharacters,
          max_media_attachments: 4,
          characters_reserved_per_url: charactersPerUrl,
        },
        polls: {
          max_options: maxOptions,
          max_characters_per_option: maxCharactersPerOption,
          min_expiration: minExpirationS,
          max_expiration: maxExpirationS,
        },
      },
      api_versions: { mastodon: 8 },
    }),

    'GET /api/v1/apps/verify_credentials'(request) {
      authorize(request);
      return { id: '563419', name: 'Fanfare', website: null, ...(scopes && { scopes }) };
    },

    'GET /api/v1/accounts/verify_credentials'(request) {
      authorize(request, 'profile', 'read:accounts');
      return { id: accountId, username: 'ada', acct: 'ada', display_name: 'Ada', locked: false };
    },

    async 'POST /api/v1/statuses'(request) {
      authorize(request, 'write:statuses');
      const key = request.headers.get('idempotency-key');
      if (!key) throw new Refusal(400, 'The test server takes no post without Idempotency-Key');
      const given = check(NewStatus, await request.json().catch(() => undefined));
      const { status: text, in_reply_to_id: replyTo = null, ...options } = given;
      if (replyTo !== null && !statuses.some(({ id }) => id === replyTo)) {
        throw new Refusal(404, 'The post you are trying to reply to does not appear to exist.');
      }
      const known = byKey.get(key);
      if (known) return present(known);
      validate(text, options);
      const status = add({ text: text.trim(), replyTo, options });
      byKey.set(key, status);
      return present(status);
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
  };

  function getStatus(id: string): Status {
    const status = statuses.find((status) => status.id === id);
    if (!status) throw new Refusal(404, 'Record not found');
    return status;
  }

  function validate(text: string, { spoiler_text = '', poll }: Status['options']): void {
    const faults: string[] = [];
    if (text.trim() === '') faults.push("Text can't be blank");
    if (spoiler_text.length + countedLength(text.trim(), charactersPerUrl) > maxCharacters) {
      faults.push(`Text character limit of ${maxCharacters} exceeded`);
    }
    if (poll) faults.push(...pollFaults(poll));
    if (faults.length > 0) throw new Refusal(422, `Validation failed: ${faults.join(', ')}`);
  }

  function add(given: Partial<Status>): Status {
    const createdAt = given.createdAt ?? now();
    const status: Status = {
      id: nextId(createdAt),
      text: '',
      editedAt: null,
      replyTo: null,
      options: {},
      ...given,
      createdAt,
    };
    statuses.push(status);
    return status;
  }

  function present({ id, text, createdAt, editedAt, replyTo, options }: Status) {
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
      // Shown, so without the domains of mentions, and with links that are cut.
      content: `<p>${text.replaceAll('<', '&lt;').replaceAll(/(@\w+)@\S+/g, '$1')}</p>`,
      reblog: null,
      account: { id: accountId, username: 'ada', acct: 'ada' },
      media_attachments: [],
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
        if (request.method === 'POST') expectJson(request);
        return toResponse(200, await route(request, id), now());
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return toResponse(error.status, { error: error.message }, now());
      }
    },
    refuse,
    revokeToken() {
      isRevoked = true;
    },
    listPosts: () =>
      statuses.map(({ id, text, replyTo, options }) => ({ id, text, replyTo, options })),
    addStatus: add,
    editStatus(id, text) {
      const status = statuses.find((status) => status.id === id)!;
      Object.assign(status, { text, editedAt: now() });
    },
    forgetKeys: () => byKey.clear(),
  };
}

const has = (granted: string[]) => (scope: string) => granted.includes(scope);

/** Words that begin as a URL or a mention, each as a whole: enough for the texts of the tests. */
function countedLength(text: string, charactersPerUrl: number): number {
  const counted = text
    .replaceAll(/https?:\/\/\S+/g, 'x'.repeat(charactersPerUrl))
    .replaceAll(/(^|\s)(@\w+)@\S+/g, '$1$2');
  return [...new Intl.Segmenter('en').segment(counted)].length;
}

function pollFaults({ options, expires_in }: NonNullable<Status['options']['poll']>): string[] {
  const isLong = (option: string) => Array.from(option).length > maxCharactersPerOption;
  const faults: [boolean, string][] = [
    [options.length < 2, 'options must have more than one item'],
    [options.length > maxOptions, `options can't contain more than ${maxOptions} items`],
    [
      options.some(isLong),
      `options cannot be longer than ${maxCharactersPerOption} characters each`,
    ],
    [new Set(options).size < options.length, 'options contain duplicate items'],
    [expires_in > maxExpirationS, 'expires at is too far into the future'],
    [expires_in < minExpirationS, 'expires at is too soon'],
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
