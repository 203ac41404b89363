// The options of `listen`: values, defaults and refusals.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readListenOptions, type ListenArguments } from '../../../../api/cli/listen/options.ts';
import { InvalidArgument } from '../../../../api/cli/output/invalid-argument.ts';
import { readConfig } from '../../../../schema/config/config.ts';

const directory = mkdtempSync(join(tmpdir(), 'fanfare-listen-'));
afterAll(() => rmSync(directory, { recursive: true }));

const key = 'ff_test_0123456789abcdef';
const forwardTo = 'http://localhost:3000/hook';

const read = (given: ListenArguments, env: Record<string, string> = {}) =>
  readListenOptions(given, readConfig({ FANFARE_DATA_DIR: directory, ...env }));

describe('readListenOptions', () => {
  test('uses the given values', async () => {
    const given: ListenArguments = {
      'forward-to': forwardTo,
      url: 'https://fanfare.example/',
      key,
      secret: 'whsec_c2VjcmV0',
      events: 'post.failed, post.partial',
      after: 'abc',
      test: true,
    };
    expect(await read(given)).toEqual({
      forwardTo,
      url: 'https://fanfare.example',
      key,
      secret: 'whsec_c2VjcmV0',
      types: ['post.failed', 'post.partial'],
      isTest: true,
      after: 'abc',
      cursorFile: undefined,
      isJson: false,
    });
  });

  test('takes defaults from the settings of this machine', async () => {
    const given: ListenArguments = { 'no-forward': true };
    const env = { FANFARE_API_KEY: 'ff_test_of_the_environment', FANFARE_PORT: '4321' };
    expect(await read(given, env)).toMatchObject({
      forwardTo: undefined,
      url: 'http://127.0.0.1:4321',
      key: env.FANFARE_API_KEY,
      secret: expect.stringMatching(/^whsec_.{44}$/),
      types: undefined,
      isTest: false,
      after: undefined,
    });
    writeFileSync(join(directory, 'api-key'), `${key}\n`);
    const elsewhere = read({ ...given, url: 'https://fanfare.example' });
    await expect(elsewhere).rejects.toThrow('not for https://fanfare.example.');
    const local = { ...given, url: 'http://localhost:4321/graphql/' };
    expect(await read(local, { FANFARE_PORT: '4321' })).toMatchObject({
      url: 'http://localhost:4321',
      key,
    });
    expect(await read(given, { FANFARE_PUBLIC_URL: 'https://fanfare.example' })).toMatchObject({
      url: 'https://fanfare.example',
      key,
    });
    const byAddress = { ...given, url: 'http://127.0.0.1:4321' };
    const published = { FANFARE_PORT: '4321', FANFARE_PUBLIC_URL: 'https://fanfare.example' };
    expect(await read(byAddress, published)).toMatchObject({ key });
    const named = { FANFARE_URL: 'https://fanfare.example/' };
    await expect(read(given, named)).rejects.toThrow('not for https://fanfare.example.');
    expect(await read({ ...given, key }, named)).toMatchObject({ url: 'https://fanfare.example' });
    rmSync(join(directory, 'api-key'));
  });

  test('resumes from the cursor file, unless a cursor is given', async () => {
    const cursorFile = join(directory, 'cursor');
    const given: ListenArguments = { 'no-forward': true, key, 'cursor-file': cursorFile };
    expect((await read(given)).after).toBeUndefined();
    writeFileSync(cursorFile, 'abc\n');
    expect(await read(given)).toMatchObject({ after: 'abc', cursorFile });
    expect((await read({ ...given, after: 'def' })).after).toBe('def');
  });

  test.each<[ListenArguments, string]>([
    [{}, 'Set --forward-to URL, or --no-forward to only print events.'],
    [
      { 'forward-to': forwardTo, 'no-forward': true },
      'Set --forward-to or --no-forward, not both.',
    ],
    [{ 'forward-to': 'ftp://localhost/hook' }, '--forward-to must be an http:// or https:// URL'],
    [{ 'forward-to': 'localhost:3000' }, '--forward-to must be an http:// or https:// URL'],
    [
      { 'forward-to': 'http://me:pass@localhost' },
      '--forward-to must be an http:// or https:// URL',
    ],
    [
      { 'forward-to': forwardTo, url: 'ws://localhost' },
      '--url must be an http:// or https:// URL',
    ],
    [{ 'forward-to': forwardTo, events: 'post.liked' }, '--events: unknown event type "post'],
    [{ 'forward-to': forwardTo, events: '' }, '--events: unknown event type "".'],
    [{ 'forward-to': forwardTo, secret: 'hush' }, '--secret must be `whsec_`'],
    [{ 'forward-to': forwardTo, after: '' }, '--after must be a cursor'],
    [{ 'forward-to': forwardTo, 'cursor-file': '/' }, '--cursor-file / cannot be used: EISDIR'],
  ])('refuses %j', async (given, message) => {
    const refusal = await read({ key, ...given }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(InvalidArgument);
    expect((refusal as Error).message).toContain(message);
  });

  test('refuses without a key', async () => {
    await expect(read({ 'no-forward': true })).rejects.toThrow(
      'Set --key KEY or FANFARE_API_KEY, or FANFARE_DATA_DIR to the data directory of `start`: ' +
        `there is no key in ${join(directory, 'api-key')}.`,
    );
  });
});
