// Mastodon: its rules, which differ from server to server, and the options of a post.
import { z } from 'zod';
import {
  definePlatform,
  notWithMedia,
  type MediaRules,
  type PlatformRules,
  type Traits,
} from './definition.ts';
import { countGraphemes, isDistinct, optionText } from './options/limits.ts';

/**
 * The option `poll`, within the limits of the account's server. If a server doesn't report a limit, the
 * server itself refuses what exceeds it.
 */
function pollFor(limits: Traits) {
  const { max_options = 100, max_characters_per_option = 1_000 } = limits;
  const { min_expiration = 1, max_expiration = 1e9 } = limits;
  return z
    .strictObject({
      options: z
        .array(optionText(Number(max_characters_per_option), countGraphemes).min(1))
        .min(2)
        .max(Number(max_options))
        .refine(isDistinct, "can't have the same answer twice")
        .meta({ description: 'Answers to choose from, all different.' }),
      expires_in: z
        .int()
        .min(Number(min_expiration))
        .max(Number(max_expiration))
        .meta({ description: 'Seconds until the poll ends.' }),
      multiple: z
        .boolean()
        .optional()
        .meta({ description: 'Whether people can choose several answers. Default: false.' }),
      hide_totals: z
        .boolean()
        .optional()
        .meta({ description: 'Whether to hide the counts until the poll ends. Default: false.' }),
    })
    .meta({ description: "Poll below the text, within the limits of the account's server." });
}

/** Options have the names of the API: https://docs.joinmastodon.org/methods/statuses/#form-data-parameters */
const options = z
  .strictObject({
    visibility: z.enum(['public', 'unlisted', 'private', 'direct']).meta({
      description: "Who can see the post. Default: the account's own setting.",
      'x-enumDescriptions': {
        public: 'everyone, and in public timelines',
        unlisted: 'everyone, but not in public timelines',
        private: 'followers only',
        direct: 'mentioned accounts only',
      },
    }),
    spoiler_text: z.string().trim().min(1).meta({
      description: 'Content warning that hides the text. Counts toward the text limit.',
    }),
    sensitive: z.boolean().meta({
      description: 'Whether to hide the media behind a warning. Default: as `spoiler_text` does.',
    }),
    language: z
      .string()
      .regex(/^[a-z]{2,3}(-[A-Za-z]{2,4})?$/, 'must be a language code, such as en or zh-CN')
      .meta({ description: "Language of the text. Default: the account's own setting." }),
    poll: pollFor({}),
  })
  .partial()
  .meta({ id: 'MastodonOptions', description: 'Options of a post to Mastodon.' });

// Finds URLs and mentions as the server does, except for its list of top-level domains.
// https://github.com/mastodon/mastodon/blob/main/config/initializers/twitter_regex.rb
// https://github.com/mastodon/mastodon/blob/main/app/models/account.rb (MENTION_RE)
const parens = String.raw`\([^\s<>()?]*\)`;
const path = String.raw`/(?:(?:[^\s<>()?]|${parens})*(?:[^\s<>()?!*"'「」;:=,.$%[\]~&|@]|${parens}))?`;
const query = String.raw`\?[\w!?*'();:&=+$/%#[\].,~|@^\u{a0}-\u{10ffff}-]*[\w&=#/\u{a0}-\u{10ffff}-]`;
const url = String.raw`(?<![a-z0-9@＠$#＃])https?://(?:[\p{L}\p{N}_-]+\.)+\p{L}[\p{L}\p{N}-]+(?::\d+)?(?:${path})?(?:${query})?`;
const word = String.raw`\p{L}\p{M}\p{Nd}\p{Pc}`;
const user = String.raw`(?<![=/${word}])@([a-z0-9_]+(?:[.-]+[a-z0-9_]+)*)`;
const urlOrMention = new RegExp(`${url}|${user}(?:@[${word}]+(?:[.-]+[${word}]+)*)?`, 'giu');

const imageTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif'];
const videoTypes = ['video/mp4', 'video/quicktime', 'video/webm'];

/**
 * A file must be smaller than the size limit, not equal to it. Servers don't limit the duration.
 * https://github.com/mastodon/mastodon/blob/main/app/models/media_attachment.rb
 * https://github.com/mastodon/mastodon/blob/main/app/services/post_status_service.rb (validate_media!)
 */
function mediaRulesFor(limits: Traits): MediaRules {
  const { max_media_attachments: max = 4, description_limit: altText = 1_500 } = limits;
  const { image_size_limit: imageBytes = 16_777_216, image_matrix_limit = 33_177_600 } = limits;
  const { video_size_limit: videoBytes = 103_809_024, video_matrix_limit = 8_294_400 } = limits;
  const supported = limits['supported_mime_types'];
  const isSupported = (type: string) =>
    supported === undefined || String(supported).split(' ').includes(type);
  return {
    max: Number(max),
    canMix: false,
    image: {
      max: Number(max),
      types: imageTypes.filter(isSupported),
      maxBytes: Number(imageBytes) - 1,
      maxPixels: Number(image_matrix_limit),
    },
    video: {
      max: 1,
      types: videoTypes.filter(isSupported),
      maxBytes: Number(videoBytes) - 1,
      maxPixels: Number(video_matrix_limit),
      hasThumbnail: true,
    },
    altText: Number(altText),
    // Servers before 4.6 refuse a poll with media.
    refuse: (_, { poll }) => notWithMedia('Mastodon', { poll }),
  };
}

/** A limit that the server doesn't report has the value that it has on a new server. */
function rulesFor(limits: Traits): PlatformRules {
  const { max_characters: max = 500, characters_reserved_per_url: urlLength = 23 } = limits;
  return {
    text: {
      max: Number(max),
      unit: 'graphemes',
      // https://github.com/mastodon/mastodon/blob/main/app/validators/status_length_validator.rb
      count(text, { spoiler_text = '' }) {
        let urls = 0;
        const counted = text.trim().replaceAll(urlOrMention, (_url, user?: string) => {
          if (user !== undefined) return `@${user}`;
          urls += 1;
          return 'x';
        });
        const shown = countGraphemes(`${spoiler_text as string}${counted}`);
        return shown + urls * (Number(urlLength) - 1);
      },
    },
    isTextRequired: true,
    media: mediaRulesFor(limits),
    replies: { id: /^[\w-]{1,64}$/, example: '103254962155278888' },
    source: 'https://docs.joinmastodon.org/entities/Instance/#max_characters',
  };
}

export const mastodon = definePlatform({
  name: 'mastodon',
  title: 'Mastodon',
  settings: {},
  rules: rulesFor({}),
  rulesFor,
  options,
  trialPost: { options: { visibility: 'direct' }, seenBy: 'the account itself' },
  afterPublishing: {
    unpublish: { withinS: null, scopes: [], except: [] },
    edit: {
      fields: [
        'caption',
        'media.alt_text',
        'platform_options.spoiler_text',
        'platform_options.sensitive',
        'platform_options.language',
      ],
      withinS: null,
      scopes: [],
      except: ['Posts with a poll, whose votes an edit can reset.'],
      refuse: ({ options }) =>
        options['poll'] === undefined
          ? undefined
          : 'An edit of a post with a poll can reset its votes.',
    },
    byHand: 'Use the menu of the post on the website of the server.',
    sources: {
      unpublish: 'https://docs.joinmastodon.org/methods/statuses/#delete',
      edit: 'https://docs.joinmastodon.org/methods/statuses/#edit',
    },
  },
  optionsFor: (limits) => options.extend({ poll: pollFor(limits).optional() }),
  // Mastodon keeps an `Idempotency-Key` for an hour after the post, but not every version keeps it while
  // the first request is running (https://github.com/mastodon/mastodon/pull/37879). So Fanfare searches
  // the account's posts before any repeat, also because GoToSocial reads no key. The key only guards
  // against posts that the search missed.
  // https://docs.joinmastodon.org/methods/statuses/#headers
  commitRepeatsForMs: 0,
});
