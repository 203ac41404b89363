// The capabilities of each network, as the wire shows them.
import { z } from 'zod';
import { TextUnit } from './definition.ts';
import { PlatformName } from './index.ts';

const JsonSchema = z.record(z.string(), z.unknown());

const TextRules = z
  .object({
    max: z.int().meta({ description: 'Maximum length, in `unit`.' }),
    max_bytes: z.int().nullable().meta({
      description: 'Maximum length in bytes of UTF-8. Null if there is no such limit.',
    }),
    unit: TextUnit,
    is_required: z.boolean().meta({ description: 'Whether a post needs text.' }),
  })
  .meta({ id: 'TextRules', description: 'Rules for the text of a post.' });

const MediaRules = z
  .object({ max: z.int().meta({ description: 'Maximum number of media of a post.' }) })
  .meta({ id: 'MediaRules', description: 'Rules for the media of a post.' });

const ConnectRules = z
  .object({
    credentials: JsonSchema.nullable().meta({
      description:
        'JSON Schema of the credentials. Null if accounts cannot be connected with credentials.',
    }),
    consent: z.boolean().meta({
      description:
        "Whether a connect session can open the network's consent page. Otherwise the hosted page asks for credentials.",
    }),
  })
  .meta({ id: 'ConnectRules', description: 'How accounts of a network are connected.' });

export const Capabilities = z
  .object({
    platform: PlatformName,
    text: TextRules,
    media: z.union([MediaRules, z.null()]).meta({
      description: 'Rules for media. Null if the network accepts no media.',
    }),
    replies: z.boolean().meta({
      description:
        'Whether posts can be replies. `in_reply_to`, `first_comment` and threads need this.',
    }),
    options: JsonSchema.meta({ description: 'JSON Schema of `platform_options`.' }),
    connect: ConnectRules,
    source: z.string().meta({ description: 'Source of the rules.' }),
  })
  .meta({
    id: 'Capabilities',
    description:
      'What a network accepts. An account can have rules of its own, such as the text limit of its Mastodon server. `POST /v1/posts/validate` checks a post against the rules of its accounts.',
  });
export type Capabilities = z.infer<typeof Capabilities>;
