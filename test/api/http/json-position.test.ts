// The position of a JSON error: the same as a search by `JSON.parse` itself finds, in one scan.
import { expect, test } from 'vitest';
import { parseJson } from '../../../api/http/body.ts';
import { unexpectedToken } from '../../../api/http/json-position.ts';
import type { AppError } from '../../../schema/wire/errors.ts';

const unplaced = /is not valid JSON$/;

function reasonOf(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

/** The length of the longest start that could still become JSON. */
function searched(text: string): number {
  for (let end = 1; end <= text.length; end++) {
    if (unplaced.test(reasonOf(text.slice(0, end)))) return end - 1;
  }
  return text.length;
}

test('the position of an unexpected token is the same as in a search with JSON.parse', () => {
  const valid =
    '{"a": [1, -2.5e+3, "b :", {"c": null}],\n "d": [true, false, [], {}], "": "\u00e9 }"}';
  let compared = 0;
  for (let at = 0; at <= valid.length; at++) {
    for (const part of ['', ...Array.from('{}[],:"x1tn-\u0000\ue000')]) {
      for (const skipped of [0, 1, 2]) {
        const text = valid.slice(0, at) + part + valid.slice(at + skipped);
        if (!unplaced.test(reasonOf(text))) continue;
        expect(unexpectedToken(text), text).toBe(searched(text));
        compared++;
      }
    }
  }
  expect(compared).toBeGreaterThan(500);
});

test('an escaped quote does not end a string', () => {
  expect(unexpectedToken('["a\\"b\\\\",]')).toBe(10);
});

test.each([
  ['a long list', `[${`${'1'.repeat(60)},`.repeat(8_000)}]`],
  ['many lines', `[${'\n'.repeat(500_000)}x]`],
  ['a long string', `["${'a'.repeat(500_000)}",]`],
])('half a megabyte of malformed JSON with %s takes less than 100 ms', (_, text) => {
  const bytes = Buffer.from(text);
  const before = process.threadCpuUsage();
  let error: AppError | undefined;
  try {
    parseJson(bytes);
  } catch (thrown) {
    error = thrown as AppError;
  }
  const { user, system } = process.threadCpuUsage(before);
  expect(error?.options.details?.position).toBe(text.length - (text.endsWith('x]') ? 2 : 1));
  expect((user + system) / 1_000).toBeLessThan(100);
});
