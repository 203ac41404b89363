// Telegram: its settings, its rules and the options of a post.
import { z } from 'zod';
import { baseUrl } from '../config/variables.ts';
import { definePlatform } from './definition.ts';

/** @see https://core.telegram.org/bots/api#sendmessage */
const options = z
  .strictObject({
    parse_mode: z.enum(['HTML', 'MarkdownV2']).optional().meta({
      description: 'Markup of the text. Default: none, so the text is shown as it is.',
    }),
    disable_notification: z
      .boolean()
      .optional()
      .meta({ description: 'Notifies the members of the chat without a sound.' }),
    disable_link_preview: z.boolean().optional().meta({ description: 'Hides previews of links.' }),
    protect_content: z
      .boolean()
      .optional()
      .meta({ description: 'Forbids forwarding and saving the message.' }),
    message_thread_id: z
      .int()
      .min(1)
      .max(2 ** 31 - 1)
      .optional()
      .meta({ description: 'Topic of a forum to post to. Default: the general topic.' }),
  })
  .meta({ id: 'TelegramOptions', description: 'Options of a post to Telegram.' });

export const telegram = definePlatform({
  name: 'telegram',
  title: 'Telegram',
  connectsBy: 'Bot token and chat',
  testedWith: 'Simulator',
  settings: {
    apiUrl: baseUrl(
      'Bot API server that Telegram posts go through, such as one of your own.',
      'https://api.telegram.org',
    ),
  },
  rules: {
    text: {
      // https://core.telegram.org/constructor/config, message_length_max: "length in utf8 codepoints".
      max: 4_096,
      // `get_formatted_text` of the server refuses more before it parses the markup.
      // https://github.com/tdlib/telegram-bot-api/blob/master/telegram-bot-api/Client.cpp
      maxBytes: 32_768,
      unit: 'characters',
      // Telegram counts what is left once it has parsed the markup, so only Telegram can count it.
      count: (text, { parse_mode }) => (parse_mode === undefined ? Array.from(text).length : 0),
    },
    isTextRequired: true,
    media: null,
    replies: { id: /^[1-9]\d{0,9}$/, example: '4711' },
    source: 'https://core.telegram.org/bots/api#sendmessage',
  },
  options,
  // Telegram knows no key for a message.
  commitRepeatsForMs: 0,
});
