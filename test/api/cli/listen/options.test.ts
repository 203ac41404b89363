// What `cli listen` makes of its words, and what it says to those that it can't take.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readListenOptions, type ListenWords } from '../../../../api/cli/listen/options.ts';
import { RefusedArgument } from '../../../../api/cli/refused-argument.ts';
import { readConfig } from '../../../../schema/config/config.ts';

const directory = mkdtempSync(join(tmpdir(), 'fanfare-listen-'));
afterAll(() => rmSync(directory, { recursive: true }));

const key = 'ff_test_0123456789abcdef';
const forwardTo = 'http://localhost:3000/hook';

const read = (words: ListenWords, env: Record<string, string> = {}) =>
  readListenOptions(words, readConfig({ FANFARE_DATA_DIR: directory, ...env }));

describe('readListenOptions', () => {
  test('takes what is given', async () => {
    const words: ListenWords = {
      'forward-to': forwardTo,
      url: 'https://fanfare.example/',
      key,
      secret: 'whsec_c2VjcmV0',
      events: 'post.failed, post.partial',
      after: 'abc',
      test: true,
    };
    expect(await read(words)).toEqual({
      forwardTo,
      url: 'https://fanfare.example',
      key,
      secret: 'whsec_c2VjcmV0',
      types: ['post.failed', 'post.partial'],
      isTest: true,
      after: 'abc',
      cursorFile: undefined,
    });
  });

  test('finds the rest in the settings of this machine', async () => {
    const words: ListenWords = { 'no-forward': true };
    const env = { FANFARE_API_KEY: 'ff_test_of_the_environment', FANFARE_PORT: '4321' };
    expect(await read(words, env)).toMatchObject({
      forwardTo: undefined,
      url: 'http://127.0.0.1:4321',
      key: env.FANFARE_API_KEY,
      secret: expect.stringMatching(/^whsec_.{44}$/),
      types: undefined,
      isTest: false,
      after: undefined,
    });
    writeFileSync(join(directory, 'api-key'), `${key}\n`);
    const elsewhere = read({ ...words, url: 'https://fanfare.example' });
    await expect(elsewhere).rejects.toThrow('and this is https://fanfare.example.');
    const local = { ...words, url: 'http://localhost:4321/graphql/' };
    expect(await read(local, { FANFARE_PORT: '4321' })).toMatchObject({
      url: 'http://localhost:4321',
      key,
    });
    expect(await read(words, { FANFARE_PUBLIC_URL: 'https://fanfare.example' })).toMatchObject({
      url: 'https://fanfare.example',
      key,
    });
    const byAddress = { ...words, url: 'http://127.0.0.1:4321' };
    const published = { FANFARE_PORT: '4321', FANFARE_PUBLIC_URL: 'https://fanfare.example' };
    expect(await read(byAddress, published)).toMatchObject({ key });
    rmSync(join(directory, 'api-key'));
  });

  test('goes on from the cursor file, unless a cursor is given', async () => {
    const cursorFile = join(directory, 'cursor');
    const words: ListenWords = { 'no-forward': true, key, 'cursor-file': cursorFile };
    expect((await read(words)).after).toBeUndefined();
    writeFileSync(cursorFile, 'abc\n');
    expect(await read(words)).toMatchObject({ after: 'abc', cursorFile });
    expect((await read({ ...words, after: 'def' })).after).toBe('def');
  });

  test.each<[ListenWords, string]>([
    [{}, 'Give either --forward-to URL, or --no-forward to only print.'],
    [
      { 'forward-to': forwardTo, 'no-forward': true },
      'Give --forward-to or --no-forward, not both.',
    ],
    [{ 'forward-to': 'ftp://localhost/hook' }, '--forward-to takes an http:// or https:// URL'],
    [{ 'forward-to': 'localhost:3000' }, '--forward-to takes an http:// or https:// URL'],
    [{ 'forward-to': 'http://me:pass@localhost' }, '--forward-to takes an http:// or https:// URL'],
    [{ 'forward-to': forwardTo, url: 'ws://localhost' }, '--url takes an http:// or https:// URL'],
    [
      { 'forward-to': forwardTo, events: 'post.liked' },
      '--events: no events are of the kind "post',
    ],
    [{ 'forward-to': forwardTo, events: '' }, '--events: no events are of the kind "".'],
    [{ 'forward-to': forwardTo, secret: 'hush' }, '--secret takes `whsec_` and base64 after it'],
    [{ 'forward-to': forwardTo, after: '' }, '--after takes a cursor'],
    [{ 'forward-to': forwardTo, 'cursor-file': '/' }, '--cursor-file / cannot be used: EISDIR'],
  ])('refuses %j', async (words, told) => {
    const refusal = await read({ key, ...words }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RefusedArgument);
    expect((refusal as Error).message).toContain(told);
  });

  test('asks for a key where there is none', async () => {
    await expect(read({ 'no-forward': true })).rejects.toThrow(
      `Give --key KEY or FANFARE_API_KEY: there is none in ${join(directory, 'api-key')}.`,
    );
  });
});
