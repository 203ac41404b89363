// Counts the values of a JSON text before it is parsed: parsing and checking take time for each.

/** The number of values that a body may have, members and items included. Parsing and checking them takes up to 60 ms. */
export const maxJsonValues = 10_000;

const quote = 0x22;
const backslash = 0x5c;
/** `{`, `[` and `,`: each begins a value, except in an empty object or array. */
const starts = new Set(Buffer.from('{[,'));

/** Whether the text has more values than allowed. Text that isn't JSON has as many as it seems to have. */
export function hasTooManyValues(json: Buffer): boolean {
  let values = 0;
  for (let at = 0; at < json.length && values <= maxJsonValues; at++) {
    const byte = json[at]!;
    if (byte === quote) at = endOfString(json, at);
    else if (starts.has(byte)) values++;
  }
  return values > maxJsonValues;
}

function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1;
  return at;
}
