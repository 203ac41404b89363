// A Bot API server of Telegram with one bot and a few chats, strict about what it is sent.
// Methods and fields: https://core.telegram.org/bots/api, read on 2026-11-22. Refusals, their words and
// their order: https://github.com/tdlib/telegram-bot-api (version 10.0) and https://github.com/tdlib/td,
// read on the same day. Unlike the server it refuses parameters that it doesn't know.
import { z } from 'zod';
import type { NetworkServer, PublicPost, RefusalKind } from '../contract/subject.ts';
import { checkMarkup } from './markup.ts';

export type ChatType = 'group' | 'supergroup' | 'channel' | 'private';

export interface Chat {
  id: number;
  type: ChatType;
  title: string;
  username?: string;
  /** What members may do who are no administrators. */
  permissions?: { can_send_messages: boolean };
  /** What the bot is there; null: the bot was never there. */
  bot: (Record<string, unknown> & { status: string }) | null;
  /** Of a forum, without the general one. */
  topics?: number[];
  migratedTo?: number;
}

export interface TelegramServer extends NetworkServer {
  readonly token: string;
  readonly chats: Chat[];
  /** The methods that were called, in order. */
  readonly calls: string[];
  listPosts(chatId?: number): PublicPost[];
}

interface Message {
  id: number;
  chatId: number;
  text: string;
  replyTo: number | null;
  options: Record<string, unknown>;
}

/** Answered as `{ok: false}`, with the code as the status. */
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
const maxBytes = 1 << 15;

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

  /** As `check_chat_access`: a group that became a supergroup can still be read. */
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

  const methods: Record<string, (given: unknown) => unknown> = {
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
      // A chat without topics takes any.
      if (topic !== undefined && chat.topics && !chat.topics.includes(topic)) {
        throw new Refusal(400, 'Bad Request: message thread not found');
      }
      const replyTo = findAnswered(chat, reply_parameters);
      checkRights(chat);
      if (Array.from(shown).length > maxCharacters) {
        throw new Refusal(400, 'Bad Request: message is too long');
      }
      const message: Message = {
        id: messages.filter(({ chatId }) => chatId === chat.id).length + 101,
        chatId: chat.id,
        text,
        replyTo,
        options,
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
    if (request.headers.get('content-type')?.split(';')[0] !== 'application/json') {
      throw new Refusal(400, 'Bad Request: send it as JSON');
    }
    return call(await request.json().catch(() => undefined));
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
    listPosts: (chatId) =>
      messages
        .filter((message) => chatId === undefined || message.chatId === chatId)
        .map(({ id, text, replyTo, options }) => ({
          id: String(id),
          text,
          replyTo: replyTo === null ? null : String(replyTo),
          options,
        })),
  };
}

function toChat({ id, type, title, username }: Chat) {
  return { id, type, title, ...(username !== undefined && { username }) };
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

/** The server gives a time with each 429; one without comes from what stands before it. */
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
