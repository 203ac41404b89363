// What each network takes, as the wire shows it.
import { z } from 'zod';
import { textUnits } from './definition.ts';
import { PlatformName } from './index.ts';

const JsonSchema = z.record(z.string(), z.unknown());

export const Capabilities = z
  .object({
    platform: PlatformName,
    text: z.object({
      max: z.int(),
      max_bytes: z.int().nullable(),
      unit: z.enum(textUnits),
      is_required: z.boolean(),
    }),
    media: z.object({ max: z.int() }).nullable().meta({ description: 'Null: it takes none.' }),
    replies: z.boolean().meta({
      description: 'Whether posts can be answered: `in_reply_to`, threads and `first_comment`.',
    }),
    options: JsonSchema.meta({ description: 'The JSON Schema of `platform_options`.' }),
    connect: z
      .object({
        credentials: JsonSchema.nullable().meta({
          description: 'The JSON Schema of the plain credentials; null: it takes none.',
        }),
        consent: z.boolean().meta({
          description:
            "Whether a connect session leads to the network's own consent page; otherwise ours asks for the credentials.",
        }),
      })
      .meta({ id: 'ConnectRules' }),
    source: z.string().meta({ description: 'Where the numbers come from.' }),
  })
  .meta({
    id: 'Capabilities',
    description:
      'What a network takes. Accounts may differ, such as those of a Mastodon server with a limit of its own: `POST /v1/posts/validate` checks a post by the rules of its accounts.',
  });
export type Capabilities = z.infer<typeof Capabilities>;
