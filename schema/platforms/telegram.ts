// Telegram: its settings, its rules and the options of a post.
import { z } from 'zod';
import { baseUrl } from './variables.ts';
import { definePlatform, type MediaRules, type MediaSummary } from './definition.ts';

/** @see https://core.telegram.org/bots/api#sendmessage */
const options = z
  .strictObject({
    parse_mode: z.enum(['HTML', 'MarkdownV2']).optional().meta({
      description: 'Markup of the text. Default: none. The text is shown as written.',
    }),
    disable_notification: z
      .boolean()
      .optional()
      .meta({ description: 'Whether to notify the members of the chat silently. Default: false.' }),
    disable_link_preview: z
      .boolean()
      .optional()
      .meta({ description: 'Whether to hide link previews. Default: false.' }),
    protect_content: z.boolean().optional().meta({
      description: 'Whether to forbid forwarding and saving the message. Default: false.',
    }),
    message_thread_id: z
      .int()
      .min(1)
      .max(2 ** 31 - 1)
      .optional()
      .meta({ description: 'ID of a forum topic to post to. Default: the general topic.' }),
  })
  .meta({ id: 'TelegramOptions', description: 'Options of a post to Telegram.' });

const isAnimation = ({ contentType }: MediaSummary) => contentType === 'image/gif';

/** @see https://core.telegram.org/bots/api#sending-files */
const media: MediaRules = {
  // https://core.telegram.org/bots/api#sendmediagroup
  max: 10,
  canMix: true,
  image: {
    max: 10,
    types: ['image/jpeg', 'image/png', 'image/gif'],
    maxBytes: 10_000_000,
    // https://core.telegram.org/bots/api#sendphoto: "must not exceed 10000 in total".
    maxWidth: 5_000,
    maxHeight: 5_000,
    minRatio: 1 / 20,
    maxRatio: 20,
  },
  // https://core.telegram.org/bots/api#sendvideo: Telegram shows MPEG-4 videos; others are files to download.
  video: { max: 10, types: ['video/mp4'], maxBytes: 50_000_000, hasThumbnail: true },
  altText: null,
  refuse: (media) =>
    media.length > 1 && media.some(isAnimation)
      ? [
          {
            code: 'gif_not_alone',
            message: 'Telegram accepts a GIF only without other media.',
          },
        ]
      : [],
};

export const telegram = definePlatform({
  name: 'telegram',
  title: 'Telegram',
  settings: {
    apiUrl: baseUrl(
      'Bot API server for Telegram. You can run your own.',
      'https://api.telegram.org',
    ),
  },
  rules: {
    text: {
      // https://core.telegram.org/constructor/config, message_length_max: "length in utf8 codepoints".
      max: 4_096,
      // https://core.telegram.org/bots/api#sendphoto, `caption`.
      maxWithMedia: 1_024,
      // The server's `get_formatted_text` refuses longer text before it parses the markup.
      // https://github.com/tdlib/telegram-bot-api/blob/master/telegram-bot-api/Client.cpp
      maxBytes: 32_768,
      unit: 'characters',
      // Telegram counts the text without its markup, so only Telegram can count it.
      count: (text, { parse_mode }) => (parse_mode === undefined ? Array.from(text).length : 0),
    },
    isTextRequired: true,
    media,
    replies: { id: /^[1-9]\d{0,9}$/, example: '4711' },
    source: 'https://core.telegram.org/bots/api#sendmessage',
  },
  options,
  afterPublishing: {
    unpublish: {
      withinS: 172_800,
      scopes: [],
      except: ['Albums, of which Fanfare keeps only the first message.'],
      refuse: ({ mediaCount }) =>
        mediaCount > 1
          ? 'An album is several messages, and Fanfare keeps only the first.'
          : undefined,
    },
    edit: { fields: ['caption'], withinS: null, scopes: [], except: [] },
    byHand: 'Use an app of Telegram, as an administrator of the chat.',
    sources: {
      unpublish: 'https://core.telegram.org/bots/api#deletemessage',
      edit: 'https://core.telegram.org/bots/api#updating-messages',
    },
  },
  trialPost: { seenBy: 'everyone in the chat' },
  // Telegram has no idempotency key.
  commitRepeatsForMs: 0,
});
