// Facebook Pages: settings, rules, and the options of a post.
import { z } from 'zod';
import {
  definePlatform,
  notWithMedia,
  type MediaKind,
  type MediaRules,
  type MediaSummary,
  type PostFinding,
} from './definition.ts';
import { previewUrl } from './options/limits.ts';
import { baseUrl, graphVersion, scopes, text } from './variables.ts';

const Placement = z.enum(['feed', 'reel', 'story']);
export type Placement = z.infer<typeof Placement>;

/**
 * Options have the names of the API, except `placement`: https://developers.facebook.com/docs/pages-api/posts
 */
const options = z
  .strictObject({
    placement: Placement.optional().meta({
      description:
        'Where the post shows. Default: `reel` for an upright video of 3 to 90 seconds, otherwise `feed`.',
      'x-enumDescriptions': {
        feed: "in the page's feed",
        reel: 'as a reel, which is one video',
        story: 'for 24 hours as a story, which is one image or one video without text',
      },
    }),
    link: previewUrl(),
  })
  .refine(({ link, placement = 'feed' }) => link === undefined || placement === 'feed', {
    path: ['link'],
    error: 'must not be beside this placement',
  })
  .meta({ id: 'FacebookOptions', description: 'Options of a post to Facebook.' });

/**
 * Facebook refuses photos of more than 4 MB and of other types, although a page of its documents names 10 MB and GIF:
 * https://developers.facebook.com/docs/page-stories-api
 */
const image = { types: ['image/jpeg', 'image/png'], maxBytes: 4_000_000 };

/** Facebook documents neither a maximum size nor a maximum duration. */
const video = { max: 1, types: ['video/mp4', 'video/quicktime'], hasThumbnail: true };

/** https://developers.facebook.com/docs/video-api/guides/reels-publishing */
const reelLimits = {
  minWidth: 540,
  minHeight: 960,
  // 9:16 and 16:9, rounded.
  minRatio: 0.56,
  maxRatio: 1.78,
  minDurationMs: 3_000,
  maxDurationMs: 90_000,
};

const feed: MediaRules = {
  // Facebook documents no maximum.
  max: 10,
  canMix: false,
  image: { ...image, max: 10 },
  video,
  altText: 1_000,
  isAltTextOfImages: true,
  refuse: (_, { link }) => notWithMedia('Facebook', { link }),
  withOptions: ({ placement }) =>
    placement === 'reel' ? reel : placement === 'story' ? story : feed,
};

const reel: MediaRules = {
  ...feed,
  canMix: true,
  video: { ...video, ...reelLimits, max: feed.max },
  altText: null,
  refuse: (media) => refuseUnless(isOneOf(media, 'video'), 'A reel of Facebook is one video.'),
};

/** https://developers.facebook.com/docs/page-stories-api */
const story: MediaRules = {
  ...reel,
  video: { ...video, ...reelLimits, max: feed.max, maxDurationMs: 60_000, hasThumbnail: false },
  refuse: (media) =>
    refuseUnless(
      isOneOf(media, 'image') || isOneOf(media, 'video'),
      'A story of Facebook is one image or one video.',
    ),
};

/**
 * Whether there is one file, and it is of this kind. A file whose kind is not known yet may be of any kind.
 */
const isOneOf = ([first, ...others]: readonly MediaSummary[], kind: MediaKind) =>
  others.length === 0 && [kind, null].includes(first?.kind ?? null);

const refuseUnless = (isGood: boolean, message: string) =>
  isGood ? [] : [{ code: 'placement_not_supported', message, option: 'placement' }];

interface MediaSize {
  kind: MediaKind;
  width: number;
  height: number;
  durationMs: number | null;
}

/** Where Facebook shows a post with these media. `given`: the option. */
export function placementOf(
  given: Placement | undefined,
  [first]: readonly MediaSize[],
): Placement {
  if (given !== undefined) return given;
  return first?.kind === 'video' && isReel(first) ? 'reel' : 'feed';
}

function isReel({ width, height, durationMs }: MediaSize): boolean {
  const { minWidth, minHeight, minRatio, minDurationMs, maxDurationMs } = reelLimits;
  const isLargeEnough = width >= minWidth && height >= minHeight;
  const isUpright = height > width && width / height >= minRatio;
  const isInTime =
    durationMs !== null && durationMs >= minDurationMs && durationMs <= maxDurationMs;
  return isLargeEnough && isUpright && isInTime;
}

/** A configuration works only with the app that it belongs to. */
export const ConfigId = z
  .string()
  .regex(/^\d{1,30}$/, 'must be the ID of a configuration')
  .meta({
    description: 'ID of a configuration of Facebook Login for Business, which replaces the scopes.',
  });

export const facebook = definePlatform({
  name: 'facebook',
  title: 'Facebook',
  hasApp: true,
  needsAppSecret: true,
  // https://developers.facebook.com/docs/pages-api/posts
  scopes: ['pages_show_list', 'pages_read_engagement', 'pages_manage_posts'],
  appSettings: z.strictObject({ config_id: ConfigId.optional() }),
  userCallbacks: 'meta',
  settings: {
    apiUrl: baseUrl("Facebook's Graph API.", 'https://graph.facebook.com'),
    videoUrl: baseUrl(
      "Facebook's Graph API for videos in the feed.",
      'https://graph-video.facebook.com',
    ),
    loginUrl: baseUrl("Facebook's website, for its consent page.", 'https://www.facebook.com'),
    version: graphVersion(
      'Version of the Graph API. Meta ends a version about two years after it was published: https://developers.facebook.com/docs/graph-api/changelog',
      'v25.0',
    ),
    scopes: scopes(
      'Scopes to ask for. Without `pages_manage_engagement`, comments fail. Without `business_management`, pages that only a business shares with the user are not listed.',
      [
        'pages_show_list',
        'pages_read_engagement',
        'pages_manage_posts',
        'pages_manage_engagement',
        'business_management',
      ],
    ),
    configId: text(
      'ID of a configuration of Facebook Login for Business, which replaces the scopes.',
    ),
  },
  rules: {
    // Facebook documents no limit, but this one is widely known. Its unit is undocumented too, so this is the
    // unit in which a text is longest.
    text: { max: 63_206, unit: 'utf16' },
    isTextRequired: true,
    media: feed,
    replies: {
      id: /^\d{1,30}(_\d{1,30})?$/,
      example: '102030405060708_122100000000000001',
      areComments: true,
    },
    check: ({ caption, media, options: { placement }, firstComment }) => {
      const findings: PostFinding[] = [];
      if (placement !== 'reel' && placement !== 'story') return findings;
      if (media.length === 0) {
        const what = placement === 'reel' ? 'a video' : 'an image or a video';
        const message = `A ${placement} of Facebook needs ${what}.`;
        findings.push({ at: 'media', code: 'media_required', message });
      }
      if (placement === 'reel') return findings;
      if (caption.trim() !== '') {
        const message = 'A story of Facebook shows no text.';
        findings.push({ at: 'caption', code: 'caption_ignored', message, isWarning: true });
      }
      if (firstComment !== null) {
        const message = 'A story of Facebook takes no comments.';
        findings.push({ at: 'first_comment', code: 'comments_not_supported', message });
      }
      return findings;
    },
    source: 'https://developers.facebook.com/docs/pages-api/posts',
  },
  options,
  afterPublishing: {
    unpublish: {
      withinS: null,
      scopes: [],
      except: ['Stories, which end after 24 hours.'],
      refuse: ({ options }) =>
        options['placement'] === 'story'
          ? 'Facebook documents no API call that removes a story.'
          : undefined,
    },
    edit: {
      fields: ['caption'],
      withinS: null,
      scopes: [],
      except: ['Posts with media.'],
      refuse: ({ mediaCount }) =>
        mediaCount > 0 ? 'Fanfare edits only posts of Facebook without media.' : undefined,
    },
    byHand: 'Use the page on facebook.com.',
    sources: {
      unpublish: 'https://developers.facebook.com/docs/pages-api/posts',
      edit: 'https://developers.facebook.com/docs/pages-api/posts',
    },
  },
  preparesOnlyMedia: true,
  // Facebook recognizes a repeat only of the page's last post, and only by its text.
  commitRepeatsForMs: 0,
});
