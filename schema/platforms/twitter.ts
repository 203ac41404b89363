// X, which its API and ours call `twitter`: its settings, its rules and the options of a post.
import { createRequire } from 'node:module';
import type TwitterText from 'twitter-text';
import { z } from 'zod';
import { baseUrl } from './variables.ts';
import {
  definePlatform,
  notWithMedia,
  type MediaRefusal,
  type MediaRules,
  type MediaSummary,
  type PlatformRules,
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
  // It also names a maximum of 1280 × 1024, which the portrait videos that it recommends exceed.
  video: {
    max: 1,
    types: ['video/mp4', 'video/quicktime'],
    maxBytes: 512 * mb,
    minWidth: 32,
    minHeight: 32,
    // 1:3. Ratios have three decimals here.
    minRatio: 0.333,
    maxRatio: 3,
    minDurationMs: 500,
    maxDurationMs: 140_000,
  },
  // https://docs.x.com/x-api/media/create-media-metadata
  altText: 1_000,
  refuse,
};

/** Loaded with the first post to X, since loading takes a tenth of a second. */
export function loadTwitterText(): typeof TwitterText {
  return createRequire(import.meta.url)('twitter-text') as typeof TwitterText;
}

/** Longer than hostnames are. */
const longWord = /\S{64,}/g;
/** A URL has fewer. */
const maxMarks = 100;
/** Hostnames have fewer characters that aren't ASCII. */
const maxForeign = 40;
/** What follows the first slash behind a letter or a digit in a word, up to a query. */
export const urlPath = /(?<=[\p{L}\d]\/)[^\s?]+/gu;
/** The letters that a path can have besides those of ASCII. */
const pathLetters = /[\u00c0-\u024f\u0400-\u04ff\u1e00-\u1eff]/g;
const asciiOrNot = /\p{ASCII}+|\P{ASCII}+/gu;
/** Ends before a letter or an emoji, if possible, and within no joined emoji. */
const piece = /.{1,32}(?<!\u200d)(?=[\p{L}\p{Extended_Pictographic}])|.{1,32}/gsu;

/**
 * The text as `twitter-text` can read it at once: it takes quadratic time for a long word with many dots or
 * brackets, or with many characters that aren't ASCII, and minutes for 40,000 characters. Links stay links of
 * the same weight. `added`: spaces that the text doesn't have.
 */
export function readable(text: string): { text: string; added: number } {
  let added = 0;
  const split = text.normalize().replaceAll(longWord, (word) => {
    const parts = splitLongWord(word);
    added += parts.length - 1;
    return parts.join(' ');
  });
  return { text: split, added };
}

function splitLongWord(word: string): string[] {
  const plain = word.replaceAll(urlPath, (path) => path.replaceAll(pathLetters, 'a'));
  const countOf = (pattern: RegExp) => plain.match(pattern)?.length ?? 0;
  // Without dots it has no links, so it can be split anywhere.
  if (countOf(/[.(]/g) > maxMarks) return plain.replaceAll(/[.(]/g, '!').match(piece)!;
  if (countOf(/\P{ASCII}/gu) <= maxForeign) return [plain];
  const parts = plain.match(asciiOrNot)!;
  return parts.flatMap((part) => (/^\p{ASCII}/u.test(part) ? part : part.match(piece)!));
}

/** Too long for X even with many long links and emoji, and slow to count. */
const endlessCharacters = 30_000;

function weigh(caption: string): number {
  if (caption.length > endlessCharacters) return caption.length;
  const { text, added } = readable(caption);
  return loadTwitterText().parseTweet(text).weightedLength - added;
}

const rules = {
  text: {
    max: 280,
    unit: 'weighted',
    count: weigh,
  },
  isTextRequired: true,
  media,
  replies: { id: /^\d{1,19}$/, example: '1880028106020515840' },
  source: 'https://docs.x.com/fundamentals/counting-characters',
} satisfies PlatformRules;

/**
 * The subscriptions whose accounts can write longer posts.
 * https://docs.x.com/x-api/fundamentals/data-dictionary#user (subscription_type)
 * https://docs.x.com/changelog ("Support for longform posts", August 20, 2024)
 */
const subscriptions: readonly unknown[] = ['Premium', 'PremiumPlus'];

export const twitter = definePlatform({
  name: 'twitter',
  title: 'X',
  connectsBy: 'Consent page',
  testedWith: 'Simulator',
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
  preparesOnlyMedia: true,
  // X refuses an equal text for a while, but documents neither how long nor which texts are equal.
  commitRepeatsForMs: 0,
});
