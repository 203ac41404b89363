// How LinkedIn reads "little text".
// https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format

const reserved = '|{}@[]()<>#\\*_~';
const elements = [
  { pattern: /^\{hashtag\|\\?#\|((?:[^\\{}|#]|\\.)+)\}/u, show: (word: string) => `#${word}` },
  { pattern: /^@\[((?:[^\\[\]]|\\.)+)\]\(urn:li:(?:person|organization):[\w-]+\)/u, show: String },
  { pattern: /^#([\p{L}\p{N}]+)/u, show: (word: string) => `#${word}` },
];

/**
 * Returns what readers see. The text ends at the first reserved character that is neither escaped nor part of
 * an element.
 */
export function renderLittleText(little: string): string {
  let shown = '';
  for (let rest = little; rest !== '';) {
    if (rest[0] === '\\' && rest.length > 1 && reserved.includes(rest[1]!)) {
      shown += rest[1];
      rest = rest.slice(2);
      continue;
    }
    const element = elements.find(({ pattern }) => pattern.test(rest));
    if (element) {
      const [whole, word] = element.pattern.exec(rest)!;
      shown += element.show(renderLittleText(word!));
      rest = rest.slice(whole.length);
      continue;
    }
    if (reserved.includes(rest[0]!)) return shown;
    shown += rest[0];
    rest = rest.slice(1);
  }
  return shown;
}
