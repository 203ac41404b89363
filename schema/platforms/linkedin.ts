// LinkedIn: its settings, its rules and the options of a post.
import { z } from 'zod';
import {
  definePlatform,
  notWithMedia,
  type MediaFileRules,
  type MediaRefusal,
  type MediaSummary,
  type PlatformRules,
  type PostFinding,
  type PostSummary,
  type Traits,
} from './definition.ts';
import { LinkThumb } from './options/link-thumb.ts';
import { baseUrl, scopes } from './variables.ts';

/** Published in September 2026. LinkedIn ends a version about a year after it was published. */
const version = '202609';

/** A post, as LinkedIn names it. */
export const postUrn = /^urn:li:(share|ugcPost):\d+$/;

const image = {
  // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/images-api
  types: ['image/jpeg', 'image/png', 'image/gif'],
  maxPixels: 36_152_319,
} satisfies Omit<MediaFileRules, 'max'>;

/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api */
const link = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .max(2_048)
      .meta({ description: 'URL of the page.' }),
    title: z.string().trim().min(1).max(400).optional().meta({
      description: 'Title of the card. Default: the host of the URL.',
    }),
    description: z.string().max(4_086).optional().meta({
      description: 'Text of the card.',
    }),
    thumb: LinkThumb.optional(),
  })
  .meta({
    description: 'Page to show as a card. LinkedIn reads nothing from the page itself.',
    'x-no-default': true,
  });

/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/poll-post-api */
const poll = z
  .strictObject({
    question: z.string().trim().min(1).max(140).meta({ description: 'Question of the poll.' }),
    options: z
      .array(z.string().trim().min(1).max(30))
      .min(2)
      .max(4)
      .meta({ description: 'Answers to choose from.' }),
    duration: z
      .enum(['ONE_DAY', 'THREE_DAYS', 'SEVEN_DAYS', 'FOURTEEN_DAYS'])
      .optional()
      .meta({
        description: 'How long the poll is open. Default: three days.',
        'x-enumDescriptions': {
          ONE_DAY: 'one day',
          THREE_DAYS: 'three days',
          SEVEN_DAYS: 'seven days',
          FOURTEEN_DAYS: 'fourteen days',
        },
      }),
  })
  .meta({ description: 'Poll below the text. A post with a poll has neither media nor `link`.' });

/** Options have the names of the API: https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api */
const options = z
  .strictObject({
    visibility: z
      .enum(['PUBLIC', 'LOGGED_IN', 'CONNECTIONS'])
      .optional()
      .meta({
        description: 'Who can see the post. Default: `PUBLIC`.',
        'x-enumDescriptions': {
          PUBLIC: 'everyone',
          LOGGED_IN: 'members of LinkedIn',
          CONNECTIONS: 'connections of the member; pages have none',
        },
      }),
    link: link.optional(),
    poll: poll.optional(),
    document_title: z.string().trim().min(1).max(400).optional().meta({
      description: 'Title above the document. Required with a document.',
      'x-no-default': true,
    }),
    disable_reshare: z.boolean().optional().meta({
      description: 'Whether reposts are disabled. Default: false.',
    }),
  })
  .refine((given) => !given.link || !given.poll, {
    path: ['poll'],
    error: 'must not be sent together with link',
  })
  .meta({ id: 'LinkedInOptions', description: 'Options of a post to LinkedIn.' });

function refuseMedia(
  media: readonly MediaSummary[],
  { poll: asked, document_title }: Record<string, unknown>,
): MediaRefusal[] {
  const hasDocument = media.some(({ kind }) => kind === 'document');
  const untitled: MediaRefusal = {
    code: 'document_title_required',
    message: ({ field }) =>
      `LinkedIn shows a title above a document. Set ${field('document_title')}.`,
    option: 'document_title',
  };
  return [
    ...notWithMedia('LinkedIn', { poll: asked }),
    ...(hasDocument && document_title === undefined ? [untitled] : []),
  ];
}

/** LinkedIn's editor takes this many characters. The API documents no limit. */
const maxComment = 1_250;

function check(post: PostSummary): PostFinding[] {
  return post.isReply ? checkReply(post) : [...checkTitle(post), ...checkFirstComment(post)];
}

const tooLong = (length: number) => ({
  message: `LinkedIn takes comments of at most ${maxComment} UTF-16 code units.`,
  actual: length,
  limit: maxComment,
});

function checkFirstComment({ firstComment }: PostSummary): PostFinding[] {
  const { length } = firstComment ?? '';
  if (length <= maxComment) return [];
  return [{ at: 'first_comment', code: 'first_comment_too_long', ...tooLong(length) }];
}

/** A reply is a comment, which has only text. */
function checkReply({ caption, media, options: given }: PostSummary): PostFinding[] {
  const withMedia = 'A reply on LinkedIn is a comment, which has no media.';
  const withOption = 'A reply on LinkedIn is a comment, which has no options.';
  const ignored = { code: 'option_ignored', message: withOption, isWarning: true } as const;
  const set = Object.keys(given).filter((option) => given[option] !== undefined);
  return [
    ...set.map((option) => ({ at: 'options', option, ...ignored }) as const),
    ...(media.length > 0
      ? [{ at: 'media', code: 'media_not_supported', message: withMedia } as const]
      : []),
    ...(caption.length > maxComment
      ? [{ at: 'caption', code: 'caption_too_long', ...tooLong(caption.length) } as const]
      : []),
  ];
}

/** Media whose kind isn't known yet may be a document. */
function checkTitle({ media, options: given }: PostSummary): PostFinding[] {
  const mayHave = media.some(({ kind }) => kind === null || kind === 'document');
  if (given['document_title'] === undefined || mayHave) return [];
  const message = 'The post has no document, so it has no title.';
  const finding = { at: 'options', option: 'document_title', code: 'option_ignored' } as const;
  return [{ ...finding, message, isWarning: true }];
}

const rules = {
  // LinkedIn's API documents no limit, so this is the limit of its editor. The unit isn't documented
  // either. UTF-16 is the unit in which a text is longest.
  text: { max: 3_000, unit: 'utf16' },
  isTextRequired: true,
  media: {
    max: 20,
    canMix: false,
    // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/multiimage-post-api
    image: { ...image, max: 20 },
    // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/videos-api
    video: {
      max: 1,
      types: ['video/mp4'],
      maxBytes: 500_000_000,
      minDurationMs: 3_000,
      maxDurationMs: 1_800_000,
    },
    // https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/documents-api
    document: { max: 1, types: ['application/pdf'], maxBytes: 100_000_000 },
    linkCard: { ...image, max: 1 },
    altText: 4_086,
    isAltTextOfImages: true,
    refuse: refuseMedia,
  },
  check,
  replies: null,
  source:
    'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api',
} satisfies PlatformRules;

/** `comments`: the login has the scope for comments, which LinkedIn grants only with a permission of its own. */
function rulesFor({ comments = false }: Traits): PlatformRules {
  if (!comments) return rules;
  const replies = {
    id: postUrn,
    example: 'urn:li:share:7234567890123456789',
    areComments: true,
  } as const;
  return { ...rules, replies };
}

export const linkedin = definePlatform({
  name: 'linkedin',
  title: 'LinkedIn',
  hasApp: true,
  needsAppSecret: true,
  settings: {
    apiUrl: baseUrl("LinkedIn's API.", 'https://api.linkedin.com'),
    loginUrl: baseUrl("LinkedIn's OAuth endpoints.", 'https://www.linkedin.com/oauth/v2'),
    version: z
      .string()
      .regex(/^\d{6}$/, 'must be a year and a month, such as 202609')
      .default(version)
      .meta({
        description:
          'Version of the API. LinkedIn ends a version about a year after it was published: https://learn.microsoft.com/en-us/linkedin/marketing/versioning',
      }),
    scopes: scopes(
      "Scopes to ask for. Pages need `r_organization_admin w_organization_social r_organization_social`, which LinkedIn grants only to apps with its Community Management API. Comments need `w_member_social_feed` for the member and `w_organization_social_feed` for pages. An app without LinkedIn's OpenID Connect asks for `r_basicprofile` instead of `openid profile`.",
      ['openid', 'profile', 'w_member_social'],
    ),
  },
  rules,
  rulesFor,
  options,
  afterPublishing: {
    unpublish: { withinS: null, scopes: [], except: [] },
    edit: { fields: ['caption'], withinS: null, scopes: [], except: [] },
    byHand: 'Use the menu of the post on linkedin.com or in its app.',
    sources: {
      unpublish:
        'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api#delete-posts',
      edit: 'https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/posts-api#update-posts',
    },
  },
  preparesOnlyMedia: true,
  // LinkedIn refuses a repeat with DUPLICATE_POST, but documents neither for how long nor whether it
  // recognizes a first post that it is still processing.
  commitRepeatsForMs: 0,
});
