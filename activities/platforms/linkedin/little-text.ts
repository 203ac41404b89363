// "little text", the format of LinkedIn's texts. @see
// https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format

/** LinkedIn cuts a text at the first of these that is not escaped. */
const reserved = /[|{}@[\]()<>#\\*_~]/g;
/** A hashtag begins a word, so the fragment of a URL is none. */
const hashtag = /(?<=^|[\s(])#([\p{L}\p{N}\p{M}_]*\p{L}[\p{L}\p{N}\p{M}_]*)/gmu;

const escape = (text: string) => text.replaceAll(reserved, '\\$&');

/** The text as written, with hashtags that lead to their posts. */
export function toLittleText(text: string): string {
  // A pattern with one group splits into texts and tags in turn.
  return text
    .toWellFormed()
    .split(hashtag)
    .map((part, i) => (i % 2 === 0 ? escape(part) : `{hashtag|\\#|${escape(part)}}`))
    .join('');
}

/** What a reader sees. */
export function fromLittleText(little: string): string {
  return little
    .replaceAll(/\{hashtag\|\\?([#＃])\|((?:[^\\}]|\\.)*)\}/gu, '$1$2')
    .replaceAll(/@\[((?:[^\\\]]|\\.)*)\]\(urn:li:[\w:-]+\)/gu, '$1')
    .replaceAll(/\\(.)/gsu, '$1');
}
