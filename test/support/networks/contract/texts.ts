// Texts of a given length, as the networks count them.
import type { TextUnit } from '../../../../schema/platforms/definition.ts';

/** Each sample has more code units, code points or bytes than a single letter has. */
const samples: Record<TextUnit, { text: string; length: number }> = {
  graphemes: { text: 'e\u0301', length: 1 },
  characters: { text: '😀', length: 1 },
  utf16: { text: '😀', length: 2 },
  emoji_bytes: { text: '😀', length: 4 },
  weighted: { text: '👩‍👩‍👧‍👧', length: 2 },
};

/** Texts begin with letters, so that every length is possible and each length has its own text. */
export function textOf(length: number, unit: TextUnit): string {
  const sample = samples[unit];
  const count = Math.floor((length - 1) / sample.length);
  return 'a'.repeat(length - count * sample.length) + sample.text.repeat(count);
}
