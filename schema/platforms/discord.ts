// Discord: its settings, its rules and the options of a post.
import { z } from 'zod';
import { baseUrl } from '../config/variables.ts';
import { definePlatform, type PlatformRules } from './definition.ts';

const link = z.url({ protocol: /^https?$/ });
const id = /^\d{15,20}$/;
const threadId = z.string().regex(id, 'must be the ID of a thread');

// Discord limits the texts of embeds, and names the one that is too long.
// https://docs.discord.com/developers/resources/message#embed-object-embed-limits
const Embed = z.strictObject({
  title: z.string().optional(),
  description: z.string().optional(),
  url: link.optional(),
  color: z.int().min(0).max(0xff_ff_ff).optional(),
  image: z.strictObject({ url: link }).optional(),
  fields: z
    .array(z.strictObject({ name: z.string(), value: z.string(), inline: z.boolean().optional() }))
    .optional(),
});

const options = z
  .strictObject({
    embeds: z.array(Embed).min(1).max(10).meta({ description: 'Cards below the text.' }),
    allowed_mentions: z.array(z.enum(['users', 'roles', 'everyone'])).meta({
      description: 'Mentions in the text that notify. Default: `users`.',
    }),
    suppress_embeds: z.boolean().meta({ description: 'Hides link previews, and `embeds` too.' }),
    username: z.string().min(1).meta({ description: "Author's name. Only for webhooks." }),
    thread_id: threadId.meta({ description: 'Thread of the channel. Only for webhooks.' }),
  })
  .partial()
  .meta({ id: 'DiscordOptions', description: 'Options of a post to Discord.' });

const rules: PlatformRules = {
  text: { max: 2_000, unit: 'characters' },
  isTextRequired: true,
  media: null,
  replies: { id, example: '1310234567890123456' },
  source: 'https://docs.discord.com/developers/resources/message#create-message-jsonform-params',
};

export const discord = definePlatform({
  name: 'discord',
  title: 'Discord',
  connectsBy: 'Webhook URL, or bot token and channel',
  testedWith: 'Simulator',
  settings: { apiUrl: baseUrl("Discord's API.", 'https://discord.com/api/v10') },
  rules,
  // Execute Webhook has no `message_reference`.
  rulesFor: ({ via }) => (via === 'webhook' ? { ...rules, replies: null } : rules),
  options,
  // For a bot: its nonce is checked "in the past few minutes". A webhook's outcome stays unknown, so its
  // commit is never repeated.
  commitRepeatsForMs: 60_000,
});
