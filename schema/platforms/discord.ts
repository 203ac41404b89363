// Discord: its settings, its rules and the options of a post.
import { z } from 'zod';
import { baseUrl } from './variables.ts';
import {
  definePlatform,
  type MediaRules,
  type MediaSummary,
  type PlatformRules,
} from './definition.ts';
import { countCharacters, isDistinct, optionText } from './options/limits.ts';

const link = z.url({ protocol: /^https?$/ });
const id = /^\d{15,20}$/;
const threadId = z.string().regex(id, 'must be the ID of a thread');

// https://docs.discord.com/developers/resources/message#embed-object-embed-limits
const EmbedField = z.strictObject({
  name: optionText(256).min(1).meta({ description: 'Name of the field.' }),
  value: optionText(1_024).min(1).meta({ description: 'Text of the field.' }),
  inline: z.boolean().optional().meta({
    description: 'Whether to show the field next to others. Default: false.',
  }),
});
const Embed = z.strictObject({
  title: optionText(256).optional().meta({ description: 'Title.' }),
  description: optionText(4_096).optional().meta({ description: 'Text.' }),
  url: link.optional().meta({ description: 'URL that the title links to.' }),
  color: z.int().min(0).max(0xff_ff_ff).optional().meta({
    description: 'Color of the edge, as an RGB number.',
  }),
  image: z
    .strictObject({ url: link.meta({ description: 'URL of the image.' }) })
    .optional()
    .meta({ description: 'Image.' }),
  fields: z.array(EmbedField).max(25).optional().meta({ description: 'Fields: names with texts.' }),
});

const maxEmbedCharacters = 6_000;

function fitTogether(embeds: readonly z.infer<typeof Embed>[]): boolean {
  const texts = embeds.flatMap(({ title, description, fields = [] }) => [
    title ?? '',
    description ?? '',
    ...fields.flatMap(({ name, value }) => [name, value]),
  ]);
  return texts.reduce((sum, text) => sum + countCharacters(text), 0) <= maxEmbedCharacters;
}

const options = z
  .strictObject({
    embeds: z
      .array(Embed)
      .min(1)
      .max(10)
      .refine(
        fitTogether,
        `must have at most ${maxEmbedCharacters} characters in all texts together`,
      )
      .meta({ description: 'Cards below the text.' }),
    allowed_mentions: z
      .array(z.enum(['users', 'roles', 'everyone']))
      .refine(isDistinct, "can't have the same value twice")
      .meta({ description: 'Mentions in the text that notify people. Default: `users`.' }),
    suppress_embeds: z
      .boolean()
      .meta({ description: 'Whether to hide link previews and `embeds`. Default: false.' }),
    // https://docs.discord.com/developers/resources/webhook#create-webhook
    username: optionText(80)
      .min(1)
      .refine((name) => !/clyde|discord/i.test(name), "can't contain `clyde` or `discord`")
      .meta({ description: "Author's name. Webhooks only. Default: the webhook's name." }),
    thread_id: threadId.meta({
      description: 'ID of a thread in the channel. Webhooks only. Default: the channel itself.',
    }),
  })
  .partial()
  .meta({ id: 'DiscordOptions', description: 'Options of a post to Discord.' });

/** @see https://docs.discord.com/developers/reference#uploading-files */
const maxFileBytes = 10 * 1_048_576;
/**
 * Limit of the whole request, less the text, the embeds and the alt texts:
 * https://docs.discord.com/developers/resources/message#create-message-limitations
 */
const maxRequestBytes = 25 * 1_048_576 - 100_000;

const media: MediaRules = {
  // https://docs.discord.com/developers/topics/opcodes-and-status-codes#json, 30015.
  max: 10,
  canMix: true,
  // The types that Discord shows in a message.
  image: {
    max: 10,
    types: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
    maxBytes: maxFileBytes,
  },
  video: {
    max: 10,
    types: ['video/mp4', 'video/quicktime', 'video/webm'],
    maxBytes: maxFileBytes,
  },
  // https://docs.discord.com/developers/resources/message#attachment-object, `description`.
  altText: 1_024,
  refuse: (media) =>
    media.reduce((sum, medium) => sum + sizeOf(medium), 0) > maxRequestBytes
      ? [{ code: 'media_too_large', message: 'Discord accepts at most 25 MiB of media per post.' }]
      : [],
};

/** An image that is too large is fitted. */
const sizeOf = ({ bytes }: MediaSummary) => Math.min(bytes ?? 0, maxFileBytes);

const rules: PlatformRules = {
  text: { max: 2_000, unit: 'characters' },
  isTextRequired: true,
  media,
  replies: { id, example: '1310234567890123456' },
  source: 'https://docs.discord.com/developers/resources/message#create-message-jsonform-params',
};

export const discord = definePlatform({
  name: 'discord',
  title: 'Discord',
  settings: { apiUrl: baseUrl("Discord's API.", 'https://discord.com/api/v10') },
  rules,
  // Execute Webhook has no `message_reference`.
  rulesFor: ({ via }) => (via === 'webhook' ? { ...rules, replies: null } : rules),
  options,
  afterPublishing: {
    unpublish: { withinS: null, scopes: [], except: [] },
    edit: { fields: ['caption'], withinS: null, scopes: [], except: [] },
    byHand: 'Use Discord, as a member who may manage messages.',
    sources: {
      unpublish: 'https://docs.discord.com/developers/resources/message#delete-message',
      edit: 'https://docs.discord.com/developers/resources/message#edit-message',
    },
  },
  trialPost: { seenBy: 'everyone in the channel' },
  // Discord checks a bot's nonce "in the past few minutes". If the answer to a webhook's commit is lost, its
  // outcome stays unknown, and the commit is never repeated.
  commitRepeatsForMs: 60_000,
});
