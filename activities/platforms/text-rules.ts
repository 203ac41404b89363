// Checks a caption against a network's rules for text.
import type { Issue } from '../../schema/errors.ts';
import type { Platform } from './platform.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function checkText(
  { name, rules }: Pick<Platform, 'name' | 'rules'>,
  caption: string,
  path: string,
): Issue[] {
  const { max, maxBytes, unit } = rules.text;
  if (rules.isTextRequired && caption.trim() === '') {
    return [{ path, code: 'caption_required', message: `${name} needs a caption.` }];
  }
  const bytes = Buffer.byteLength(caption);
  if (maxBytes !== undefined && bytes > maxBytes) {
    const message = `${name} takes ${maxBytes} bytes of text at most.`;
    return [{ path, code: 'caption_too_long', message, actual: bytes, limit: maxBytes }];
  }
  const length = lengthOf(caption, unit, max);
  if (length <= max) return [];
  const message = `${name} takes ${max} ${unit} at most.`;
  return [{ path, code: 'caption_too_long', message, actual: length, limit: max }];
}

/** Most captions are short, and a text has never more graphemes than code units. */
function lengthOf(text: string, unit: 'graphemes' | 'characters', max: number): number {
  if (text.length <= max) return text.length;
  const units: Iterable<unknown> = unit === 'characters' ? text : graphemes.segment(text);
  return Array.from(units).length;
}
