// What is kept of text and JSON that others wrote.
import { describe, expect, test } from 'vitest';
import { cutJson, cutText } from '../../../activities/platforms/storable.ts';

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('cutText', () => {
  test.each([
    ['a\0b\0', 'ab', 9],
    ['a\uD800b', 'a\uFFFDb', 9],
    ['abc', 'ab', 2],
    ['\0\0abc', 'abc', 3],
    ['a😀', 'a', 2],
    ['a😀', 'a😀', 3],
  ])('makes of %j %j', (text, kept, maxChars) => {
    expect(cutText(text, maxChars)).toBe(kept);
  });
});

describe('cutJson', () => {
  test('keeps what fits as it is', () => {
    const given = { a: [1, 'x', null, true, { b: '"\n' }], c: {} };
    expect(cutJson(given, 200)).toEqual({ kept: given, isCut: false });
  });

  test.each([
    [{ a: 'x'.repeat(1_000_000) }],
    [{ a: '\u0001'.repeat(500) }],
    [{ a: '😀'.repeat(500) }],
    [{ ['x'.repeat(500)]: 1 }],
    [{ a: Array.from({ length: 100_000 }, () => ({})) }],
    [Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`k${i}`, i]))],
  ])('cuts what is too long to the room that there is', (given) => {
    const { kept, isCut } = cutJson(given, 100);
    expect(isCut).toBe(true);
    expect(bytesOf(kept)).toBeLessThanOrEqual(100);
  });

  test('keeps the beginning of a long text', () => {
    const { kept } = cutJson({ code: 7, text: 'x'.repeat(1_000) }, 100);
    expect(kept).toEqual({ code: 7, text: expect.stringMatching(/^x{60,}$/) });
  });

  test('leaves out what is nested without end, and keeps what stands beside it', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    const { kept, isCut } = cutJson({ deep, code: 7 }, 4_096);
    expect(isCut).toBe(true);
    expect(kept['code']).toBe(7);
    expect(bytesOf(kept)).toBeLessThan(100);
  });

  test('has no text that Postgres does not hold, also in names', () => {
    const { kept, isCut } = cutJson({ 'a\0': ['\uDC00', '\0'] }, 100);
    expect({ kept, isCut }).toEqual({ kept: { a: ['\uFFFD', ''] }, isCut: false });
  });

  test('keeps a member named __proto__ as one of the names', () => {
    const { kept } = cutJson(JSON.parse('{"__proto__":{"status":1}}') as object as never, 100);
    expect(JSON.stringify(kept)).toBe('{"__proto__":{"status":1}}');
  });
});
