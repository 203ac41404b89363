// Instagram: its settings, its rules and the options of a post.
import { z } from 'zod';
import {
  definePlatform,
  type MediaFileRules,
  type MediaRefusal,
  type MediaRules,
  type MediaSummary,
  type PostFinding,
  type PostSummary,
} from './definition.ts';
import { ConfigId } from './facebook.ts';
import { isDistinct, optionText } from './options/limits.ts';
import { baseUrl, graphVersion, scopes, text } from './variables.ts';

/** https://developers.facebook.com/docs/instagram-platform/content-publishing */
const maxItems = 10;

const username = z
  .string()
  .regex(/^[\w.]{1,30}$/, 'must be a username, without @')
  .meta({ description: 'Username, without `@`.' });

const share = z.number().min(0).max(1).optional();

const userTag = z.strictObject({
  username,
  x: share.meta({ description: 'Distance from the left edge, as a share of the width.' }),
  y: share.meta({ description: 'Distance from the top edge, as a share of the height.' }),
  media_index: z
    .int()
    .min(0)
    .max(maxItems - 1)
    .optional()
    .meta({ description: 'Position of the image or video in `media`, from 0. Default: 0.' }),
});
type UserTag = z.infer<typeof userTag>;

/** Options have the names of the API: https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media */
const options = z
  .strictObject({
    placement: z
      .enum(['feed', 'reel', 'story'])
      .optional()
      .meta({
        description:
          'Where the post appears. Default: `reel` for a single video, otherwise `feed`.',
        'x-enumDescriptions': {
          feed: 'an image, or a carousel of 2 to 10 images and videos',
          reel: 'a video',
          story: 'an image or a video, for 24 hours, without a caption',
        },
      }),
    collaborators: z
      .array(username)
      .min(1)
      .max(3)
      .refine(isDistinct, "can't have the same value twice")
      .optional()
      .meta({
        description: 'Usernames of accounts to invite as further authors. Not for a story.',
      }),
    user_tags: z.array(userTag).min(1).max(20).optional().meta({
      description:
        'Accounts to tag. A tag of an image in the feed needs `x` and `y`. A tag of a video has neither.',
    }),
    location_id: z
      .string()
      .regex(/^\d{1,30}$/, 'must be the ID of a page')
      .optional()
      .meta({ description: 'ID of the Facebook page of a place.' }),
    share_to_feed: z.boolean().optional().meta({
      description: "Whether a reel also appears in the account's feed. Reels only. Default: true.",
    }),
    audio_name: optionText(100).min(1).optional().meta({
      description: 'Name of the original audio. Reels only.',
    }),
  })
  .meta({ id: 'InstagramOptions', description: 'Options of a post to Instagram.' });

export type Placement = 'feed' | 'reel' | 'story';

/** Undefined: it depends on a file that is not read yet. */
export function placementOf(
  media: readonly Pick<MediaSummary, 'kind'>[],
  { placement }: Record<string, unknown>,
): Placement | undefined {
  if (placement !== undefined) return placement as Placement;
  const [first, ...others] = media;
  if (others.length > 0 || first?.kind === 'image') return 'feed';
  return first?.kind === 'video' ? 'reel' : undefined;
}

const ofReels = ['share_to_feed', 'audio_name'];

function refuse(
  media: readonly MediaSummary[],
  given: Record<string, unknown>,
): readonly MediaRefusal[] {
  const placement = placementOf(media, given);
  return [
    ...refusePlacement(media, given['placement'] as Placement | undefined),
    ...(placement && placement !== 'reel' ? refuseOptions(given, ofReels, 'only for a reel') : []),
    ...(placement === 'story' ? refuseOptions(given, ['collaborators'], 'not for a story') : []),
    ...((given['user_tags'] ?? []) as UserTag[]).flatMap((tag) => refuseTag(media, tag, placement)),
  ];
}

function refusePlacement(
  media: readonly MediaSummary[],
  given: Placement | undefined,
): MediaRefusal[] {
  const [first, ...others] = media;
  const add = (message: MediaRefusal['message']) => [
    { code: 'placement_not_supported', message, option: 'placement' },
  ];
  const isOneOf = (kind: MediaSummary['kind']) => others.length === 0 && first?.kind === kind;
  if (given === 'feed' && isOneOf('video')) {
    return add('Instagram publishes a single video only as a reel or as a story.');
  }
  if (given === 'reel' && (others.length > 0 || isOneOf('image'))) {
    return add('A reel on Instagram is one video.');
  }
  if (given === 'story' && others.length > 0) {
    return add('A story on Instagram is one image or one video.');
  }
  return [];
}

function refuseOptions(
  given: Record<string, unknown>,
  names: readonly string[],
  when: string,
): MediaRefusal[] {
  return names
    .filter((option) => given[option] !== undefined)
    .map((option) => ({
      code: 'option_not_supported',
      message: ({ field }) => `Instagram accepts ${field(option)} ${when}.`,
      option,
    }));
}

function refuseTag(
  media: readonly MediaSummary[],
  { media_index = 0, x, y, username: tagged }: UserTag,
  placement: Placement | undefined,
): MediaRefusal[] {
  const add = (message: string) => [{ code: 'invalid_user_tag', message, option: 'user_tags' }];
  const tag = `The tag of ${tagged}`;
  const target = media[media_index];
  if (!target) return add(`${tag} names media ${media_index}, which the post doesn't have.`);
  if ((x === undefined) !== (y === undefined))
    return add(`${tag} must have both x and y, or none.`);
  if (target.kind === 'video' && x !== undefined)
    return add(`${tag} is on a video, so it has no x.`);
  if (placement === 'feed' && target.kind === 'image' && x === undefined) {
    return add(`${tag} must have x and y, because it is on an image.`);
  }
  return [];
}

// https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media#image-specifications
const jpeg = { types: ['image/jpeg'], maxBytes: 8_000_000 } satisfies Omit<MediaFileRules, 'max'>;
const movie = {
  types: ['video/mp4', 'video/quicktime'],
  maxWidth: 1_920,
  maxRatio: 10,
  minDurationMs: 3_000,
} satisfies Omit<MediaFileRules, 'max'> & { minDurationMs: number };

// https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media#story-image-specifications
const story: MediaRules = {
  max: 1,
  canMix: false,
  image: { ...jpeg, max: 1 },
  video: { ...movie, max: 1, maxBytes: 100_000_000, minRatio: 0.1, maxDurationMs: 60_000 },
  altText: null,
  refuse,
};

const media: MediaRules = {
  max: maxItems,
  canMix: true,
  // Instagram crops the images of a carousel to the ratio of the first one.
  image: { ...jpeg, max: maxItems, minRatio: 0.8, maxRatio: 1.91 },
  // https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media#reel-specifications
  video: {
    ...movie,
    max: maxItems,
    maxBytes: 300_000_000,
    minRatio: 0.01,
    maxDurationMs: 900_000,
    hasThumbnail: true,
    hasThumbnailFrame: true,
  },
  altText: 1_000,
  isAltTextOfImages: true,
  refuse,
  withOptions: ({ placement }) => (placement === 'story' ? story : media),
};

/** https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media#query-string-parameters */
const counted = [
  { sign: /#[\p{L}\p{N}_]+/gu, limit: 30, code: 'too_many_hashtags', what: 'hashtags' },
  { sign: /(?<![\w.@])@[\w.]+/g, limit: 20, code: 'too_many_mentions', what: 'mentions' },
];

function check(post: PostSummary): readonly PostFinding[] {
  const { caption, firstComment, media: given, isReply } = post;
  if (isReply) return checkComment(post);
  const isStory = placementOf(given, post.options) === 'story';
  const findings: PostFinding[] = [];
  if (given.length === 0) {
    const message = 'Instagram needs an image or a video.';
    findings.push({ at: 'media', code: 'media_required', message });
  }
  if (isStory && caption.trim() !== '') {
    const message = 'A story on Instagram has no caption, so this one is left out.';
    findings.push({ at: 'caption', code: 'caption_ignored', message, isWarning: true });
  }
  if (isStory && firstComment !== null) {
    const message = 'A story on Instagram takes no comment.';
    findings.push({ at: 'first_comment', code: 'comments_not_supported', message });
  }
  for (const { sign, limit, code, what } of isStory ? [] : counted) {
    const actual = caption.match(sign)?.length ?? 0;
    const message = `Instagram accepts at most ${limit} ${what} in a caption.`;
    if (actual > limit) findings.push({ at: 'caption', code, message, actual, limit });
  }
  return findings;
}

function checkComment({ caption, media: given }: PostSummary): readonly PostFinding[] {
  const findings: PostFinding[] = [];
  if (given.length > 0) {
    const message = 'A reply on Instagram is a comment, which has no media.';
    findings.push({ at: 'media', code: 'media_not_supported', message });
  }
  if (caption.trim() === '') {
    const message = 'A comment on Instagram needs a text.';
    findings.push({ at: 'caption', code: 'caption_required', message });
  }
  return findings;
}

export const instagram = definePlatform({
  name: 'instagram',
  title: 'Instagram',
  needsPublicMedia: true,
  hasApp: true,
  needsAppSecret: true,
  appSettings: z.strictObject({
    config_id: ConfigId.optional(),
    login: z.enum(['instagram', 'facebook']).optional().meta({
      description: 'Login that the client ID and the secret are for. Default: `instagram`.',
    }),
  }),
  userCallbacks: 'meta',
  settings: {
    apiUrl: baseUrl('The API of accounts that log in at Instagram.', 'https://graph.instagram.com'),
    // https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
    consentUrl: baseUrl("Instagram's consent page.", 'https://www.instagram.com/oauth/authorize'),
    tokenUrl: baseUrl(
      "Instagram's token endpoint.",
      'https://api.instagram.com/oauth/access_token',
    ),
    facebookApiUrl: baseUrl(
      'The API of accounts that log in at Facebook.',
      'https://graph.facebook.com',
    ),
    facebookLoginUrl: baseUrl("Facebook's login pages.", 'https://www.facebook.com'),
    version: graphVersion(
      'Version of both APIs. Meta ends a version about two years after it was published: https://developers.facebook.com/docs/graph-api/changelog',
      'v25.0',
    ),
    scopes: scopes(
      'Scopes to ask for at Instagram. Without `instagram_business_manage_comments`, first comments and replies fail.',
      [
        'instagram_business_basic',
        'instagram_business_content_publish',
        'instagram_business_manage_comments',
      ],
    ),
    facebookScopes: scopes(
      'Scopes to ask for at Facebook. Without `instagram_manage_comments`, first comments and replies fail. Without `business_management`, pages of a business are not found.',
      [
        'instagram_basic',
        'instagram_content_publish',
        'instagram_manage_comments',
        'pages_show_list',
        'pages_read_engagement',
        'business_management',
      ],
    ),
    facebookConfigId: text(
      'ID of a configuration of Facebook Login for Business, which replaces the scopes.',
    ),
  },
  rules: {
    text: { max: 2_200, unit: 'characters' },
    isTextRequired: false,
    media,
    replies: { id: /^\d{1,30}$/, example: '17895695668004550', areComments: true },
    check,
    source:
      'https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media',
  },
  options,
  // A reply is a comment, which has no media.
  afterPublishing: {
    unpublish: null,
    edit: null,
    byHand: 'Use the app of Instagram.',
    sources: {
      unpublish:
        'https://developers.facebook.com/docs/instagram-platform/reference/instagram-media/',
      edit: 'https://developers.facebook.com/docs/instagram-platform/reference/instagram-media/',
    },
  },
  preparesOnlyMedia: true,
  // The answer to a second publish of a container is undocumented.
  commitRepeatsForMs: 0,
});
