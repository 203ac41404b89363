// Limits of options: lists without repeats, and texts. Each network counts characters in its own way.
import { z } from 'zod';

/** The number of Unicode code points. */
export const countCharacters = (text: string) => Array.from(text).length;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** The number of characters as a reader sees them. */
export const countGraphemes = (text: string) => Array.from(graphemes.segment(text)).length;

/** Text of at most `max` characters, without whitespace around it. */
export function optionText(max: number, count = countCharacters) {
  return z
    .string()
    .trim()
    .check(({ value, issues }) => {
      if (count(value) <= max) return;
      const limit = { maximum: max, inclusive: true, origin: 'string' } as const;
      issues.push({ code: 'too_big', ...limit, input: value });
    })
    .meta({ maxLength: max });
}

export const isDistinct = (values: readonly string[]) => new Set(values).size === values.length;

/** The URL option of a network that shows a preview of one page. */
export const previewUrl = () =>
  z
    .url({ protocol: /^https?$/ })
    .max(2_048)
    .optional()
    .meta({
      description:
        'URL of the page to show as a preview. Default: the first URL in the text. Not with media.',
    });
