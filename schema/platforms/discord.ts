// Discord: its settings, its rules and the options of a post.
import { z } from 'zod';
import { baseUrl } from '../variables.ts';
import { definePlatform, type PlatformRules } from './definition.ts';

/** Discord counts code points: https://github.com/discord/discord-api-docs/issues/1315 */
const lengthOf = (text: string) => Array.from(text.trim()).length;

const text = (max: number) =>
  z
    .string()
    .refine((given) => given.trim() && lengthOf(given) <= max, `must have 1 to ${max} characters`)
    .meta({ minLength: 1, maxLength: max });

const link = z.url({ protocol: /^https?$/ }).max(2_048);
const Field = z.strictObject({
  name: text(256),
  value: text(1_024),
  inline: z.boolean().optional(),
});

/** @see https://docs.discord.com/developers/resources/message#embed-object-embed-limits */
const Embed = z
  .strictObject({
    title: text(256),
    description: text(4_096),
    url: link,
    timestamp: z.iso.datetime({ offset: true }),
    color: z.int().min(0).max(0xff_ff_ff),
    footer: z.strictObject({ text: text(2_048), icon_url: link.optional() }),
    image: z.strictObject({ url: link }),
    thumbnail: z.strictObject({ url: link }),
    author: z.strictObject({ name: text(256), url: link.optional(), icon_url: link.optional() }),
    fields: z.array(Field).max(25),
  })
  .partial();

/** Links and times don't count. */
function lengthOfEmbed({ title, description, footer, author, fields = [] }: z.infer<typeof Embed>) {
  const inFields = fields.flatMap(({ name, value }) => [name, value]);
  const texts = [title, description, footer?.text, author?.name, ...inFields];
  return lengthOf(texts.map((each) => each?.trim() ?? '').join(''));
}

const options = z
  .strictObject({
    embeds: z
      .array(Embed)
      .min(1)
      .max(10)
      .refine(
        (embeds) => embeds.reduce((sum, embed) => sum + lengthOfEmbed(embed), 0) <= 6_000,
        'must have at most 6000 characters of text together',
      )
      .meta({ description: 'Cards below the text.' }),
    allowed_mentions: z
      .array(z.enum(['users', 'roles', 'everyone']))
      .max(3)
      .meta({
        description: 'Mentions in the text that notify. Default: `users`.',
        'x-enumDescriptions': {
          users: 'users that the text mentions',
          roles: 'roles that the text mentions',
          everyone: '`@everyone` and `@here`',
        },
      }),
    suppress_embeds: z.boolean().meta({ description: 'Hides link previews, and `embeds` too.' }),
    username: text(80).meta({
      description: "Author's name instead of the webhook's. Webhooks only.",
    }),
    avatar_url: link.meta({
      description: "Author's picture instead of the webhook's. Webhooks only.",
    }),
    thread_id: z
      .string()
      .regex(/^\d{15,20}$/, 'must be the ID of a thread')
      .meta({ description: "Thread of the webhook's channel to post in. Webhooks only." }),
    thread_name: text(100).meta({
      description: 'Name of a thread to open in a forum. Webhooks only.',
    }),
  })
  .partial()
  .meta({ id: 'DiscordOptions', description: "Discord's own options of a post." });

const rules: PlatformRules = {
  text: { max: 2_000, unit: 'characters' },
  isTextRequired: true,
  media: null,
  replies: { id: /^\d{15,20}$/, example: '1310234567890123456' },
  source: 'https://docs.discord.com/developers/resources/message#create-message-jsonform-params',
};

export const discord = definePlatform({
  name: 'discord',
  title: 'Discord',
  connectsBy: 'Webhook URL, or bot token and channel',
  testedWith: 'Simulator',
  settings: {
    apiUrl: baseUrl('The Discord API, with its version.', 'https://discord.com/api/v10'),
  },
  rules,
  // Execute Webhook has no `message_reference`.
  rulesFor: ({ via }) => (via === 'webhook' ? { ...rules, replies: null } : rules),
  options,
  // For a bot: its nonce is checked "in the past few minutes". A webhook's outcome stays unknown, so its
  // commit is never repeated.
  commitRepeatsForMs: 60_000,
});
