// X, which its API and ours call `twitter`: its settings, its rules and the options of a post.
import { z } from 'zod';
import { weigh } from './text/twitter-text.ts';
import { baseUrl } from './variables.ts';
import {
  definePlatform,
  notWithMedia,
  type MediaRefusal,
  type MediaRules,
  type MediaSummary,
  type PlatformRules,
  type PostFinding,
  type PostSummary,
} from './definition.ts';

/** @see https://docs.x.com/x-api/posts/create-post */
const Poll = z.strictObject({
  options: z
    .array(z.string().trim().min(1).max(25))
    .min(2)
    .max(4)
    .meta({ description: 'Answers to choose from.' }),
  duration_minutes: z
    .int()
    .min(5)
    .max(10_080)
    .meta({ description: 'Minutes until the poll ends.' }),
});

const options = z
  .strictObject({
    reply_settings: z.enum(['following', 'mentionedUsers', 'subscribers', 'verified']).meta({
      description: 'Who can reply. Default: everyone.',
      'x-enumDescriptions': {
        following: 'accounts that the account follows',
        mentionedUsers: 'accounts that the post mentions',
        subscribers: 'subscribers of the account',
        verified: 'verified accounts',
      },
    }),
    poll: Poll.meta({ description: 'Poll below the text. Not with media.' }),
    made_with_ai: z
      .boolean()
      .meta({ description: 'Whether to label the media as made with AI. Default: false.' }),
    paid_partnership: z
      .boolean()
      .meta({ description: 'Whether to label the post as a paid partnership. Default: false.' }),
  })
  .partial()
  .meta({ id: 'XOptions', description: 'Options of a post to X.' });

const oneGif: MediaRefusal = {
  code: 'media_mix_not_supported',
  message: 'X accepts one GIF per post, without other images.',
};

function refuse(media: readonly MediaSummary[], { poll }: Record<string, unknown>) {
  const hasGif = media.some(({ contentType }) => contentType === 'image/gif');
  return [...notWithMedia('X', { poll }), ...(hasGif && media.length > 1 ? [oneGif] : [])];
}

/** In refusals, X names its 5 MB as 5,242,880 bytes. */
const mb = 1_048_576;

/** @see https://docs.x.com/x-api/media/quickstart/best-practices */
const media: MediaRules = {
  max: 4,
  canMix: false,
  image: {
    max: 4,
    types: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'],
    maxBytes: 5 * mb,
    maxGifBytes: 15 * mb,
  },
  // The page also names a maximum of 1280 × 1024, but recommends portrait videos that exceed it.
  video: {
    max: 1,
    types: ['video/mp4', 'video/quicktime'],
    maxBytes: 512 * mb,
    minWidth: 32,
    minHeight: 32,
    // A ratio of 1:3, with three decimals like all ratios here.
    minRatio: 0.333,
    maxRatio: 3,
    minDurationMs: 500,
    maxDurationMs: 140_000,
  },
  // https://docs.x.com/x-api/media/create-media-metadata
  altText: 1_000,
  refuse,
};

export const replyLimit =
  'X accepts a reply only if the author of the post mentioned the account or quoted a post of it, unless the app has an Enterprise plan.';

const rules = {
  text: { max: 280, unit: 'weighted', count: weigh },
  isTextRequired: true,
  media,
  replies: { id: /^\d{1,19}$/, example: '1880028106020515840' },
  check: warnOfReply,
  source: 'https://docs.x.com/fundamentals/counting-characters',
} satisfies PlatformRules;

/**
 * A thread and a first comment reply to a post of the account itself, and the documents don't name those. The plan
 * of the app is unknown, so this is only a warning.
 * @see https://docs.x.com/x-api/posts/manage-tweets/integrate#post-creation-restrictions-self-serve
 */
function warnOfReply({ isReply }: PostSummary): PostFinding[] {
  if (!isReply) return [];
  return [
    { at: 'in_reply_to', code: 'reply_may_be_refused', message: replyLimit, isWarning: true },
  ];
}

/**
 * The subscriptions whose accounts can write longer posts.
 * https://docs.x.com/x-api/fundamentals/data-dictionary#user (subscription_type)
 * https://docs.x.com/changelog ("Support for longform posts", August 20, 2024)
 */
const subscriptions: readonly unknown[] = ['Premium', 'PremiumPlus'];

export const twitter = definePlatform({
  name: 'twitter',
  title: 'X',
  settings: {
    apiUrl: baseUrl("X's API.", 'https://api.x.com'),
    consentUrl: baseUrl("X's consent page.", 'https://x.com/i/oauth2/authorize'),
    reconcile: z.enum(['read', 'none'], 'must be read or none').default('read').meta({
      description:
        'Whether to look for a post at X after a lost answer: read, which X charges for, or none, which leaves the outcome unknown.',
    }),
  },
  hasApp: true,
  // https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code#scopes
  scopes: ['tweet.read', 'tweet.write', 'users.read', 'media.write'],
  rules,
  rulesFor: ({ subscription }) =>
    subscriptions.includes(subscription)
      ? { ...rules, text: { ...rules.text, max: 25_000 } }
      : rules,
  options,
  // https://docs.x.com/changelog
  afterPublishing: {
    unpublish: { withinS: null, scopes: [], except: [] },
    edit: null,
    byHand: 'Use the menu of the post on x.com or in its app.',
    sources: {
      unpublish: 'https://docs.x.com/x-api/posts/delete-post',
      edit: 'https://docs.x.com/x-api/fundamentals/edit-posts',
    },
  },
  trialPost: { price: 'X charges the app for a post, $0.015 since April 2026.' },
  preparesOnlyMedia: true,
  // X refuses an equal text for a while, but documents neither how long nor which texts are equal.
  commitRepeatsForMs: 0,
});
