// Threads: its settings, its rules and the options of a post.
import { z } from 'zod';
import { definePlatform, notWithMedia } from './definition.ts';
import { countCharacters, optionText, previewUrl } from './options/limits.ts';
import { baseUrl, graphVersion, scopes } from './variables.ts';

/** An emoji of several code points is one match. */
const emoji = /\p{RGI_Emoji}|\p{Extended_Pictographic}/gv;

/** Counts characters, and for each emoji its bytes. https://developers.facebook.com/docs/threads/posts */
function countText(text: string): number {
  const counted = Array.from(text.matchAll(emoji), ([found]) => found);
  const added = counted.map((found) => Buffer.byteLength(found) - countCharacters(found));
  return added.reduce((sum, each) => sum + each, countCharacters(text));
}

/** https://developers.facebook.com/docs/threads/create-posts/polls */
const poll = z
  .strictObject({
    options: z
      .array(optionText(25).min(1))
      .min(2)
      .max(4)
      .meta({ description: 'Answers to choose from.' }),
  })
  .meta({
    description: 'Poll below the text. A post with a poll has neither media nor `link_attachment`.',
  });

/** Options have the names of the API: https://developers.facebook.com/docs/threads/reference/publishing */
const options = z
  .strictObject({
    reply_control: z
      .enum([
        'everyone',
        'accounts_you_follow',
        'mentioned_only',
        'parent_post_author_only',
        'followers_only',
      ])
      .optional()
      .meta({
        description: 'Who can reply. Default: everyone.',
        'x-enumDescriptions': {
          everyone: 'everyone',
          accounts_you_follow: 'accounts that the account follows',
          mentioned_only: 'accounts that the post mentions',
          parent_post_author_only: 'the author of the post that this one replies to',
          followers_only: 'followers of the account',
        },
      }),
    topic_tag: optionText(50)
      .min(1)
      .regex(/^[^.&]*$/, 'must not contain . or &')
      .optional()
      .meta({ description: 'Topic, without `#`. Default: the first tag in the text.' }),
    link_attachment: previewUrl(),
    poll: poll.optional(),
    quote_post_id: z
      .string()
      .regex(/^\d{1,30}$/, 'must be the ID of a post')
      .optional()
      .meta({
        description: 'ID of a post to quote, such as a choice of the kind `post`.',
        'x-choices': 'post',
        'x-no-default': true,
      }),
  })
  .refine((given) => given.link_attachment === undefined || !given.poll, {
    path: ['poll'],
    error: 'must not be beside link_attachment',
  })
  .meta({ id: 'ThreadsOptions', description: 'Options of a post to Threads.' });

const maxMedia = 20;

export const threads = definePlatform({
  name: 'threads',
  title: 'Threads',
  needsPublicMedia: true,
  hasApp: true,
  needsAppSecret: true,
  userCallbacks: 'meta',
  scopes: ['threads_basic', 'threads_content_publish'],
  settings: {
    apiUrl: baseUrl('The Threads API.', 'https://graph.threads.net'),
    // https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions
    consentUrl: baseUrl("Threads' consent page.", 'https://threads.com/oauth/authorize'),
    version: graphVersion('Version of the Threads API.', 'v1.0'),
    scopes: scopes(
      'Scopes to ask for. Without `threads_manage_replies`, replies, threads and first comments fail. Without `threads_read_replies`, a reply after a lost answer has no ID. `threads_delete` lets Fanfare remove posts.',
      [
        'threads_basic',
        'threads_content_publish',
        'threads_manage_replies',
        'threads_read_replies',
      ],
    ),
  },
  rules: {
    text: { max: 500, unit: 'emoji_bytes', count: countText },
    isTextRequired: true,
    media: {
      max: maxMedia,
      canMix: true,
      // https://developers.facebook.com/docs/threads/posts#media-specifications
      image: {
        max: maxMedia,
        types: ['image/jpeg', 'image/png'],
        maxBytes: 8_000_000,
        minRatio: 0.1,
        maxRatio: 10,
      },
      video: {
        max: maxMedia,
        types: ['video/mp4', 'video/quicktime'],
        maxBytes: 1_000_000_000,
        maxWidth: 1_920,
        minRatio: 0.01,
        maxRatio: 10,
        maxDurationMs: 300_000,
      },
      altText: 1_000,
      refuse: (_, { link_attachment, poll: asked }) =>
        notWithMedia('Threads', { link_attachment, poll: asked }),
    },
    replies: { id: /^\d{1,30}$/, example: '17950812345678901' },
    source: 'https://developers.facebook.com/docs/threads/posts',
  },
  options,
  afterPublishing: {
    unpublish: { withinS: null, scopes: ['threads_delete'], except: [] },
    edit: null,
    byHand: 'Use the menu of the post on threads.com or in its app.',
    sources: {
      unpublish: 'https://developers.facebook.com/docs/threads/posts/delete-posts',
      edit: 'https://developers.facebook.com/docs/threads/posts',
    },
  },
  choices: { post: "The profile's own posts, newest first, without replies." },
  // The answer to a second publish of a container is undocumented.
  commitRepeatsForMs: 0,
});
