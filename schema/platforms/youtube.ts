// YouTube: its settings, its rules and the options of a post, which is one video.
import { z } from 'zod';
import { definePlatform, type PostFinding } from './definition.ts';
import { isDistinct } from './options/limits.ts';
import { baseUrl, scopes } from './variables.ts';

/** https://developers.google.com/youtube/data/reference/rest/v3/videos */
const maxTitle = 100;
const maxDescriptionBytes = 5_000;
const maxTags = 500;
const forbidden = /[<>]/;

/** A tag with a space counts as if it were in quotation marks. Commas between tags count too. */
export function countTags(tags: readonly string[]): number {
  const quoted = tags.map((tag) => (tag.includes(' ') ? `"${tag}"` : tag));
  return quoted.join(',').length;
}

const Visibility = z.enum(['public', 'unlisted', 'private']);

const options = z
  .strictObject({
    title: z
      .string()
      .trim()
      .min(1)
      // The unit is undocumented. UTF-16 is the unit in which a title is longest.
      .max(maxTitle)
      .regex(/^[^<>]*$/, 'must not contain < or >')
      .meta({ description: 'Title of the video. Required.', 'x-no-default': true }),
    visibility: Visibility.optional().meta({
      description: 'Who can see the video. Default: `public`.',
      'x-enumDescriptions': {
        public: 'everyone',
        unlisted: 'everyone who has the link',
        private: 'the channel, and people whom it invites',
      },
    }),
    made_for_kids: z.boolean().meta({
      description:
        'Whether the video is made for children, as laws such as COPPA define it. YouTube then shows no comments and no personalized ads. Required, unless the account has a default.',
    }),
    tags: z
      .array(z.string().trim().min(1).max(maxTags))
      .refine(isDistinct, 'must be distinct')
      .refine(
        (tags) => countTags(tags) <= maxTags,
        `must have at most ${maxTags} characters, with the commas between tags and two more for each tag with a space`,
      )
      .optional()
      .meta({
        description: `Tags, with at most ${maxTags} characters together. The commas between them count, and a tag with a space counts two more.`,
      }),
    category_id: z
      .string()
      .regex(/^\d{1,4}$/, 'must be the ID of a category')
      .optional()
      .meta({
        description:
          'ID of a category that videos can have in the country of the channel, such as `22` for People & Blogs. Default: the one that YouTube chooses.',
      }),
    notify_subscribers: z.boolean().optional().meta({
      description: 'Whether YouTube notifies the subscribers of the channel. Default: true.',
    }),
    made_with_ai: z.boolean().optional().meta({
      description:
        'Whether the video contains realistic altered or synthetic media, which YouTube labels. Default: no statement.',
    }),
    playlist_id: z
      .string()
      .regex(/^[\w-]{2,100}$/, 'must be the ID of a playlist')
      .optional()
      .meta({
        description:
          'ID of a playlist of the channel, to which the published video is added. The login needs the scope `https://www.googleapis.com/auth/youtube`. Default: no playlist.',
      }),
  })
  .meta({ id: 'YouTubeOptions', description: 'Options of a post to YouTube.' });

/** Full names, as Google lists them for a login: https://developers.google.com/youtube/data/guides/auth/server-side-web-apps */
const neededScopes = [
  'https://www.googleapis.com/auth/youtube.upload',
  'https://www.googleapis.com/auth/youtube.readonly',
];

/** Removes and edits videos. */
const changeScopes = ['https://www.googleapis.com/auth/youtube'];

export const youtube = definePlatform({
  name: 'youtube',
  title: 'YouTube',
  hasApp: true,
  needsAppSecret: true,
  scopes: neededScopes,
  settings: {
    apiUrl: baseUrl("YouTube's API.", 'https://www.googleapis.com'),
    // https://developers.google.com/identity/protocols/oauth2/web-server
    consentUrl: baseUrl("Google's consent page.", 'https://accounts.google.com/o/oauth2/v2/auth'),
    tokenUrl: baseUrl("Google's endpoints for tokens.", 'https://oauth2.googleapis.com'),
    scopes: scopes('Scopes to ask for.', neededScopes),
  },
  rules: {
    text: { max: maxDescriptionBytes, maxBytes: maxDescriptionBytes, unit: 'characters' },
    isTextRequired: false,
    media: {
      max: 1,
      canMix: false,
      image: null,
      video: {
        max: 1,
        // YouTube accepts every type of video. Fanfare can read these.
        types: ['video/mp4', 'video/quicktime', 'video/webm'],
        // https://developers.google.com/youtube/data/reference/rest/v3/videos/insert
        maxBytes: 274_877_906_944,
        // https://support.google.com/youtube/answer/71673
        maxDurationMs: 43_200_000,
        hasThumbnail: true,
      },
      altText: null,
    },
    replies: null,
    check: ({ caption, media }) => {
      const findings: PostFinding[] = [];
      if (media.length === 0) {
        const message = 'YouTube needs a video.';
        findings.push({ at: 'media', code: 'media_required', message });
      }
      if (forbidden.test(caption)) {
        const message = 'A description on YouTube must not contain < or >.';
        findings.push({ at: 'caption', code: 'invalid_characters', message });
      }
      return findings;
    },
    source: 'https://developers.google.com/youtube/data/reference/rest/v3/videos',
  },
  options,
  steps: {
    thumbnail: {
      description: 'Sets the thumbnail of the video.',
      isWanted: ({ media }) => media.some(({ thumbnail_id }) => thumbnail_id !== null),
    },
    playlist: {
      description: 'Adds the video to the playlist of the option `playlist_id`.',
      isWanted: ({ options: { playlist_id } }) => playlist_id !== undefined,
    },
  },
  afterPublishing: {
    unpublish: { withinS: null, scopes: changeScopes, except: [] },
    edit: {
      fields: [
        'caption',
        'platform_options.title',
        'platform_options.visibility',
        'platform_options.tags',
        'platform_options.category_id',
      ],
      withinS: null,
      scopes: changeScopes,
      except: [],
    },
    byHand: 'Use YouTube Studio.',
    sources: {
      unpublish: 'https://developers.google.com/youtube/data/reference/rest/v3/videos/delete',
      edit: 'https://developers.google.com/youtube/data/reference/rest/v3/videos/update',
    },
  },
  trialPost: null,
  // A second upload of a video is a second video.
  commitRepeatsForMs: 0,
  // Each poll counts for a quota: https://developers.google.com/youtube/data/determine_quota_cost
  clock: { confirmMaxMs: 600_000 },
});
