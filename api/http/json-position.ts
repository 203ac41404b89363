// Finds where a text stops being JSON, for the errors of `JSON.parse` that don't name the position.

const literals: Record<string, string> = { t: 'true', f: 'false', n: 'null' };
const codes = (chars: string) => new Set(Buffer.from(chars, 'latin1'));
const blanks = codes(' \t\r\n');
const ends = codes('}],:');
const starts = codes('{[');
const digits = codes('-0123456789');
const numbers = codes('-+.eE0123456789');
const [openList, closeList, quote, backslash] = [91, 93, 34, 92];
/** A value begins after these characters. */
const beforeValue = codes(':,[');

/**
 * The position of the first token or character that JSON doesn't allow where a value begins, or within
 * `true`, `false` and `null`. `JSON.parse` has refused the text because of it, so everything before it is
 * valid.
 */
export function unexpectedToken(text: string): number {
  /** The last structural character, or a quote after a value. */
  let before = ':'.charCodeAt(0);
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (blanks.has(code)) {
      at++;
    } else if (ends.has(code)) {
      const isEmptyList = before === openList && code === closeList;
      if (beforeValue.has(before) && !isEmptyList) return at;
      before = code;
      at++;
    } else if (starts.has(code)) {
      before = code;
      at++;
    } else {
      before = quote;
      if (code === quote) at = endOfString(text, at);
      else if (digits.has(code)) while (numbers.has(text.charCodeAt(at))) at++;
      else {
        const literal = literals[text[at]!] ?? '?';
        for (let i = 0; i < literal.length; i++, at++) if (text[at] !== literal[i]) return at;
      }
    }
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) return at + 1;
    if (code === backslash) at++;
  }
  return text.length;
}
