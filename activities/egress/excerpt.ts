// The beginning of an answer's body, as text that can be stored.

/**
 * Invalid UTF-8 is replaced, NUL is left out since Postgres can't hold it, and the text is at most
 * `limit` bytes again after that, cut between two characters.
 */
export function toExcerpt(bytes: Buffer, limit: number, isCut: boolean): string {
  const whole = isCut ? bytes.subarray(0, endOfLastCharacter(bytes)) : bytes;
  const text = whole.toString('utf8').replaceAll('\u0000', '');
  // Three bytes of replacement may stand where one byte was.
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return text;
  const cut = Buffer.from(text).subarray(0, limit);
  return cut.toString('utf8', 0, endOfLastCharacter(cut));
}

/** Where the bytes end when a character that lacks its last bytes is left out. */
function endOfLastCharacter(bytes: Buffer): number {
  let start = bytes.length - 1;
  while (start > 0 && start > bytes.length - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  const lead = bytes[start] ?? 0;
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + size > bytes.length ? start : bytes.length;
}
