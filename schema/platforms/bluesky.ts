// Bluesky: its settings, its rules and the options of a post.
import { z } from 'zod';
import { baseUrl } from './variables.ts';
import {
  definePlatform,
  type PlatformRules,
  type PostFinding,
  type PostSummary,
  type Traits,
} from './definition.ts';
import { isDistinct } from './options/limits.ts';
import { LinkThumb } from './options/link-thumb.ts';

const imageTypes = ['image/jpeg', 'image/png', 'image/webp'] as const;
const maxPictureBytes = 1_000_000;
const maxVideoBytes = 300_000_000;
/** Bluesky's lexicon limits neither titles nor descriptions. */
const maxTitleLength = 300;
const maxDescriptionLength = 1_000;

const link = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .meta({ description: 'URL of the page.' }),
    title: z.string().min(1).max(maxTitleLength).optional().meta({
      description: 'Title of the card. Default: the host of the URL.',
    }),
    description: z.string().max(maxDescriptionLength).optional().meta({
      description: 'Text below the title.',
    }),
    thumb: LinkThumb.optional(),
  })
  .meta({
    description: `Page to show as a card. Its picture has at most ${maxPictureBytes.toLocaleString('en-US')} bytes.`,
    'x-no-default': true,
  });

const authority = '(did:[a-z]+:[a-zA-Z0-9._:%-]+|[a-zA-Z0-9-]+(?:\\.[a-zA-Z0-9-]+)+)';
const key = '([A-Za-z0-9._~:-]{1,512})';

/** The author and the key of a post, in its address at bsky.app or in its AT URI. */
export const quotedPost = new RegExp(
  `^(?:at://${authority}/app\\.bsky\\.feed\\.post/|https://bsky\\.app/profile/${authority}/post/)${key}$`,
);

/** The lexicon of a threadgate takes this many rules. */
const maxGateRules = 5;

/** https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/threadgate.json */
const threadgate = z
  .strictObject({
    allow: z
      .array(z.enum(['mention', 'followers', 'following']))
      .max(3)
      .refine(isDistinct, 'must not repeat a rule')
      .meta({
        description: 'Who can reply. Without rules and `lists`, nobody can.',
        'x-enumDescriptions': {
          mention: 'accounts that the post mentions',
          followers: 'followers of the account',
          following: 'accounts that the account follows',
        },
      }),
    lists: z
      .array(
        z
          .string()
          .regex(
            /^at:\/\/did:[a-z]+:[a-zA-Z0-9._:%-]+\/app\.bsky\.graph\.list\/[A-Za-z0-9._~:-]{1,512}$/,
            'must be the AT URI of a list',
          ),
      )
      .max(maxGateRules)
      .refine(isDistinct, 'must not repeat a list')
      .optional()
      .meta({ description: 'AT URIs of lists whose members can reply too.' }),
  })
  .refine(({ allow, lists = [] }) => allow.length + lists.length <= maxGateRules, {
    path: ['lists'],
    error: `must have at most ${maxGateRules} entries together with allow`,
  })
  .meta({ description: 'Who can reply to the post. Default: everyone.' });

/** https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/postgate.json */
const postgate = z
  .strictObject({
    disable_quotes: z.boolean().meta({ description: 'Whether nobody can quote the post.' }),
  })
  .meta({ description: 'Who can quote the post. Default: everyone.' });

const options = z
  .strictObject({
    link: link.optional(),
    langs: z
      .array(z.string().max(64).refine(isLanguage, 'must be a BCP 47 language tag'))
      .max(3)
      .optional()
      .meta({ description: 'Languages of the text, such as `en` or `pt-BR`.' }),
    labels: z
      .array(z.enum(['sexual', 'nudity', 'porn', 'graphic-media']))
      .min(1)
      .max(4)
      .refine(isDistinct, 'must not repeat a label')
      .optional()
      .meta({
        description: 'Content warnings, which readers see instead of the media.',
        'x-enumDescriptions': {
          sexual: 'suggestive, without nudity',
          nudity: 'nudity that is not sexual',
          porn: 'adult content',
          'graphic-media': 'violence or other disturbing media',
        },
      }),
    threadgate: threadgate.optional(),
    postgate: postgate.optional(),
    quote: z
      .string()
      .regex(quotedPost, 'must be the address of a post at bsky.app, or its AT URI')
      .optional()
      .meta({
        description:
          'Post to quote, by its address, such as `https://bsky.app/profile/bsky.app/post/3l6oveex3ii2l`, or by its AT URI.',
        'x-no-default': true,
      }),
    tags: z
      .array(
        z
          .string()
          .regex(/^[^#\s]\S*$/u, 'must be a tag without #')
          .max(64),
      )
      .max(8)
      .optional()
      .meta({ description: 'Hashtags in addition to those in the text, without #.' }),
  })
  .meta({ id: 'BlueskyOptions', description: 'Options of a post to Bluesky.' });

export const bluesky = definePlatform({
  name: 'bluesky',
  title: 'Bluesky',
  settings: {
    apiUrl: baseUrl(
      'PDS or entryway for Bluesky logins, besides the PDS of the account. It also resolves handles that end in `.test`.',
      'https://bsky.social',
    ),
    plcUrl: baseUrl('Directory of the DIDs of Bluesky accounts.', 'https://plc.directory'),
    videoUrl: baseUrl(
      "Video service that takes the videos of accounts on Bluesky's own servers.",
      'https://video.bsky.app',
    ),
    // https://docs.bsky.app/docs/advanced-guides/entryway
    hostedDomain: z
      .string()
      .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a domain')
      .default('host.bsky.network')
      .meta({ description: "Domain of Bluesky's own servers." }),
  },
  rules: rulesFor({}),
  rulesFor,
  options,
  trialPost: { seenBy: 'everyone for a few seconds' },
  afterPublishing: {
    unpublish: { withinS: null, scopes: [], except: [] },
    edit: null,
    byHand: 'Bluesky shows no edits of posts. Remove the post, and create a new one.',
    sources: {
      unpublish: 'https://docs.bsky.app/docs/api/com-atproto-repo-delete-record',
      edit: 'https://docs.bsky.app/docs/api/com-atproto-repo-put-record',
    },
  },
  // Fanfare chooses the record's key, so a repeat overwrites the same record.
  commitRepeatsForMs: Number.POSITIVE_INFINITY,
});

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/**
 * `blob_upload_limit`: the bytes of a file that the account's server takes. `video_service`: videos don't go to
 * the server, but to Bluesky's video service.
 */
function rulesFor({ blob_upload_limit = Infinity, video_service = false }: Traits) {
  const within = (bytes: number) => Math.min(bytes, Number(blob_upload_limit));
  return {
    text: { max: 300, maxBytes: 3000, unit: 'graphemes' },
    isTextRequired: true,
    media: {
      max: 10,
      canMix: false,
      // The lexicons of app.bsky.embed.gallery, app.bsky.embed.video and app.bsky.embed.external. A gallery may
      // have 20 items, but its lexicon tells clients to offer 10.
      image: { max: 10, types: imageTypes, maxBytes: within(2_000_000) },
      // Bluesky's app takes 10 minutes: src/lib/constants.ts of bluesky-social/social-app.
      video: {
        max: 1,
        types: ['video/mp4'],
        maxBytes: video_service ? maxVideoBytes : within(maxVideoBytes),
        maxDurationMs: 600_000,
      },
      linkCard: { max: 1, types: imageTypes, maxBytes: within(maxPictureBytes) },
      // The lexicons don't limit alt texts. This is the limit of Bluesky's app.
      altText: 2_000,
    },
    replies: {
      id: /^at:\/\/did:[a-z]+:[a-z0-9._:%-]+\/app\.bsky\.feed\.post\/[A-Za-z0-9._~:-]{1,512}$/,
      example: 'at://did:plc:z72i7hdynmk6r22z27h6tvur/app.bsky.feed.post/3l6oveex3ii2l',
    },
    check: checkGate,
    source: 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json',
  } as const satisfies PlatformRules;
}

/** Bluesky's apps read only the threadgate of the first post of a thread. */
function checkGate({ options: given, isReply, isLaterPart }: PostSummary): PostFinding[] {
  if (given['threadgate'] === undefined || !(isReply || isLaterPart)) return [];
  const message = 'Only the first post of a thread can limit its replies.';
  return [
    { at: 'options', option: 'threadgate', code: 'option_ignored', message, isWarning: true },
  ];
}
