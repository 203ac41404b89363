// How long a text is in the unit of a network. The API decides, this is only shown while someone types.
import type { NetworkRules } from './compose-documents.ts';

type Unit = NetworkRules['text']['unit'];

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const url = /https?:\/\/\S+/g;
/** X counts every URL as long as its own short ones. */
const urlWeight = 23;
/** X counts characters outside these ranges twice. */
const lightRanges = [
  [0, 4351],
  [8192, 8205],
  [8208, 8223],
  [8242, 8247],
] as const;

export function countText(text: string, unit: Unit): number {
  switch (unit) {
    case 'GRAPHEMES':
      return [...graphemes.segment(text)].length;
    case 'UTF16':
      return text.length;
    case 'WEIGHTED':
      return countWeighted(text.normalize('NFC'));
    case 'EMOJI_BYTES':
      return countEmojiAsBytes(text);
    default:
      return Array.from(text).length;
  }
}

function countWeighted(text: string): number {
  const urls = text.match(url)?.length ?? 0;
  let weight = urls * urlWeight;
  for (const { segment } of graphemes.segment(text.replace(url, ''))) {
    const isEmoji = /\p{Extended_Pictographic}/u.test(segment);
    weight += isEmoji ? 2 : Array.from(segment).reduce((sum, one) => sum + weightOf(one), 0);
  }
  return weight;
}

function weightOf(character: string): number {
  const code = character.codePointAt(0)!;
  return lightRanges.some(([from, to]) => code >= from && code <= to) ? 1 : 2;
}

const emoji = /\p{RGI_Emoji}|\p{Extended_Pictographic}/gv;

function countEmojiAsBytes(text: string): number {
  const found = text.match(emoji) ?? [];
  const bytes = found.reduce((sum, one) => sum + new TextEncoder().encode(one).length, 0);
  return bytes + Array.from(text.replaceAll(emoji, '')).length;
}
