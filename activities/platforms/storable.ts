// Shortens text and JSON from others, so that Postgres can store them and they don't take much space.

/** Postgres can't store NUL in a text, or half a surrogate pair in JSON. */
export function cutText(text: string, maxChars: number): string {
  const clean = text.replaceAll('\0', '');
  if (clean.length <= maxChars) return clean.toWellFormed();
  return clean
    .slice(0, maxChars)
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed();
}

/**
 * A copy of at most `maxBytes` as JSON, with texts of at most `maxChars`. Undefined: the copy would be longer, or
 * is nested too deeply to be written.
 */
export function toStorable(
  given: Record<string, unknown>,
  maxBytes: number,
  maxChars = maxBytes,
): Record<string, unknown> | undefined {
  try {
    const json = JSON.stringify(given, (_name, value: unknown) => {
      if (typeof value === 'string') return cutText(value, maxChars);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) => [cutText(name, name.length), member]),
      );
    });
    if (Buffer.byteLength(json) > maxBytes) return undefined;
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Marks a network's answer as shortened. */
const cutMark = { is_cut: true };

/** Returns a copy without changes if it fits. Otherwise shortens the texts in it until it fits. */
export function cutJson(given: Record<string, unknown>, maxBytes: number): Record<string, unknown> {
  const whole = toStorable(given, maxBytes);
  if (whole) return whole;
  const room = maxBytes - Buffer.byteLength(JSON.stringify(cutMark));
  for (let maxChars = room; maxChars > 0; maxChars = Math.floor(maxChars / 2)) {
    const cut = toStorable(given, room, maxChars);
    if (cut) return { ...cut, ...cutMark };
  }
  return cutMark;
}
