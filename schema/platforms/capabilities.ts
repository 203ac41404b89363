// The capabilities of each network, as the wire shows them.
import { z } from 'zod';
import { TextUnit } from './definition.ts';
import { PlatformName } from './index.ts';
import { Bytes, JsonObject, queryFlag } from '../wire/shared-fields.ts';

const TextRules = z
  .object({
    max: z.int().meta({ description: 'Maximum length, in `unit`.' }),
    max_bytes: z.int().nullable().meta({
      description: 'Maximum length in bytes of UTF-8. Null if there is no such limit.',
    }),
    unit: TextUnit,
    max_with_media: z.int().nullable().meta({
      description: 'Maximum length in a post with media, in `unit`. Null if it is `max`.',
    }),
    max_with_images: z.int().nullable().meta({
      description:
        'Maximum length in a post whose media are all images, in `unit`. Null if it is that of a post with media.',
    }),
    is_required: z.boolean().meta({ description: 'Whether a post without media needs text.' }),
  })
  .meta({ id: 'TextRules', description: 'Rules for the text of a post.' });

const bound = (description: string, number: z.ZodNumber = z.int()) =>
  number.nullable().meta({ description: `${description} Null: no limit is known.` });

const MediaFileRules = z
  .object({
    max: z.int().meta({ description: 'Maximum number in one post.' }),
    types: z.array(z.string()).meta({
      description:
        'Media types, the preferred one first. With `auto_fit`, images of other types are re-encoded as the first one.',
    }),
    max_bytes: bound('Maximum size, in bytes.', Bytes),
    max_gif_bytes: Bytes.nullable().meta({
      description: 'Maximum size of a GIF, in bytes. Null if it is `max_bytes`.',
    }),
    min_width: bound('Minimum width, in pixels.'),
    min_height: bound('Minimum height, in pixels.'),
    max_width: bound('Maximum width, in pixels.'),
    max_height: bound('Maximum height, in pixels.'),
    max_pixels: bound('Maximum of width times height.'),
    min_ratio: bound('Minimum of width divided by height.', z.number()),
    max_ratio: bound('Maximum of width divided by height.', z.number()),
    min_duration_ms: bound('Minimum duration, in milliseconds.'),
    max_duration_ms: bound('Maximum duration, in milliseconds.'),
  })
  .meta({
    id: 'MediaFileRules',
    description: 'Rules for the images, the videos or the documents of a post.',
  });

const MediaRules = z
  .object({
    max: z.int().meta({ description: 'Maximum number of images, videos and documents together.' }),
    can_mix: z.boolean().meta({
      description: 'Whether one post can have both images and videos.',
    }),
    image: z.union([MediaFileRules, z.null()]).meta({
      description: 'Rules for images. Null if the network accepts none.',
    }),
    video: z.union([MediaFileRules, z.null()]).meta({
      description: 'Rules for videos. Null if the network accepts none.',
    }),
    document: z.union([MediaFileRules, z.null()]).meta({
      description:
        'Rules for documents. A document is the only media of its post. Null if the network accepts none.',
    }),
    max_alt_text: z.int().nullable().meta({
      description:
        'Maximum length of an alt text, in characters. Null if the network has no alt texts.',
    }),
    needs_url: z.boolean().meta({
      description:
        'Whether the network links to media instead of storing them, so that media must be given as `url`.',
    }),
  })
  .meta({ id: 'MediaRules', description: 'Rules for the media of a post.' });

const ConnectRules = z
  .object({
    credentials: JsonObject.nullable().meta({
      description:
        'JSON Schema of the credentials. Null if accounts cannot be connected with credentials.',
    }),
    consent: z.boolean().meta({
      description:
        "Whether a connect session can open the network's consent page. Otherwise the hosted page asks for credentials.",
    }),
  })
  .meta({ id: 'ConnectRules', description: 'How accounts of a network are connected.' });

const ChoiceKind = z
  .object({
    kind: z.string().meta({ description: 'Name of the kind.' }),
    description: z.string().meta({ description: 'What the choices are.' }),
  })
  .meta({ id: 'ChoiceKind', description: 'A kind of choices that an account has.' });

const withinS = z.int().nullable().meta({
  description: 'Seconds after the publication in which it works. Null if no limit is known.',
});
const scopes = z.array(z.string()).meta({
  description: 'Scopes that the login needs, besides those of posts.',
});

const except = z.array(z.string()).meta({ description: 'Posts for which it does not work.' });

const AfterPublishing = z
  .object({
    unpublish: z
      .object({
        supported: z
          .boolean()
          .meta({ description: 'Whether Fanfare can remove a published post.' }),
        within_s: withinS,
        scopes,
        except,
      })
      .meta({ id: 'UnpublishRules', description: 'Removal of a published post.' }),
    edit: z
      .object({
        fields: z.array(z.string()).meta({
          description: 'Fields that can be edited. Empty if Fanfare cannot edit a published post.',
          example: ['caption', 'media.alt_text'],
        }),
        within_s: withinS,
        scopes,
        except,
      })
      .meta({ id: 'EditRules', description: 'Edits of a published post.' }),
    by_hand: z.string().nullable().meta({
      description: 'Where to do by hand what Fanfare cannot do. Null if nothing is known.',
    }),
  })
  .meta({
    id: 'AfterPublishing',
    description:
      'What Fanfare can do with a published post. For an account, only what its login allows.',
  });

export const Creator = z
  .object({
    name: z.string().nullable().meta({
      description: 'Name for display. Null if the network does not say it.',
    }),
    username: z.string().nullable().meta({
      description: 'Username, without `@`. Null if the network does not say it.',
    }),
    avatar_url: z.string().nullable().meta({
      description: 'URL of the picture, which may expire soon. Null if there is none.',
    }),
    can_post: z.boolean().meta({ description: 'Whether the network lets them publish now.' }),
    reason: z.string().nullable().meta({
      description: 'Why they cannot publish now. Null if they can.',
    }),
  })
  .meta({ id: 'Creator', description: 'Who would publish a post, as the network says it now.' });
export type Creator = z.infer<typeof Creator>;

export const GetCapabilities = z.strictObject({
  refresh: queryFlag(
    'Whether to ask the network for what it accepts from the account now. Only some networks answer that.',
  ),
});
export type GetCapabilities = z.infer<typeof GetCapabilities>;

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
    threads: z.boolean().meta({ description: 'Whether posts can form threads.' }),
    options: JsonObject.meta({
      description:
        'JSON Schema of `platform_options`. An option with `x-choices` takes IDs of choices of that kind. An option with `x-no-default` can have no default.',
    }),
    choices: z.array(ChoiceKind).meta({
      description:
        'Kinds of choices, which `GET /v1/accounts/:id/choices/:kind` lists for an account. Empty if there are none.',
    }),
    after_publishing: AfterPublishing,
    connect: ConnectRules,
    creator: z.union([Creator, z.null()]).meta({
      description:
        'Who would publish a post. Null unless an account was read with `refresh`, at a network that requires clients to show this.',
    }),
    source: z.string().meta({ description: 'Source of the rules.' }),
  })
  .meta({
    id: 'Capabilities',
    description:
      'What a network accepts. An account can have rules of its own, such as the text limit of its Mastodon server. `POST /v1/posts/validate` checks a post against the rules of its accounts.',
  });
export type Capabilities = z.infer<typeof Capabilities>;
