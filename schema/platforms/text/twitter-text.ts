// The length of texts as X counts it, and a form of a text that X's own library can read quickly.
import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';
import type TwitterText from 'twitter-text';

/** Loaded with the first post to X, since loading takes a tenth of a second. */
export function loadTwitterText(): typeof TwitterText {
  return createRequire(import.meta.url)('twitter-text') as typeof TwitterText;
}

/** Longer than hostnames are. */
const longWord = /\S{64,}/g;
/** More dots and brackets than a URL has. */
const maxMarks = 100;
/** More characters that aren't ASCII than a hostname has. */
const maxForeign = 40;
/**
 * A link, or a run of letters, digits and hyphens. A `long` run is no hostname, but `twitter-text` takes
 * quadratic time to find that out. Links and shorter runs match as a whole, so that each is tried only once.
 */
const linkOrRun =
  /(?:[\p{L}\d_-]{1,253}\.)+\p{L}{2,63}(?::\d{1,5})?(?:[/?][^\s"<>^`{}\\]*)?|(?<long>[\p{L}\d_-]{254,})|[\p{L}\d_-]+/gu;
/** What follows the first slash behind a letter or a digit in a word, up to a query. */
export const urlPath = /(?<=[\p{L}\d]\/)[^\s?]+/gu;
/** The letters outside ASCII that a path can have. */
const pathLetters = /[\u00c0-\u024f\u0400-\u04ff\u1e00-\u1eff]/g;
const asciiOrNot = /\p{ASCII}+|\P{ASCII}+/gu;
/**
 * A piece of at most 16 characters. If possible, it ends before a letter or an emoji, and not within a joined
 * emoji.
 */
const piece = /.{1,16}(?<!\u200d)(?=[\p{L}\p{Extended_Pictographic}])|.{1,16}/gsu;

/**
 * A form of the text that `twitter-text` can read quickly. The library takes quadratic time for a long word
 * with many dots or brackets, or with many characters that aren't ASCII: minutes for 40,000 characters. Links
 * stay links of the same weight. `added`: spaces that the text doesn't have.
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
  // Without its dots, the word has no links, so it can be split anywhere.
  if (countOf(/[.(]/g) > maxMarks) return plain.replaceAll(/[.(]/g, '!').match(piece)!;
  const words = plain
    .replaceAll(linkOrRun, (found, long?: string) => long?.match(piece)!.join(' ') ?? found)
    .split(' ');
  if (countOf(/\P{ASCII}/gu) <= maxForeign) return words;
  const parts = words.flatMap((each) => each.match(asciiOrNot)!);
  return parts.flatMap((part) => (/^\p{ASCII}/u.test(part) ? part : part.match(piece)!));
}

/**
 * X accepts 25,000 characters. A link may have more characters than X counts for it, so this limit is 1,000
 * higher. Counting takes long for longer texts.
 */
const endlessCharacters = 26_000;

/** A post is counted for each of its targets, and a long text takes 20 ms. */
const weights = new LRUCache<string, number>({ max: 100 });

/** The length as X counts it. @see https://docs.x.com/fundamentals/counting-characters */
export function weigh(caption: string): number {
  if (caption.length > endlessCharacters) return caption.length;
  const known = weights.get(caption);
  if (known !== undefined) return known;
  const { text, added } = readable(caption);
  const weight = loadTwitterText().parseTweet(text).weightedLength - added;
  weights.set(caption, weight);
  return weight;
}
