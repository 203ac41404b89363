// Texts of a given length, as the networks count them.
import type { TextUnit } from '../../../../schema/platforms/definition.ts';

/** One of each has more code units, code points or bytes than a letter has. */
const samples: Record<TextUnit, { text: string; length: number }> = {
  graphemes: { text: 'e\u0301', length: 1 },
  characters: { text: '😀', length: 1 },
  utf16: { text: '😀', length: 2 },
  emoji_bytes: { text: '😀', length: 4 },
  weighted: { text: '👩‍👩‍👧‍👧', length: 2 },
};

/** A letter first, so that no two lengths are one text, and an odd length can be had. */
export function textOf(length: number, unit: TextUnit): string {
  const sample = samples[unit];
  const count = Math.floor((length - 1) / sample.length);
  return 'a'.repeat(length - count * sample.length) + sample.text.repeat(count);
}
