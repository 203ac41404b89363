// A Bot API server of Telegram with one bot and a few chats, strict about what it is sent.
// Methods and fields: https://core.telegram.org/bots/api, read on 2026-11-22. Refusals, their words and
// their order: https://github.com/tdlib/telegram-bot-api (version 10.0) and https://github.com/tdlib/td,
// read on the same day. Unlike the server it refuses parameters that it doesn't know.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import sharp from 'sharp';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';
import { checkMarkup } from './markup.ts';

export type ChatType = 'group' | 'supergroup' | 'channel' | 'private';

export interface Chat {
  id: number;
  type: ChatType;
  title: string;
  username?: string;
  /** Rights of members who are not administrators. */
  permissions?: { can_send_messages: boolean };
  /** The bot's membership in the chat; null: the bot was never a member. */
  bot: (Record<string, unknown> & { status: string }) | null;
  /** Topics of a forum, without the general topic. */
  topics?: number[];
  migratedTo?: number;
}

export interface TelegramServer extends NetworkServer {
  readonly token: string;
  readonly chats: Chat[];
  /** The methods of all calls, in order. */
  readonly calls: string[];
  /** Lists the media of each post in the channel, in order. */
  listMedia(): TelegramMedia[][];
  listPosts(chatId?: number): PublicPost[];
}

/** A photo, a video or an animation of a message. */
export interface TelegramMedia {
  type: string;
  filename: string;
  contentType: string;
  bytes: Buffer;
  /** Bytes of the cover. */
  cover?: Buffer;
}

interface Message {
  id: number;
  /** The first message of an album has all media of the album. */
  media: TelegramMedia[];
  /** A later message of an album. */
  isPart?: boolean;
  chatId: number;
  text: string;
  replyTo: number | null;
  options: Record<string, unknown>;
}

/** The server answers this with `{ok: false}`, and with the code as the status. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: number;
  readonly parameters: Record<string, number> | undefined;

  constructor(code: number, description: string, parameters?: Record<string, number>) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }

  toResponse(): Response {
    const { code, message: description, parameters } = this;
    const headers: Record<string, string> = {};
    if (parameters?.['retry_after']) headers['retry-after'] = String(parameters['retry_after']);
    const body = { ok: false, error_code: code, description, ...(parameters && { parameters }) };
    return Response.json(body, { status: code, headers });
  }
}

const botId = 110201543;
const botToken = `${botId}:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw`;
const maxCharacters = 4_096;
const maxCaption = 1_024;
const maxBytes = 1 << 15;
const maxPhotoBytes = 10_000_000;
const maxFileBytes = 50_000_000;

export const channel: Chat = {
  id: -1001234567890,
  type: 'channel',
  title: 'Fanfare news',
  username: 'fanfare_news',
  bot: { status: 'administrator', can_post_messages: true },
};

export const supergroup: Chat = {
  id: -1009876543210,
  type: 'supergroup',
  title: 'Fanfare team',
  permissions: { can_send_messages: true },
  bot: { status: 'member' },
};

export const group: Chat = { ...supergroup, id: -4012345678, type: 'group', title: 'Friends' };

const ChatId = z.union([z.int(), z.string().regex(/^@\w+$/)]);
const SendMessage = z.strictObject({
  chat_id: ChatId,
  text: z.string().optional(),
  parse_mode: z.string().optional(),
  message_thread_id: z.int().optional(),
  disable_notification: z.boolean().optional(),
  protect_content: z.boolean().optional(),
  link_preview_options: z.strictObject({ is_disabled: z.boolean().optional() }).optional(),
  reply_parameters: z
    .strictObject({ message_id: z.int(), allow_sending_without_reply: z.boolean().optional() })
    .optional(),
});

const SendOptions = SendMessage.omit({ text: true, link_preview_options: true }).extend({
  caption: z.string().min(1).optional(),
});
const file = z.string().regex(/^attach:\/\/\w+$/);
const VideoDetails = {
  width: z.int().min(1).max(10_000).optional(),
  height: z.int().min(1).max(10_000).optional(),
  duration: z.int().min(0).optional(),
  supports_streaming: z.boolean().optional(),
  cover: file.optional(),
};
const SendPhoto = SendOptions.extend({ photo: file });
const SendAnimation = SendOptions.extend({ animation: file });
const SendVideo = SendOptions.extend({ video: file, ...VideoDetails });
const ItemWords = { caption: z.string().min(1).optional(), parse_mode: z.string().optional() };
const AlbumItem = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('photo'), media: file, ...ItemWords }),
  z.strictObject({ type: z.literal('video'), media: file, ...ItemWords, ...VideoDetails }),
]);
type AlbumItem = z.infer<typeof AlbumItem>;
const SendMediaGroup = SendOptions.omit({ caption: true, parse_mode: true }).extend({
  media: z.array(AlbumItem).min(2).max(10),
});
const EditOptions = {
  parse_mode: z.string().optional(),
  link_preview_options: z.strictObject({ is_disabled: z.boolean() }).optional(),
};
/** Other fields of a form are JSON. */
const texts = new Set(['caption', 'parse_mode', 'photo', 'animation', 'video', 'cover']);

export function createTelegramServer(chats: Chat[] = [channel]): TelegramServer {
  const messages: Message[] = [];
  const calls: string[] = [];
  let isRevoked = false;

  function findChat(given: z.infer<typeof ChatId>): Chat {
    const name = typeof given === 'string' ? given.slice(1).toLowerCase() : undefined;
    const found = chats.find((chat) =>
      name === undefined ? chat.id === given : chat.username?.toLowerCase() === name,
    );
    if (!found?.bot && !found?.username) throw new Refusal(400, 'Bad Request: chat not found');
    return found;
  }

  /** Works as `check_chat_access` does. A group that became a supergroup can still be read. */
  function checkAccess(chat: Chat, rights: 'read' | 'read_members' | 'write'): void {
    const status = chat.bot?.status ?? 'left';
    const kind = `${chat.type} chat`;
    if (chat.type === 'group') {
      if (rights === 'read') return;
      if (chat.migratedTo !== undefined) {
        const parameters = { migrate_to_chat_id: chat.migratedTo };
        const description = 'Bad Request: group chat was upgraded to a supergroup chat';
        throw new Refusal(400, description, parameters);
      }
    } else if (status === 'left' && chat.username !== undefined && rights !== 'write') return;
    if (status === 'kicked') throw new Refusal(403, `Forbidden: bot was kicked from the ${kind}`);
    if (status === 'left') throw new Refusal(403, `Forbidden: bot is not a member of the ${kind}`);
  }

  function checkRights({ type, bot, permissions }: Chat): void {
    if (type === 'channel' && bot?.['can_post_messages'] !== true) {
      throw new Refusal(400, 'Bad Request: need administrator rights in the channel chat');
    }
    const maySend =
      bot?.status === 'restricted'
        ? bot['can_send_messages'] === true
        : bot?.status === 'administrator' || permissions?.can_send_messages !== false;
    if (maySend) return;
    throw new Refusal(400, 'Bad Request: not enough rights to send text messages to the chat');
  }

  async function receive(given: AlbumItem, files: Map<string, File>): Promise<TelegramMedia> {
    const take = (reference: string): File => {
      const name = reference.replace('attach://', '');
      const found = files.get(name);
      if (!found) throw new Refusal(400, `Bad Request: there is no file ${name} in the request`);
      files.delete(name);
      if (found.size > maxFileBytes) throw new Refusal(413, 'Request Entity Too Large');
      return found;
    };
    const received = take(given.media);
    const bytes = Buffer.from(await received.arrayBuffer());
    if (given.type === 'photo') await checkPhoto(bytes);
    const media = {
      type: given.type,
      filename: received.name,
      contentType: received.type,
      bytes,
    };
    if (given.type !== 'video') return media;
    if (received.type !== 'video/mp4') throw new Refusal(400, 'Bad Request: this is a document');
    if (given.cover === undefined) return media;
    const cover = Buffer.from(await take(given.cover).arrayBuffer());
    await checkPhoto(cover);
    return { ...media, cover };
  }

  /** Sends media with one caption. The caption is checked like the text of a message. */
  async function sendMedia(
    given: Omit<z.infer<typeof SendOptions>, 'caption'>,
    items: (AlbumItem | { type: 'animation'; media: string; caption?: string | undefined })[],
    files: Map<string, File>,
  ): Promise<object[]> {
    const { chat_id, reply_parameters, ...options } = given;
    const { message_thread_id: topic } = options;
    for (const { caption = '', ...item } of items) {
      const parseMode = 'parse_mode' in item ? item.parse_mode : options.parse_mode;
      if (Array.from(readMarkup(caption, parseMode)).length > maxCaption) {
        throw new Refusal(400, 'Bad Request: message caption is too long');
      }
    }
    const chat = findChat(chat_id);
    checkAccess(chat, 'write');
    if (topic !== undefined && chat.topics && !chat.topics.includes(topic)) {
      throw new Refusal(400, 'Bad Request: message thread not found');
    }
    const replyTo = findAnswered(chat, reply_parameters);
    checkRights(chat);
    const received: TelegramMedia[] = [];
    for (const item of items) {
      received.push(
        item.type === 'animation'
          ? { ...(await receive({ ...item, type: 'photo' }, files)), type: 'animation' }
          : await receive(item, files),
      );
    }
    if (files.size > 0) throw new Refusal(400, 'Bad Request: a file is used nowhere');
    return items.map((item, at) => {
      const { type, media: _, caption = '', ...details } = item;
      const message: Message = {
        id: nextIdOf(chat),
        chatId: chat.id,
        text: caption,
        replyTo,
        options: { ...options, ...details },
        media: at === 0 ? received : [],
        isPart: at > 0,
      };
      messages.push(message);
      const date = Math.floor(Date.now() / 1_000);
      const shown = caption === '' ? {} : { caption };
      return { message_id: message.id, chat: toChat(chat), date, [type]: {}, ...shown };
    });
  }

  const sent = new Map<number, number>();
  /** IDs of deleted messages are not used again. */
  function nextIdOf({ id }: Chat): number {
    const count = sent.get(id) ?? 0;
    sent.set(id, count + 1);
    return count + 101;
  }

  function findOwn<Shape extends z.ZodRawShape>(given: unknown, shape: Shape) {
    const place = { chat_id: ChatId, message_id: z.int() };
    const parsed = check(z.strictObject({ ...place, ...shape }), given);
    const { chat_id, message_id } = parsed as unknown as { chat_id: number; message_id: number };
    const chat = findChat(chat_id);
    checkAccess(chat, 'write');
    const at = messages.findIndex(({ chatId, id }) => chatId === chat.id && id === message_id);
    const verb = Object.keys(shape).length > 0 ? 'edit' : 'delete';
    if (at < 0) throw new Refusal(400, `Bad Request: message to ${verb} not found`);
    return { at, chat, parsed };
  }

  function editMessage(
    given: unknown,
    shape: z.ZodRawShape,
    read: (words: Record<string, string>) => string | undefined,
  ): object {
    const { at, chat, parsed } = findOwn(given, shape);
    const message = messages[at]!;
    const words = parsed as unknown as Record<string, string>;
    const text = read(words) ?? '';
    readMarkup(text, words['parse_mode']);
    if (text === message.text) {
      const why = 'specified new message content and reply markup are exactly the same';
      throw new Refusal(400, `Bad Request: message is not modified: ${why}`);
    }
    message.text = text;
    const date = Math.floor(Date.now() / 1_000);
    return { message_id: message.id, chat: toChat(chat), date, edit_date: date };
  }

  const methods: Record<string, (given: unknown, files: Map<string, File>) => unknown> = {
    async sendPhoto(given, files) {
      const { photo, caption, ...options } = check(SendPhoto, given);
      const item = { type: 'photo' as const, media: photo, caption };
      return (await sendMedia(options, [item], files))[0];
    },

    async sendAnimation(given, files) {
      const { animation, caption, ...options } = check(SendAnimation, given);
      const item = { type: 'animation' as const, media: animation, caption };
      return (await sendMedia(options, [item], files))[0];
    },

    async sendVideo(given, files) {
      const { video, caption, width, height, duration, supports_streaming, cover, ...options } =
        check(SendVideo, given);
      const details = { width, height, duration, supports_streaming, cover };
      const item = { type: 'video' as const, media: video, caption, ...details };
      return (await sendMedia(options, [item], files))[0];
    },

    sendMediaGroup(given, files) {
      const { media, ...options } = check(SendMediaGroup, given);
      return sendMedia(options, media, files);
    },

    /** https://core.telegram.org/bots/api#deletemessage */
    deleteMessage(given) {
      const { at, chat } = findOwn(given, {});
      checkRights(chat);
      messages.splice(at, 1);
      return true;
    },

    /** https://core.telegram.org/bots/api#editmessagetext */
    editMessageText(given) {
      const words = { text: z.string().min(1), ...EditOptions };
      return editMessage(given, words, ({ text }) => text);
    },

    /** https://core.telegram.org/bots/api#editmessagecaption */
    editMessageCaption(given) {
      const words = { caption: z.string(), parse_mode: z.string().optional() };
      return editMessage(given, words, ({ caption }) => caption);
    },

    getMe(given) {
      check(z.strictObject({}), given);
      return {
        id: botId,
        is_bot: true,
        first_name: 'Fanfare',
        username: 'fanfare_bot',
        can_join_groups: true,
        can_read_all_group_messages: false,
        supports_inline_queries: false,
      };
    },

    getChat(given) {
      const chat = findChat(check(z.strictObject({ chat_id: ChatId }), given).chat_id);
      checkAccess(chat, 'read');
      return { ...toChat(chat), ...(chat.permissions && { permissions: chat.permissions }) };
    },

    getChatMember(given) {
      const schema = z.strictObject({ chat_id: ChatId, user_id: z.int() });
      const { chat_id, user_id } = check(schema, given);
      const chat = findChat(chat_id);
      checkAccess(chat, 'read');
      if (user_id !== botId) throw new Refusal(400, 'Bad Request: member not found');
      if (chat.type === 'channel' && chat.bot?.status !== 'administrator') {
        throw new Refusal(400, 'Bad Request: member list is inaccessible');
      }
      const user = { id: botId, is_bot: true, first_name: 'Fanfare', username: 'fanfare_bot' };
      return { user, ...(chat.bot ?? { status: 'left' }) };
    },

    getChatMemberCount(given) {
      const chat = findChat(check(z.strictObject({ chat_id: ChatId }), given).chat_id);
      checkAccess(chat, 'read_members');
      return 3;
    },

    sendMessage(given) {
      const { chat_id, text = '', reply_parameters, ...options } = check(SendMessage, given);
      const { parse_mode, message_thread_id: topic } = options;
      if (text === '') throw new Refusal(400, 'Bad Request: message text is empty');
      if (Buffer.byteLength(text) > maxBytes) {
        throw new Refusal(400, 'Bad Request: text is too long');
      }
      const shown = readMarkup(text, parse_mode);
      const chat = findChat(chat_id);
      checkAccess(chat, 'write');
      // A chat without topics accepts any topic.
      if (topic !== undefined && chat.topics && !chat.topics.includes(topic)) {
        throw new Refusal(400, 'Bad Request: message thread not found');
      }
      const replyTo = findAnswered(chat, reply_parameters);
      checkRights(chat);
      if (Array.from(shown).length > maxCharacters) {
        throw new Refusal(400, 'Bad Request: message is too long');
      }
      const message: Message = {
        id: nextIdOf(chat),
        chatId: chat.id,
        text,
        replyTo,
        options,
        media: [],
      };
      messages.push(message);
      return {
        message_id: message.id,
        chat: toChat(chat),
        date: Math.floor(Date.now() / 1_000),
        text: shown,
      };
    },
  };

  function findAnswered(
    chat: Chat,
    reply: z.infer<typeof SendMessage>['reply_parameters'],
  ): number | null {
    if (!reply) return null;
    const { message_id: id, allow_sending_without_reply: mayMiss } = reply;
    if (messages.some((message) => message.chatId === chat.id && message.id === id)) return id;
    if (mayMiss) return null;
    throw new Refusal(400, 'Bad Request: message to be replied not found');
  }

  async function handle(request: Request): Promise<unknown> {
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(new URL(request.url).pathname) ?? [];
    if (token === undefined || method === undefined) throw new Refusal(404, 'Not Found');
    if (!/^[1-9]\d*:/.test(token)) {
      throw new Refusal(401, 'Unauthorized: invalid token specified');
    }
    if (isRevoked || token !== botToken) throw new Refusal(401, 'Unauthorized');
    const call = methods[method];
    if (!call) throw new Refusal(404, 'Not Found: method not found');
    calls.push(method);
    if (request.method !== 'POST') throw new Refusal(400, 'Bad Request: send it by POST');
    const type = request.headers.get('content-type')?.split(';')[0];
    if (type === 'multipart/form-data') {
      const { params, files } = await readForm(request);
      return call(params, files);
    }
    if (type !== 'application/json') throw new Refusal(400, 'Bad Request: send it as JSON');
    return call(await request.json().catch(() => undefined), new Map());
  }

  return {
    token: botToken,
    chats,
    calls,
    async answer(request) {
      try {
        return Response.json({ ok: true, result: await handle(request) });
      } catch (error) {
        if (error instanceof Refusal) return error.toResponse();
        throw error;
      }
    },
    refuse,
    revokeToken() {
      isRevoked = true;
    },
    listMedia: () =>
      messages
        .filter(({ chatId, isPart }) => chatId === channel.id && !isPart)
        .map(({ media }) => media),
    listPosts: (chatId) =>
      messages
        .filter((message) => chatId === undefined || message.chatId === chatId)
        .filter(({ isPart }) => !isPart)
        .map(({ id, text, replyTo, options, media }) => ({
          id: String(id),
          text,
          replyTo: replyTo === null ? null : String(replyTo),
          options,
          ...(media.length > 0 && {
            media: media.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex')),
          }),
        })),
  };
}

function toChat({ id, type, title, username }: Chat) {
  return { id, type, title, ...(username !== undefined && { username }) };
}

async function readForm(request: Request) {
  const params: Record<string, unknown> = {};
  const files = new Map<string, File>();
  for (const [name, value] of await request.formData()) {
    if (name in params || files.has(name)) throw new Refusal(400, `Bad Request: two of ${name}`);
    if (typeof value === 'string') params[name] = texts.has(name) ? value : JSON.parse(value);
    else files.set(name, value);
  }
  return { params, files };
}

/** @see https://core.telegram.org/bots/api#sendphoto */
async function checkPhoto(bytes: Buffer): Promise<void> {
  if (bytes.length > maxPhotoBytes) throw new Refusal(400, 'Bad Request: file is too big');
  const { format, width, height } = await sharp(bytes)
    .metadata()
    .catch(() => {
      throw new Refusal(400, 'Bad Request: IMAGE_PROCESS_FAILED');
    });
  if (!['jpeg', 'png', 'gif'].includes(format)) {
    throw new Refusal(400, 'Bad Request: PHOTO_EXT_INVALID');
  }
  if (width + height > 10_000 || Math.max(width / height, height / width) > 20) {
    throw new Refusal(400, 'Bad Request: PHOTO_INVALID_DIMENSIONS');
  }
}

function readMarkup(text: string, parseMode: string | undefined): string {
  if (parseMode === undefined) return text;
  const result = checkMarkup(text, parseMode);
  if ('fault' in result) throw new Refusal(400, `Bad Request: ${result.fault}`);
  return result.text;
}

function check<T>(schema: z.ZodType<T>, given: unknown): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new Refusal(400, `Bad Request: ${z.prettifyError(parsed.error)}`);
}

/** The server names a time with each 429. A 429 without a time comes from a proxy in front of the server. */
function refuse(kind: RefusalKind): Response {
  switch (kind) {
    case 'limited':
      return new Refusal(429, 'Too Many Requests').toResponse();
    case 'limited_with_retry_after':
      return new Refusal(429, 'Too Many Requests: retry after 1', { retry_after: 1 }).toResponse();
    case 'unavailable':
      return new Response('<html><body><h1>502 Bad Gateway</h1></body></html>', {
        status: 502,
        headers: { 'content-type': 'text/html' },
      });
    case 'error':
      return new Refusal(500, 'Internal Server Error: restart').toResponse();
    case 'rejected':
      return new Refusal(400, 'Bad Request: CHAT_RESTRICTED').toResponse();
  }
}
