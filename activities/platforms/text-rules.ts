// Checks what is to be published against a network's rules for text.
import type { Issue } from '../../schema/errors.ts';
import type { Platform } from './platform.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

export function checkText(
  { name, rules }: Pick<Platform, 'name' | 'rules'>,
  text: string,
  path: string,
  what: 'caption' | 'comment' = 'caption',
): Issue[] {
  const { max, maxBytes, unit } = rules.text;
  const isRequired = what === 'comment' || rules.isTextRequired;
  if (isRequired && text.trim() === '') {
    return [{ path, code: `${what}_required`, message: `${name} needs a ${what}.` }];
  }
  const bytes = Buffer.byteLength(text);
  if (maxBytes !== undefined && bytes > maxBytes) {
    const message = `${name} takes ${maxBytes} bytes of text at most.`;
    return [{ path, code: `${what}_too_long`, message, actual: bytes, limit: maxBytes }];
  }
  const length = lengthOf(text, unit, max);
  if (length <= max) return [];
  const message = `${name} takes ${max} ${unit} at most.`;
  return [{ path, code: `${what}_too_long`, message, actual: length, limit: max }];
}

/** Most captions are short, and a text has never more graphemes than code units. */
function lengthOf(text: string, unit: 'graphemes' | 'characters', max: number): number {
  if (text.length <= max) return text.length;
  const units: Iterable<unknown> = unit === 'characters' ? text : graphemes.segment(text);
  return Array.from(units).length;
}
