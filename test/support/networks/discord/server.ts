// A strict Discord: one bot, one webhook, one server with a few channels. From https://docs.discord.com/developers
// (resources/message, resources/webhook, resources/channel, topics/rate-limits, topics/opcodes-and-status-codes),
// read on 2026-11-22. Stricter than Discord: it refuses a field that it doesn't know.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ExecuteWebhook, NewMessage } from './bodies.ts';

export interface DiscordChannel {
  id: string;
  type: number;
  name?: string;
  guild_id?: string;
  /** What the bot may do in the channel. */
  canView: boolean;
  canSend: boolean;
  canReadHistory: boolean;
}

export interface DiscordMessage {
  id: string;
  channel_id: string;
  content: string;
  author: { id: string; username: string };
  webhook_id?: string;
  nonce?: string | number;
  message_reference?: { message_id: string; channel_id: string };
  attachments?: DiscordAttachment[];
}

export interface DiscordAttachment {
  id: string;
  filename: string;
  size: number;
  content_type: string;
  description?: string;
}

/** A file of a request, with the part that its message shows. */
interface ReceivedFile {
  attachment: DiscordAttachment;
  bytes: Buffer;
}

const maxFileBytes = 10 * 1_048_576;
const maxRequestBytes = 25 * 1_048_576;

export type DiscordRefusal =
  'limited' | 'limited_with_retry_after' | 'unavailable' | 'error' | 'rejected';

export type DiscordServer = ReturnType<typeof createDiscordServer>;

/** "The past few minutes": https://docs.discord.com/developers/resources/message#create-message */
const nonceLivesMs = 120_000;
const epochMs = 1_420_070_400_000;
const guildId = '190000000000000001';

class Refusal extends Error {
  readonly response: Response;

  constructor(status: number, code: number, message: string, more: object = {}) {
    super(message);
    this.response = Response.json({ message, code, ...more }, { status });
  }
}

const unauthorized = () => new Refusal(401, 0, '401: Unauthorized');

export function createDiscordServer() {
  const bot = { id: '200000000000000001', username: 'fanfare' };
  const botToken = 'token.of-the-bot.for-tests-0123456789';
  const webhook = {
    id: '223704706495545344',
    type: 1,
    name: 'Announcements',
    channel_id: '300000000000000001',
    guild_id: guildId,
    application_id: null,
    avatar: null,
    token: 'token-of-the-webhook-for-tests-0123456789',
  };
  const channels = new Map<string, DiscordChannel>();
  const messages: DiscordMessage[] = [];
  /** Further fields of the request that made a message. */
  const sentWith = new Map<string, Record<string, unknown>>();
  const filesOf = new Map<string, ReceivedFile[]>();
  const deleted = new Set<string>();
  const byNonce = new Map<string, { message: DiscordMessage; atMs: number }>();
  let isRevoked = false;
  let lastId = 0n;

  const addChannel = (id: string, type: number, more: Partial<DiscordChannel> = {}) => {
    const can = { canView: true, canSend: true, canReadHistory: true };
    channels.set(id, { id, type, name: 'news', guild_id: guildId, ...can, ...more });
    return id;
  };
  addChannel(webhook.channel_id, 0);

  const server = {
    bot,
    botToken,
    webhook,
    /** ID of the server that has the bot and the webhook. */
    guildId,
    channelId: webhook.channel_id,
    channels,
    messages,
    addChannel,
    /** Whether listings show the nonce. Discord documents the field, and hasn't shown it for old messages. */
    showsNonce: false,
    /** If set, the limit allows only one more message. */
    resetAfterS: undefined as number | undefined,
    /** How much time has passed since the messages were sent. */
    skippedMs: 0,

    async answer(request: Request): Promise<Response> {
      try {
        return await route(request);
      } catch (error) {
        if (error instanceof Refusal) return error.response;
        throw error;
      }
    },

    refuse: refuseWith,
    /** Resets the bot's token, and deletes the webhook. */
    revokeToken: () => void (isRevoked = true),
    deleteMessage: (id: string) => void deleted.add(id),

    /** Adds another author's message. */
    addMessage(message: Partial<DiscordMessage>): DiscordMessage {
      return keep({
        author: { id: '1', username: 'ada' },
        content: '',
        channel_id: webhook.channel_id,
        ...message,
      });
    },
    webhookUrl: (host = 'discord.com/api') =>
      `https://${host}/webhooks/${webhook.id}/${webhook.token}`,
    listPosts: () =>
      messages
        .filter(({ id }) => !deleted.has(id))
        .map(({ id, content, message_reference }) => ({
          id,
          text: content,
          replyTo: message_reference?.message_id ?? null,
          options: sentWith.get(id) ?? {},
          ...(filesOf.has(id) && {
            media: filesOf
              .get(id)!
              .map(({ bytes }) => createHash('sha256').update(bytes).digest('hex')),
          }),
        })),
    listSecrets: () => [botToken, webhook.token],
  };
  return server;

  async function route(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    // "Client requests that do not have a valid User Agent specified may be blocked."
    if (!/^DiscordBot \(\S+, \S+\)/.test(request.headers.get('user-agent') ?? '')) {
      return new Response('error code: 1010', { status: 403 });
    }
    const path = pathname.replace(/^\/api\/v10/, '');
    if (path === pathname) throw new Refusal(400, 50041, 'Invalid API version provided');
    const [, resource, id = '', part] = path.split('/');
    if (resource === 'webhooks') return routeWebhook(request, id, part ?? '', searchParams);
    if (isRevoked || request.headers.get('authorization') !== `Bot ${botToken}`)
      throw unauthorized();
    const { method } = request;
    if (method === 'GET' && path === '/users/@me')
      return Response.json({ ...bot, bot: true, discriminator: '0000' });
    if (resource === 'channels' && part === undefined && method === 'GET')
      return Response.json(showChannel(find(id)));
    const messageId = path.split('/')[4];
    if (resource === 'channels' && part === 'messages' && messageId !== undefined) {
      const channel = find(id);
      if (!channel.canReadHistory && method === 'GET')
        throw new Refusal(403, 50_001, 'Missing Access');
      return changeMessage(request, messageId, (each) => each.channel_id === channel.id, bot.id);
    }
    if (resource === 'channels' && part === 'messages') {
      if (method === 'GET') return list(find(id), searchParams);
      if (method === 'POST') return createMessage(find(id), await readBody(request, NewMessage));
    }
    throw new Refusal(404, 0, '404: Not Found');
  }

  function find(id: string): DiscordChannel {
    if (!/^\d{15,20}$/.test(id))
      throw invalid({ channel_id: ['NUMBER_TYPE_COERCE', `Value "${id}" is not snowflake.`] });
    const channel = channels.get(id);
    if (!channel) throw new Refusal(404, 10_003, 'Unknown Channel');
    if (!channel.canView) throw new Refusal(403, 50_001, 'Missing Access');
    return channel;
  }

  function showChannel({ id, type, name, guild_id }: DiscordChannel) {
    const last = messages.findLast(({ channel_id }) => channel_id === id);
    return {
      id,
      type,
      name,
      guild_id,
      permission_overwrites: [],
      last_message_id: last?.id ?? null,
    };
  }

  async function routeWebhook(request: Request, id: string, token: string, query: URLSearchParams) {
    if (id !== webhook.id || isRevoked) throw new Refusal(404, 10_015, 'Unknown Webhook');
    if (token !== webhook.token) throw new Refusal(401, 50_027, 'Invalid Webhook Token');
    const [, messageId] = /\/messages\/(\d+)$/.exec(new URL(request.url).pathname) ?? [];
    if (messageId !== undefined) {
      const threadId = query.get('thread_id') ?? webhook.channel_id;
      const isThere = ({ channel_id }: DiscordMessage) => channel_id === threadId;
      return changeMessage(request, messageId, isThere, webhook.id);
    }
    if (request.method === 'GET') return Response.json(webhook);
    if (request.method !== 'POST') throw new Refusal(405, 0, '405: Method Not Allowed');
    const body = await readBody(request, ExecuteWebhook);
    for (const name of query.keys()) {
      if (!['wait', 'thread_id'].includes(name))
        throw invalid({ [name]: ['UNKNOWN_FIELD', 'Unknown parameter.'] });
    }
    const channel_id = chooseThread(query.get('thread_id'), body.thread_name);
    if (/discord|clyde/i.test(body.username ?? '')) {
      throw invalid({
        username: ['USERNAME_INVALID_CONTAINS', 'Username cannot contain "discord"'],
      });
    }
    const { content, files, ...sent } = body;
    const author = { id: webhook.id, username: body.username ?? webhook.name };
    const message = keep({ channel_id, content, author, webhook_id: webhook.id }, files);
    sentWith.set(message.id, { ...sent, channel_id });
    return query.get('wait') === 'true' ? show(message) : new Response(null, { status: 204 });
  }

  /** Gets, edits or deletes a message of this author. */
  async function changeMessage(
    request: Request,
    id: string,
    isThere: (message: DiscordMessage) => boolean,
    authorId: string,
  ): Promise<Response> {
    const message = messages.find((each) => each.id === id && isThere(each));
    if (!message || deleted.has(id)) throw new Refusal(404, 10_008, 'Unknown Message');
    if (request.method === 'GET') return show(message);
    if (message.author.id !== authorId) {
      throw new Refusal(403, 50_005, 'Cannot edit a message authored by another user');
    }
    if (request.method === 'DELETE') {
      deleted.add(id);
      return new Response(null, { status: 204 });
    }
    if (request.method !== 'PATCH') throw new Refusal(405, 0, '405: Method Not Allowed');
    const parsed = MessageEdit.safeParse(await request.json().catch(() => undefined));
    if (!parsed.success) throw toInvalid(parsed.error);
    message.content = parsed.data.content.trim();
    return show(message);
  }

  function chooseThread(threadId: string | null, threadName: string | undefined): string {
    const channel = channels.get(webhook.channel_id)!;
    const isForum = channel.type === 15 || channel.type === 16;
    if (threadId !== null && threadName !== undefined) {
      throw new Refusal(
        400,
        220_002,
        'Webhooks posted to forum channels cannot have both a thread_name and thread_id',
      );
    }
    if (threadId !== null) {
      if (!channels.has(threadId)) throw new Refusal(404, 10_003, 'Unknown Channel');
      return threadId;
    }
    if (threadName !== undefined) {
      if (!isForum)
        throw new Refusal(400, 220_003, 'Webhooks can only create threads in forum channels');
      return addChannel(nextId(), 11, { name: threadName });
    }
    if (isForum)
      throw new Refusal(
        400,
        220_001,
        'Webhooks posted to forum channels must have a thread_name or thread_id',
      );
    return channel.id;
  }

  function createMessage(
    channel: DiscordChannel,
    body: NewMessage & { content: string; files: ReceivedFile[] },
  ): Response {
    if (!channel.canSend) throw new Refusal(403, 50_013, 'Missing Permissions');
    if (![0, 1, 2, 5, 10, 11, 12, 13].includes(channel.type)) {
      throw new Refusal(400, 50_008, 'Cannot send messages in a non-text channel');
    }
    const { content, files, nonce, enforce_nonce, message_reference, ...sent } = body;
    const known =
      enforce_nonce === true && nonce !== undefined ? byNonce.get(String(nonce)) : undefined;
    if (known && Date.now() + server.skippedMs - known.atMs < nonceLivesMs) {
      // https://github.com/discord/discord-api-docs/pull/6647
      if (deleted.has(known.message.id)) throw new Refusal(404, 10_008, 'Unknown Message');
      return show(known.message);
    }
    const answered = message_reference && findAnswered(channel, message_reference);
    const message = keep(
      {
        channel_id: channel.id,
        content,
        author: bot,
        ...(nonce !== undefined && { nonce }),
        ...(answered && { message_reference: { message_id: answered.id, channel_id: channel.id } }),
      },
      files,
    );
    sentWith.set(message.id, sent);
    if (nonce !== undefined) byNonce.set(String(nonce), { message, atMs: Date.now() });
    return show(message);
  }

  function findAnswered(
    channel: DiscordChannel,
    { message_id, fail_if_not_exists }: NonNullable<NewMessage['message_reference']>,
  ): DiscordMessage | undefined {
    if (!channel.canReadHistory) {
      throw new Refusal(403, 160_002, 'Cannot reply without permission to read message history');
    }
    const found = messages.find(
      ({ id, channel_id }) => id === message_id && channel_id === channel.id && !deleted.has(id),
    );
    if (found || fail_if_not_exists === false) return found;
    throw invalid({ message_reference: ['MESSAGE_REFERENCE_UNKNOWN_MESSAGE', 'Unknown message'] });
  }

  function list(channel: DiscordChannel, query: URLSearchParams): Response {
    const { after, limit } = checkQuery(query);
    const there = messages.filter(
      ({ id, channel_id }) => channel_id === channel.id && !deleted.has(id),
    );
    const page =
      after === undefined
        ? there.slice(-limit)
        : there.filter(({ id }) => BigInt(id) > BigInt(after)).slice(0, limit);
    // "If the current user is missing the READ_MESSAGE_HISTORY permission, then no messages will be returned."
    const shown = channel.canReadHistory ? page.toReversed() : [];
    return Response.json(shown.map((message) => present(message, server.showsNonce)));
  }

  function keep(
    message: Omit<DiscordMessage, 'id'> & { id?: string },
    files: ReceivedFile[] = [],
  ): DiscordMessage {
    const attachments = files.map(({ attachment }) => attachment);
    // Discord trims texts.
    const kept = { id: nextId(), attachments, ...message, content: message.content.trim() };
    messages.push(kept);
    if (files.length > 0) filesOf.set(kept.id, files);
    return kept;
  }

  function nextId(): string {
    const id = BigInt(Date.now() - epochMs) << 22n;
    lastId = id > lastId ? id : lastId + 1n;
    return String(lastId);
  }

  function show(message: DiscordMessage): Response {
    const isLast = server.resetAfterS !== undefined;
    return Response.json(present(message, true), {
      headers: {
        'x-ratelimit-limit': '5',
        'x-ratelimit-remaining': isLast ? '0' : '4',
        'x-ratelimit-reset-after': String(server.resetAfterS ?? 1),
        'x-ratelimit-bucket': 'abcd1234',
      },
    });
  }
}

function present({ nonce, ...message }: DiscordMessage, withNonce: boolean) {
  const timestamp = new Date(Number((BigInt(message.id) >> 22n) + BigInt(epochMs))).toISOString();
  return {
    ...message,
    type: message.message_reference ? 19 : 0,
    timestamp,
    tts: false,
    ...(withNonce && nonce !== undefined && { nonce }),
  };
}

/** https://docs.discord.com/developers/resources/message#edit-message */
const MessageEdit = z.strictObject({
  content: z.string().max(2_000),
  allowed_mentions: z.strictObject({ parse: z.array(z.string()) }).optional(),
});

const ListQuery = z.strictObject({
  after: z.string().regex(/^\d+$/).optional(),
  before: z.string().regex(/^\d+$/).optional(),
  around: z.string().regex(/^\d+$/).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

function checkQuery(query: URLSearchParams) {
  const parsed = ListQuery.safeParse(Object.fromEntries(query));
  if (!parsed.success) throw toInvalid(parsed.error);
  return parsed.data;
}

interface Content {
  content?: string | undefined;
  embeds?: unknown[] | undefined;
  attachments?: NewMessage['attachments'];
}

async function readBody<T extends Content>(
  request: Request,
  schema: z.ZodType<T>,
): Promise<T & { content: string; files: ReceivedFile[] }> {
  const { json, uploads } = await readParts(request);
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw toInvalid(parsed.error);
  const { content = '', embeds = [], attachments = [] } = parsed.data;
  const files = await takeFiles(uploads, attachments);
  if (content.trim() === '' && embeds.length === 0 && files.length === 0)
    throw new Refusal(400, 50_006, 'Cannot send an empty message');
  return { ...parsed.data, content, files };
}

/** @see https://docs.discord.com/developers/reference#uploading-files */
async function readParts(request: Request): Promise<{ json: unknown; uploads: Map<string, File> }> {
  const type = request.headers.get('content-type') ?? '';
  const uploads = new Map<string, File>();
  if (!type.startsWith('multipart/form-data; ')) {
    // "Failing to do so will result in a 50035 'Invalid form body' error."
    if (type !== 'application/json') throw new Refusal(400, 50_035, 'Invalid Form Body');
    return { json: await request.json().catch(() => undefined), uploads };
  }
  const body = await request.arrayBuffer();
  if (body.byteLength > maxRequestBytes) throw tooLarge();
  const form = await new Response(body, { headers: { 'content-type': type } }).formData();
  let json: unknown;
  for (const [name, value] of form) {
    const isFile = typeof value !== 'string';
    if (isFile && /^files\[\d+\]$/.test(name) && !uploads.has(name)) uploads.set(name, value);
    else if (!isFile && name === 'payload_json' && json === undefined) json = JSON.parse(value);
    else throw new Refusal(400, 50_035, 'Invalid Form Body');
  }
  if (uploads.size > 10) {
    throw new Refusal(400, 30_015, 'Maximum number of attachments in a message reached (10)');
  }
  return { json, uploads };
}

const tooLarge = () => new Refusal(413, 40_005, 'Request entity too large');

/** Each file and its metadata belong together. */
async function takeFiles(
  uploads: Map<string, File>,
  attachments: NonNullable<NewMessage['attachments']>,
): Promise<ReceivedFile[]> {
  if (attachments.length !== uploads.size)
    throw new Refusal(400, 50_146, 'Uploaded file not found.');
  return Promise.all(
    attachments.map(async ({ id, filename, description }) => {
      const file = uploads.get(`files[${id}]`);
      if (!file) throw new Refusal(400, 50_146, 'Uploaded file not found.');
      if (file.size > maxFileBytes) throw tooLarge();
      const attachment = {
        id,
        filename: filename ?? file.name,
        size: file.size,
        content_type: file.type,
        ...(description !== undefined && { description }),
      };
      return { attachment, bytes: Buffer.from(await file.arrayBuffer()) };
    }),
  );
}

/** `errors` as in https://docs.discord.com/developers/reference#error-messages */
function toInvalid(error: z.ZodError): Refusal {
  const errors: Record<string, unknown> = {};
  for (const issue of error.issues) {
    const keys = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path;
    let at = errors;
    for (const key of keys) at = (at[String(key)] ??= {}) as Record<string, unknown>;
    at['_errors'] = [{ code: 'BASE_TYPE_BAD', message: issue.message }];
  }
  return new Refusal(400, 50_035, 'Invalid Form Body', { errors });
}

function invalid(faults: Record<string, [code: string, message: string]>): Refusal {
  const errors = Object.fromEntries(
    Object.entries(faults).map(([name, [code, message]]) => [
      name,
      { _errors: [{ code, message }] },
    ]),
  );
  return new Refusal(400, 50_035, 'Invalid Form Body', { errors });
}

/** The error, in Discord's own words. */
function refuseWith(kind: DiscordRefusal): Response {
  switch (kind) {
    case 'limited':
      return new Refusal(429, 40_062, 'Service resource is being rate limited').response;
    case 'limited_with_retry_after':
      return limitedFor(1);
    case 'unavailable':
      return new Refusal(
        503,
        130_000,
        'API resource is currently overloaded. Try again a little later',
      ).response;
    case 'error':
      return new Refusal(500, 0, '500: Internal Server Error').response;
    case 'rejected':
      return new Refusal(400, 200_000, 'Message was blocked by automatic moderation').response;
  }
}

export function limitedFor(retryAfterS: number, isGlobal = false, code?: number): Response {
  return Response.json(
    {
      message: 'You are being rate limited.',
      retry_after: retryAfterS,
      global: isGlobal,
      ...(code && { code }),
    },
    {
      status: 429,
      headers: {
        'retry-after': String(Math.ceil(retryAfterS)),
        'x-ratelimit-scope': isGlobal ? 'global' : 'user',
        ...(isGlobal
          ? { 'x-ratelimit-global': 'true' }
          : { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': String(retryAfterS) }),
      },
    },
  );
}
