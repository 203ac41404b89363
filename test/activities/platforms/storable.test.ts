// Text and JSON of others, as they are kept.
import { describe, expect, test } from 'vitest';
import { cutJson, cutText, toStorable } from '../../../activities/platforms/storable.ts';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('cutText', () => {
  test.each([
    ['a\0b\0', 'ab', 9],
    ['a\uD800b', 'a\uFFFDb', 9],
    ['abc', 'ab', 2],
    ['\0\0abc', 'abc', 3],
    ['a😀', 'a', 2],
    ['a😀', 'a😀', 3],
  ])('cuts %j to %j', (text, kept, maxChars) => {
    expect(cutText(text, maxChars)).toBe(kept);
  });
});

describe('toStorable', () => {
  test('keeps JSON that fits as it is', () => {
    const given = { a: [1, 'x', null, true, { b: '"\n' }], c: {} };
    expect(toStorable(given, 200)).toEqual(given);
  });

  test('keeps no text that Postgres cannot hold', () => {
    expect(toStorable({ 'a\0': ['\uDC00', '\0'] }, 100)).toEqual({ a: ['\uFFFD', ''] });
  });

  test.each([
    [{ a: 'x'.repeat(200) }],
    [{ a: '\u0001'.repeat(50) }],
    [{ a: '😀'.repeat(50) }],
    [{ ['x'.repeat(500)]: 1 }],
    [{ a: JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown }],
  ])('refuses JSON that is too long or too deep', (given) => {
    expect(toStorable(given, 100)).toBeUndefined();
  });
});

describe('cutJson', () => {
  test.each([
    [{ a: 'x'.repeat(1_000_000) }],
    [{ a: '\u0001'.repeat(500) }],
    [{ a: '😀'.repeat(500) }],
    [{ ['x'.repeat(500)]: 1 }],
    [{ a: Array.from({ length: 100_000 }, () => ({})) }],
    [Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, i]))],
    [{ a: JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown }],
  ])('cuts JSON that is too long to at most the given size', (given) => {
    const kept = cutJson(given, 100);
    expect(kept).toMatchObject({ is_cut: true });
    expect(bytesOf(kept)).toBeLessThanOrEqual(100);
  });

  test('keeps the beginning of a long text', () => {
    const kept = cutJson({ code: 7, text: 'x'.repeat(1_000) }, 100);
    expect(kept).toEqual({ code: 7, text: expect.stringMatching(/^x{40,}$/), is_cut: true });
  });
});
