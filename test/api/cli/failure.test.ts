// What a command prints when it fails.
import { expect, test } from 'vitest';
import { describeFailure } from '../../../api/cli/output/failure.ts';
import { FanfareError } from '../../../clients/typescript/src/index.ts';

test('a server that does not answer: what names its address', () => {
  const message = 'No answer arrived from http://127.0.0.1:4000.';
  const cause = new Error('connect ECONNREFUSED');
  const error = new FanfareError({ code: 'connection_failed', message, isRetriable: true, cause });
  const { text, data } = describeFailure(error);
  const hint =
    'Is Fanfare started, and is this its address? See --url, FANFARE_URL and FANFARE_PORT.';
  expect(text).toBe(`${message} ${hint}`);
  expect(data).toMatchObject({ hint });
});
