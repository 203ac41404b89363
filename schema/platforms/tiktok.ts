// TikTok: its settings, its rules and the options of a post.
import { z } from 'zod';
import {
  definePlatform,
  type MediaRefusal,
  type MediaRules,
  type MediaSummary,
  type PostFinding,
  type PostSummary,
  type Traits,
} from './definition.ts';
import { optionText } from './options/limits.ts';
import { baseUrl, scopes } from './variables.ts';

/** https://developers.tiktok.com/doc/content-posting-api-reference-direct-post */
const privacyLevels = [
  'PUBLIC_TO_EVERYONE',
  'MUTUAL_FOLLOW_FRIENDS',
  'FOLLOWER_OF_CREATOR',
  'SELF_ONLY',
] as const;
export type PrivacyLevel = (typeof privacyLevels)[number];

export const isPrivacyLevel = (level: string): level is PrivacyLevel =>
  privacyLevels.includes(level as PrivacyLevel);

/** The levels that the traits of a creator list, separated by commas. */
export const privacyLevelsOf = ({ privacy_levels: levels = '' }: Traits): PrivacyLevel[] =>
  String(levels).split(',').filter(isPrivacyLevel);

export const privacyMeanings: Record<PrivacyLevel, string> = {
  PUBLIC_TO_EVERYONE: 'everyone',
  MUTUAL_FOLLOW_FRIENDS: 'followers that the creator follows too',
  FOLLOWER_OF_CREATOR: 'followers of the creator',
  SELF_ONLY: 'only the creator',
};

/** What others can do with a post. Photos have only comments. */
export const interactions = ['comment', 'duet', 'stitch'] as const;
export type Interaction = (typeof interactions)[number];

/** A clock of a client may be ahead by this much. */
const clockErrorMs = 300_000;

/** https://developers.tiktok.com/doc/content-sharing-guidelines */
const consent = z
  .strictObject({
    previewed: z
      .boolean()
      .refine((isPreviewed) => isPreviewed, 'must be true')
      .meta({ description: 'Whether the creator saw a preview of the post.' }),
    accepted_at: z.iso
      .datetime({ offset: true })
      .refine((time) => Date.parse(time) <= Date.now() + clockErrorMs, 'must not be in the future')
      .meta({ description: 'When the creator accepted that the post is sent to TikTok.' }),
  })
  .meta({
    description:
      'Consent of the creator, who saw a preview of the post and accepted it. Required with the mode `direct`.',
    'x-no-default': true,
  });

const allowed = (what: string) =>
  z
    .boolean()
    .optional()
    .meta({ description: `Whether ${what}. Default: false.` });

const shape = {
  mode: z
    .enum(['direct', 'inbox'])
    .optional()
    .meta({
      description: 'How the post reaches TikTok. Default: `direct`.',
      'x-enumDescriptions': {
        direct: 'TikTok publishes it',
        inbox: "TikTok puts it into the creator's inbox, and the creator publishes it in the app",
      },
    }),
  privacy_level: z.enum(privacyLevels).optional().meta({
    description:
      'Who can see the post. Required with the mode `direct`: the creator chooses it for each post among the choices of the kind `privacy_levels`.',
    'x-enumDescriptions': privacyMeanings,
    'x-choices': 'privacy_levels',
    'x-no-default': true,
  }),
  consent: consent.optional(),
  allow_comment: allowed('others can comment'),
  allow_duet: allowed('others can make duets with the video'),
  allow_stitch: allowed('others can stitch the video'),
  paid_partnership: z.boolean().optional().meta({
    description:
      'Whether to label the post as a paid partnership with a third party. Not with `SELF_ONLY`. Default: false.',
  }),
  promotes_own_brand: z.boolean().optional().meta({
    description:
      "Whether to label the post as promotion of the creator's own brand. Default: false.",
  }),
  made_with_ai: z
    .boolean()
    .optional()
    .meta({ description: 'Whether to label the video as made with AI. Default: false.' }),
  // In UTF-16 code units: https://developers.tiktok.com/doc/content-posting-api-reference-photo-post
  title: optionText(90, ({ length }) => length)
    .min(1)
    .optional()
    .meta({ description: 'Title of photos. Default: no title.' }),
  auto_add_music: z.boolean().optional().meta({
    description:
      'Whether TikTok adds music to photos, which the creator can change. Default: false.',
  }),
};

/** What creator_info says of a creator, and what the login allows. Absent: not known. */
interface CreatorTraits {
  /** Separated by commas. */
  privacy_levels?: string;
  comment_disabled?: boolean;
  duet_disabled?: boolean;
  stitch_disabled?: boolean;
  max_video_s?: number;
  /** The login may publish directly. */
  can_publish?: boolean;
  /** The login may send drafts to the inbox. */
  can_upload?: boolean;
}

type Options = z.infer<z.ZodObject<typeof shape>>;

interface OptionIssue {
  option: keyof Options;
  code: string;
  message: string;
}

/** What the creator decides for each post, and nobody else. */
const decidedPerPost = ['privacy_level', 'consent'] as const;

function findMissing(given: Options): OptionIssue[] {
  if (given.mode === 'inbox') return [];
  return decidedPerPost
    .filter((option) => given[option] === undefined)
    .map((option) => ({ option, code: 'required', message: 'is required' }));
}

function findIssues(given: Options, traits: CreatorTraits): OptionIssue[] {
  const { mode = 'direct', privacy_level: level } = given;
  const issues: OptionIssue[] = [];
  const isAllowed = mode === 'direct' ? traits.can_publish : traits.can_upload;
  if (isAllowed === false) {
    const [other, scope] =
      mode === 'direct' ? ['inbox', 'video.publish'] : ['direct', 'video.upload'];
    const message = `must be ${other}, because the login lacks ${scope}`;
    issues.push({ option: 'mode', code: 'permission_missing', message });
  }
  if (mode === 'inbox') return issues;
  // https://developers.tiktok.com/doc/content-sharing-guidelines
  if (given.paid_partnership === true && level === 'SELF_ONLY') {
    const not = 'must not be true in a post that only the creator sees';
    issues.push({ option: 'paid_partnership', code: 'not_private', message: not });
  }
  for (const what of interactions) {
    const option = `allow_${what}` as const;
    if (given[option] !== true || traits[`${what}_disabled`] !== true) continue;
    const off = 'must be false, because the creator turned this off at TikTok';
    issues.push({ option, code: 'interaction_disabled', message: off });
  }
  return issues;
}

function optionsFor(traits: Traits) {
  const creator = traits as CreatorTraits;
  const levels = privacyLevelsOf(traits);
  const known = shape.privacy_level.unwrap();
  const offered = z
    .enum(levels)
    .optional()
    .meta({ ...known.meta(), ...shape.privacy_level.meta() });
  const own = levels.length === 0 ? shape : { ...shape, privacy_level: offered };
  return z.strictObject(own).check(({ value, issues }) => {
    const found = [...findIssues(value, creator), ...findMissing(value)];
    for (const { option, code, message } of found) {
      const path = [option];
      issues.push({ code: 'custom', path, message, params: { code }, input: value[option] });
    }
  });
}

/** Options of these media only, and of the mode `direct` only. */
const ofVideos = ['allow_duet', 'allow_stitch', 'made_with_ai'];
const ofPhotos = ['title', 'auto_add_music'];
// prettier-ignore
const ofDirect = [
  'privacy_level', 'consent', 'allow_comment', 'allow_duet', 'allow_stitch', 'paid_partnership',
  'promotes_own_brand', 'made_with_ai', 'auto_add_music',
];

function refuse(media: readonly MediaSummary[], options: Record<string, unknown>): MediaRefusal[] {
  const isOf = (kind: 'image' | 'video') => media.some((file) => file.kind === kind);
  const refuseAll = (names: readonly string[], where: string) =>
    names
      .filter((option) => options[option] !== undefined)
      .map((option) => {
        const message = `TikTok doesn't take this option ${where}.`;
        return { code: 'option_not_supported', message, option };
      });
  if (options['mode'] === 'inbox') return refuseAll(ofDirect, 'for the inbox');
  return [
    ...(isOf('image') ? refuseAll(ofVideos, 'for photos') : []),
    ...(isOf('video') ? refuseAll(ofPhotos, 'for a video') : []),
  ];
}

/** In the inbox, creators can trim a video that is too long for them. */
const longestVideoMs = 600_000;

/** https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide */
const inbox = {
  max: 35,
  canMix: false,
  // A photo has 1080p at most.
  image: {
    max: 35,
    types: ['image/jpeg', 'image/webp'],
    maxBytes: 20_000_000,
    maxWidth: 1_920,
    maxHeight: 1_920,
    maxPixels: 1_920 * 1_080,
  },
  video: {
    max: 1,
    types: ['video/mp4', 'video/quicktime', 'video/webm'],
    maxBytes: 4_000_000_000,
    minWidth: 360,
    minHeight: 360,
    maxWidth: 4_096,
    maxHeight: 4_096,
    // https://developers.tiktok.com/doc/web-video-kit-with-web
    minDurationMs: 3_000,
    maxDurationMs: longestVideoMs,
  },
  altText: null,
  refuse,
} satisfies MediaRules;

const mediaFor = ({ max_video_s }: CreatorTraits): MediaRules => {
  const maxDurationMs = Math.min((max_video_s ?? Infinity) * 1_000, longestVideoMs);
  const direct = { ...inbox, video: { ...inbox.video, maxDurationMs, hasThumbnailFrame: true } };
  return { ...direct, withOptions: ({ mode }) => (mode === 'inbox' ? inbox : direct) };
};

function check({ caption, media, options: { mode } }: PostSummary): readonly PostFinding[] {
  if (media.length === 0) {
    const message = 'TikTok needs a video or photos.';
    return [{ at: 'media', code: 'media_required', message }];
  }
  if (mode !== 'inbox' || caption.trim() === '' || media[0]!.kind !== 'video') return [];
  const message = 'A video in the inbox has no caption, so this one is left out.';
  return [{ at: 'caption', code: 'caption_ignored', message, isWarning: true }];
}

const rulesFor = (traits: Traits) => ({
  // In UTF-16 code units. The text of photos is their description:
  // https://developers.tiktok.com/doc/content-posting-api-reference-direct-post
  // https://developers.tiktok.com/doc/content-posting-api-reference-photo-post
  text: { max: 2_200, maxWithImages: 4_000, unit: 'utf16' as const },
  isTextRequired: false,
  media: mediaFor(traits),
  replies: null,
  check,
  source: 'https://developers.tiktok.com/doc/content-posting-api-reference-direct-post',
});

export const tiktok = definePlatform({
  name: 'tiktok',
  title: 'TikTok',
  hasApp: true,
  needsAppSecret: true,
  userCallbacks: 'tiktok',
  fetchesImages: true,
  settings: {
    apiUrl: baseUrl("TikTok's API.", 'https://open.tiktokapis.com'),
    // https://developers.tiktok.com/doc/login-kit-web
    consentUrl: baseUrl("TikTok's consent page.", 'https://www.tiktok.com/v2/auth/authorize'),
    scopes: scopes(
      'Scopes to ask for. `video.publish` publishes posts, and `video.upload` sends drafts to the inbox. TikTok refuses scopes that it has not granted to the app.',
      ['user.info.basic', 'video.publish', 'video.upload'],
    ),
  },
  scopes: ['user.info.basic'],
  rules: rulesFor({}),
  rulesFor,
  options: optionsFor({}).meta({
    id: 'TikTokOptions',
    description: 'Options of a post to TikTok.',
  }),
  optionsFor,
  decidedPerPost,
  choices: { privacy_levels: 'Who can see a post, among what TikTok offers to the creator.' },
  trialPost: null,
  afterPublishing: {
    unpublish: null,
    edit: null,
    byHand: 'Use the app of TikTok.',
    // It lists all calls for posts. None removes or edits one.
    sources: {
      unpublish: 'https://developers.tiktok.com/doc/content-posting-api-get-started',
      edit: 'https://developers.tiktok.com/doc/content-posting-api-get-started',
    },
  },
  // TikTok documents no key, and nothing about a second call that publishes.
  commitRepeatsForMs: 0,
});
