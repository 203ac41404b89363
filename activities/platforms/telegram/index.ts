// Telegram: messages of a bot in a channel or group, over the Bot API.
import { z } from 'zod';
import { telegram } from '../../../schema/platforms/telegram.ts';
import { toFilePart, type FilePart } from '../multipart.ts';
import { PlatformError } from '../platform-error.ts';
import type { Fetch, Platform, Target, TargetMedia } from '../platform.ts';
import { permanent, publishedAs } from '../results.ts';
import { createBotApi, type Bot, type SendMethod } from './bot-api.ts';
import { describeChat, findChat, findPostableChat, ConnectInput } from './chats.ts';

/** @see https://core.telegram.org/bots/api#message */
const Message = z.object({
  message_id: z.int().positive(),
  chat: z.object({ id: z.int(), type: z.string(), username: z.string().optional() }),
});
type Message = z.infer<typeof Message>;
const Album = z.tuple([Message], Message);

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
          const { externalAccountId, accountName, credentials } = describeChat(found, bot_token);
          const account = { externalAccountId, accountName, problem: null };
          return { credentials, ...permanent, accounts: [account] };
        },
      },
    ],

    /** Tokens don't expire. A group that became a supergroup has a new id. */
    async refresh({ credentials: { bot_token = '', chat = '' } }, signal) {
      return describeChat(await findChat(botOf(bot_token, signal), chat), bot_token);
    },

    async commit(target, signal) {
      const bot = botOf(target.credentials['bot_token']!, signal);
      return toPublished(await send(bot, target));
    },

    /** Bots can't read a chat, but Telegram says if a message to delete is gone. */
    unpublish: {
      /** @see https://core.telegram.org/bots/api#deletemessage */
      async remove({ credentials, externalId }, signal) {
        const params = { chat_id: Number(credentials['chat']), message_id: Number(externalId) };
        const bot = botOf(credentials['bot_token']!, signal);
        await bot('deleteMessage', params, z.literal(true)).catch(asGone);
      },
    },

    edit: {
      /** @see https://core.telegram.org/bots/api#updating-messages */
      async apply({ credentials, externalId, caption, altTexts, platformOptions }, signal) {
        const { parse_mode, disable_link_preview: is_disabled } = platformOptions;
        const place = { chat_id: Number(credentials['chat']), message_id: Number(externalId) };
        const words = parse_mode === undefined ? place : { ...place, parse_mode };
        const bot = botOf(credentials['bot_token']!, signal);
        const preview = is_disabled !== undefined && { link_preview_options: { is_disabled } };
        const asked =
          altTexts.length > 0
            ? bot('editMessageCaption', { ...words, caption }, Message)
            : bot('editMessageText', { ...words, text: caption, ...preview }, Message);
        await asked.catch(asGone).catch(unlessSame);
      },
      isRepeatable: true,
    },

    checks: {
      async inspect({ credentials, externalAccountId }, signal) {
        const { bot_token = '', chat = '' } = credentials;
        // The group may have become a supergroup, with another ID.
        await findPostableChat(botOf(bot_token, signal), chat);
        return { scope: [], accounts: [{ externalAccountId, problem: null }] };
      },
    },
  };
}

/**
 * Telegram has no codes for these errors:
 * https://github.com/tdlib/telegram-bot-api/blob/master/telegram-bot-api/Client.cpp
 */
const goneWords = /message to (delete|edit) not found/i;
const sameWords = /message is not modified/i;

function asGone(error: unknown): never {
  if (!(error instanceof PlatformError) || !goneWords.test(error.message)) throw error;
  throw new PlatformError('rejected', error.message, { ...error.options, failsAs: 'post_gone' });
}

/** The message has the new text already. */
function unlessSame(error: unknown): void {
  if (!(error instanceof PlatformError) || !sameWords.test(error.message)) throw error;
}

/** Returns the message. For an album, returns the first message, which has the caption. */
async function send(bot: Bot, target: Target): Promise<Message> {
  const { caption, platformOptions, media } = target;
  const { disable_link_preview: is_disabled, parse_mode, ...options } = platformOptions;
  const params = { ...toPlace(target), ...options };
  if (media.length === 0) {
    const preview = is_disabled !== undefined && { link_preview_options: { is_disabled } };
    const text = { text: caption, ...(parse_mode !== undefined && { parse_mode }) };
    return bot('sendMessage', { ...params, ...text, ...preview }, Message);
  }
  // Captions have no link previews.
  const words = caption !== '' && { caption, ...(parse_mode !== undefined && { parse_mode }) };
  const [first, ...others] = media.map(toItem);
  if (others.length === 0) {
    const { method, kind, details, files } = first!;
    const form = { ...params, [kind]: `attach://${files[0]!.name}`, ...words, ...details };
    return bot(method, form, Message, files);
  }
  const items = [first!, ...others];
  const album = items.map(({ kind: type, details, files }, at) => ({
    type,
    media: `attach://${files[0]!.name}`,
    ...(at === 0 && words),
    ...details,
  }));
  const files = items.flatMap((item) => item.files);
  const messages = await bot('sendMediaGroup', { ...params, media: album }, Album, files);
  return messages[0];
}

/** @see https://core.telegram.org/bots/api#sendmessage */
function toPlace({ credentials, replyTo }: Target) {
  return {
    chat_id: Number(credentials['chat']),
    ...(replyTo !== null && {
      reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: false },
    }),
  };
}

interface Item {
  method: SendMethod;
  kind: 'photo' | 'video' | 'animation';
  details: Record<string, unknown>;
  /** The first file is the image or video itself. */
  files: FilePart[];
}

/** @see https://core.telegram.org/bots/api#inputmediavideo */
function toItem(media: TargetMedia, at: number): Item {
  const files = [toFilePart(`file${at}`, media)];
  if (media.contentType === 'image/gif') {
    return { method: 'sendAnimation', kind: 'animation', details: {}, files };
  }
  if (media.kind === 'image') return { method: 'sendPhoto', kind: 'photo', details: {}, files };
  const { width, height, durationMs, thumbnail } = media;
  if (thumbnail) files.push(toFilePart(`cover${at}`, thumbnail));
  const details = {
    width,
    height,
    ...(durationMs !== null && { duration: Math.round(durationMs / 1_000) }),
    supports_streaming: true,
    ...(thumbnail && { cover: `attach://cover${at}` }),
  };
  return { method: 'sendVideo', kind: 'video', details, files };
}

/** @see https://core.telegram.org/api/links#message-links */
function toPublished({ message_id: id, chat }: Message) {
  // The id -1001234567890 is 1234567890 in links: https://core.telegram.org/api/bots/ids
  const privatePath = chat.type === 'group' ? undefined : `c/${-chat.id - 1_000_000_000_000}`;
  const path = chat.username ?? privatePath;
  const url = path === undefined ? null : `https://t.me/${path}/${id}`;
  // Everyone can read a chat with a public name.
  const visibility = chat.username === undefined ? 'private' : 'public';
  return publishedAs(String(id), url, visibility);
}
