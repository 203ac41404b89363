// How the JSON of a network is read.
import { expect, test } from 'vitest';
import { parseJson } from '../../../activities/platforms/json-client.ts';

test.each([
  ['{"id":17841400000000001,"n":9007199254740991}', { id: '17841400000000001', n: 2 ** 53 - 1 }],
  ['[9007199254740993,-9007199254740993]', ['9007199254740993', '-9007199254740993']],
  ['{"id":"17841400000000001"}', { id: '17841400000000001' }],
  ['{"x":0.12345678901234567,"y":1e21}', { x: Number('0.12345678901234567'), y: 1e21 }],
  ['{"text":"17841400000000001"}', { text: '17841400000000001' }],
  ['<html>17841400000000001', '<html>17841400000000001'],
])('%s keeps its digits', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});
