// The limits of texts: without media, with media, and with images only.
import { expect, test } from 'vitest';
import { checkText } from '../../../activities/platforms/text-rules.ts';
import { simulatedRules } from '../../support/networks/network.ts';

const rules = {
  ...simulatedRules,
  text: { max: 4, maxWithMedia: 3, maxWithImages: 5, unit: 'utf16' },
} as const;

const file = (kind: 'image' | 'video' | null) => ({ url: null, kind });

test.each([
  ['without media', [], 4],
  ['with a video', [file('video')], 3],
  ['with a video among images', [file('image'), file('video')], 3],
  ['with images', [file('image'), file('image')], 5],
  ['with a file of unknown kind', [file('image'), file(null)], 5],
])('a text %s has its own limit', (_, media, limit) => {
  const check = (length: number) =>
    checkText({ title: 'N', rules }, 'a'.repeat(length), { path: ['caption'], media });
  expect(check(limit)).toEqual([]);
  expect(check(limit + 1)).toMatchObject([{ code: 'caption_too_long', actual: limit + 1, limit }]);
});
