// The bodies of messages that Discord takes, with its limits: https://docs.discord.com/developers/resources/message
// and /resources/webhook, read on 2026-11-22.
import { z } from 'zod';

/**
 * Discord counts the code points of the trimmed text: https://github.com/discord/discord-api-docs/issues/1315
 */
const text = (max: number) =>
  z
    .string()
    .refine(
      (given) => Array.from(given.trim()).length <= max,
      `Must be ${max} or fewer in length.`,
    );
const required = (max: number) =>
  text(max).refine((given) => given.trim() !== '', 'This field is required');
const snowflake = z.string().regex(/^\d{15,20}$/, 'Value is not snowflake.');
const isDistinct = (values: readonly string[]) => new Set(values).size === values.length;
const link = z.url({ protocol: /^https?$/ });

const Embed = z.strictObject({
  title: text(256).optional(),
  description: text(4_096).optional(),
  url: link.optional(),
  timestamp: z.iso.datetime({ offset: true }).optional(),
  color: z.int().min(0).max(16_777_215).optional(),
  footer: z.strictObject({ text: required(2_048), icon_url: link.optional() }).optional(),
  image: z.strictObject({ url: link }).optional(),
  thumbnail: z.strictObject({ url: link }).optional(),
  author: z
    .strictObject({ name: required(256), url: link.optional(), icon_url: link.optional() })
    .optional(),
  fields: z
    .array(
      z.strictObject({
        name: required(256),
        value: required(1_024),
        inline: z.boolean().optional(),
      }),
    )
    .max(25, 'Must be 25 or fewer in length.')
    .optional(),
});

/** Counts the text of all strings except links and times. */
function countText(value: unknown, key = ''): number {
  if (typeof value === 'string')
    return /url$|timestamp/.test(key) ? 0 : Array.from(value.trim()).length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [name, each]) => sum + countText(each, name), 0);
}

const shared = {
  content: text(2_000).optional(),
  tts: z.boolean().optional(),
  embeds: z
    .array(Embed)
    .max(10, 'Must be 10 or fewer in length.')
    .refine((embeds) => countText(embeds) <= 6_000, 'Embed size exceeds maximum size of 6000')
    .optional(),
  allowed_mentions: z
    .strictObject({
      parse: z
        .array(z.enum(['users', 'roles', 'everyone']))
        .refine(isDistinct, 'The set already contains this value')
        .optional(),
      users: z.array(snowflake).max(100).optional(),
      roles: z.array(snowflake).max(100).optional(),
      replied_user: z.boolean().optional(),
    })
    .optional(),
  attachments: z
    .array(
      z.strictObject({
        // A placeholder: `n` of `files[n]`. Discord takes a number too.
        id: z.string().regex(/^\d{1,20}$/, 'Value is not snowflake.'),
        filename: z.string().min(1).optional(),
        description: text(1_024).optional(),
      }),
    )
    .max(10, 'Must be 10 or fewer in length.')
    .optional(),
  /** SUPPRESS_EMBEDS and SUPPRESS_NOTIFICATIONS. */
  flags: z
    .int()
    .refine((flags) => (flags & ~(4 | 4_096)) === 0, 'Invalid flags')
    .optional(),
};

export const NewMessage = z.strictObject({
  ...shared,
  nonce: z.union([z.int(), z.string().max(25, 'Must be 25 or fewer in length.')]).optional(),
  enforce_nonce: z.boolean().optional(),
  message_reference: z
    .strictObject({ message_id: snowflake, fail_if_not_exists: z.boolean().optional() })
    .optional(),
});

export type NewMessage = z.infer<typeof NewMessage>;

export const ExecuteWebhook = z.strictObject({
  ...shared,
  username: required(80)
    .refine((name) => !/clyde|discord/i.test(name), 'Username cannot contain "clyde" or "discord"')
    .optional(),
  avatar_url: link.optional(),
  thread_name: required(100).optional(),
});
