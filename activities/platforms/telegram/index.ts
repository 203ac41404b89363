// Telegram: messages of a bot in a channel or group, over the Bot API.
import { z } from 'zod';
import { telegram } from '../../../schema/platforms/telegram.ts';
import type { Fetch, Platform, Published, Target } from '../platform.ts';
import { createBotApi } from './bot-api.ts';
import { describeChat, findChat, findPostableChat, ConnectInput } from './chats.ts';

/** @see https://core.telegram.org/bots/api#message */
const Message = z.object({
  message_id: z.int().positive(),
  chat: z.object({ id: z.int(), type: z.string(), username: z.string().optional() }),
});

/** Bots can't read a chat, so there is no `reconcile`, and a lost answer stays unknown. */
export function createTelegram(settings: { fetch: Fetch; apiUrl: string }): Platform {
  const botOf = createBotApi(settings.fetch, settings.apiUrl);
  return {
    definition: telegram,

    connect: [
      {
        kind: 'form',
        fields: ConnectInput,
        async run({ bot_token = '', chat = '' }, signal) {
          const found = await findPostableChat(botOf(bot_token, signal), chat);
          const { credentials, tokenExpiresAt, ...account } = describeChat(found, bot_token);
          return {
            credentials,
            scope: [],
            tokenExpiresAt,
            accounts: [{ ...account, problem: null }],
          };
        },
      },
    ],

    /** Tokens don't expire. A group that became a supergroup has a new id. */
    async refresh({ credentials: { bot_token = '', chat = '' } }, signal) {
      return describeChat(await findChat(botOf(bot_token, signal), chat), bot_token);
    },

    async commit(target, signal) {
      const bot = botOf(target.credentials['bot_token']!, signal);
      const message = await bot('sendMessage', toParams(target), Message);
      return { outcome: 'published', published: toPublished(message) };
    },
  };
}

/** @see https://core.telegram.org/bots/api#sendmessage */
function toParams({ credentials, caption, replyTo, platformOptions }: Target) {
  const { disable_link_preview: is_disabled, ...options } = platformOptions;
  return {
    chat_id: Number(credentials['chat']),
    text: caption,
    ...options,
    ...(is_disabled !== undefined && { link_preview_options: { is_disabled } }),
    ...(replyTo !== null && {
      reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: false },
    }),
  };
}

/** @see https://core.telegram.org/api/links#message-links */
function toPublished({ message_id: id, chat }: z.infer<typeof Message>): Published {
  // The id -1001234567890 is 1234567890 in links: https://core.telegram.org/api/bots/ids
  const privatePath = chat.type === 'group' ? undefined : `c/${-chat.id - 1_000_000_000_000}`;
  const path = chat.username ?? privatePath;
  const url = path === undefined ? null : `https://t.me/${path}/${id}`;
  // Everyone can read a chat with a public name.
  const visibility = chat.username === undefined ? 'private' : 'public';
  return { externalId: String(id), url, visibility };
}
