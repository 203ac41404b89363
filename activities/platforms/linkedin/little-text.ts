// "little text", the format of LinkedIn's texts. @see
// https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format

/** LinkedIn cuts a text at the first of these characters that is not escaped. */
const reserved = /[|{}@[\]()<>#\\*_~]/g;
/** A hashtag begins a word, so the fragment of a URL is not a hashtag. */
const hashtag = /(?<=^|[\s(])#([\p{L}\p{N}\p{M}_]*\p{L}[\p{L}\p{N}\p{M}_]*)/gmu;

const escape = (text: string) => text.replaceAll(reserved, '\\$&');

/** Returns the text as written, but with hashtags that lead to their posts. */
export function toLittleText(text: string): string {
  // A pattern with one group splits a text into texts and tags, which alternate.
  return text
    .toWellFormed()
    .split(hashtag)
    .map((part, i) => (i % 2 === 0 ? escape(part) : `{hashtag|\\#|${escape(part)}}`))
    .join('');
}

/** Returns the text that a reader sees. */
export function fromLittleText(little: string): string {
  return little
    .replaceAll(/\{hashtag\|\\?([#＃])\|((?:[^\\}]|\\.)*)\}/gu, '$1$2')
    .replaceAll(/@\[((?:[^\\\]]|\\.)*)\]\(urn:li:[\w:-]+\)/gu, '$1')
    .replaceAll(/\\(.)/gsu, '$1');
}
