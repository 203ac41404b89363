// Public URLs of media: their tokens, which networks they are for, and errors that repeat them.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  canFetchMedia,
  createPublicUrls,
  withoutTokens,
} from '../../../activities/platforms/public-urls.ts';
import { createVault } from '../../../schema/database/vault.ts';

const hourMs = 3_600_000;
const key = randomBytes(32);
const vault = createVault(new Map([['k-1', key]]), 'k-1');
const media = { projectId: 'prj_1', resultId: 'res_1', mediaId: 'med_1' };
const tokenOf = (url: string) => url.split('/').at(-2)!;

function urlsAt(clock: { nowMs: number }) {
  return createPublicUrls(vault, 'https://media.example.com/fanfare', () => clock.nowMs);
}

describe('a URL', () => {
  test('has a token that is read back, and ends with the extension of the type', () => {
    const urls = urlsAt({ nowMs: 0 });
    const url = urls.urlOf(media, 'image/jpeg', hourMs);
    expect(url).toMatch(/^https:\/\/media\.example\.com\/fanfare\/media\/k-1~[\w-]+\/1\.jpg$/);
    expect(urls.read(tokenOf(url))).toEqual(media);
    expect(url).not.toContain('res_1');
    expect(urls.urlOf(media, 'video/quicktime', hourMs)).toMatch(/\/1\.mov$/);
    expect(() => urls.urlOf(media, 'image/svg+xml', hourMs)).toThrow('image/svg+xml');
  });

  test.each([
    [hourMs, hourMs],
    [1_000 * hourMs, 25 * hourMs],
  ])('is requested for %i ms, and works for %i ms', (forMs, worksForMs) => {
    const clock = { nowMs: 1_000 };
    const urls = urlsAt(clock);
    const token = tokenOf(urls.urlOf(media, 'image/png', forMs));
    clock.nowMs += worksForMs - 1;
    expect(urls.read(token)).toEqual(media);
    clock.nowMs += 1;
    expect(urls.read(token)).toBeUndefined();
  });

  test('leads nowhere if its token was changed', () => {
    const urls = urlsAt({ nowMs: 0 });
    const token = tokenOf(urls.urlOf(media, 'image/png', hourMs));
    const changed = `${token.slice(0, 10)}${token[10] === 'A' ? 'B' : 'A'}${token.slice(11)}`;
    const foreign = createVault(new Map([['k-1', randomBytes(32)]]), 'k-1');
    const own = token.slice('k-1~'.length);
    const guesses = [
      '',
      'k-1',
      'k-1~',
      '~',
      'k-1~AAAA',
      own,
      `k-2~${own}`,
      changed,
      tokenOf(createPublicUrls(foreign, '', () => 0).urlOf(media, 'image/png', hourMs)),
      sealFor('post_results/res_1'),
    ];
    expect(guesses.map((guess) => urls.read(guess))).toEqual(guesses.map(() => undefined));
  });

  test('is not read if the vault lacks the key that sealed it', () => {
    const token = tokenOf(urlsAt({ nowMs: 0 }).urlOf(media, 'image/png', hourMs));
    const keys = new Map([['k-2', randomBytes(32)]]);
    const rotated = createVault(new Map([...keys, ['k-1', key]]), 'k-2');
    expect(createPublicUrls(rotated, '', () => 0).read(token)).toEqual(media);
    expect(createPublicUrls(createVault(keys, 'k-2'), '', () => 0).read(token)).toBeUndefined();
  });
});

/** A token that the vault has sealed for something else. */
function sealFor(context: string): string {
  const plain = JSON.stringify(['prj_1', 'res_1', 'med_1', Number.MAX_SAFE_INTEGER]);
  return `k-1~${vault.seal(plain, context).ciphertext.toString('base64url')}`;
}

describe('a network that fetches media', () => {
  const canFetch = (mediaUrl: string, settings: object = { apiUrl: 'https://graph.example.com' }) =>
    canFetchMedia({ needsPublicMedia: true }, settings, mediaUrl);

  test.each([
    'https://media.example.com',
    'https://media.example.com/fanfare',
    'https://203.0.113.9.example.com',
    'https://8.8.8.8',
    'https://[2600::1]:8443',
  ])('is on with %s', (url) => {
    expect(canFetch(url)).toBe(true);
  });

  test.each([
    'http://media.example.com',
    'https://localhost',
    'https://localhost.',
    'https://api',
    'https://app.localhost',
    'https://nas.local',
    'https://media.internal',
    'https://router.home.arpa',
    'https://127.0.0.1',
    'https://127.1',
    'https://10.0.0.5',
    'https://192.168.1.1:4000',
    'https://[::1]',
    'https://[fd00::1]',
  ])('is off with %s', (url) => {
    expect(canFetch(url)).toBe(false);
  });

  test('is on with a private address if the network also has one, as a simulator does', () => {
    expect(canFetch('http://127.0.0.1:4000', { apiUrl: 'http://127.0.0.1:9' })).toBe(true);
    expect(canFetch('http://127.0.0.1:4000', {})).toBe(false);
  });

  test('is the only kind of network that can be off', () => {
    expect(canFetchMedia({}, {}, 'http://127.0.0.1:4000')).toBe(true);
  });
});

test('an error that repeats a URL keeps all but its token', () => {
  const url = urlsAt({ nowMs: 0 }).urlOf(media, 'image/jpeg', hourMs);
  const token = tokenOf(url);
  const said = `Could not fetch ${url} (${encodeURIComponent(url)}) or https://example.com/media/kit`;
  const shown = withoutTokens(said);
  expect(shown).not.toContain(token);
  expect(shown).not.toContain(token.slice(4));
  expect(shown).toContain('https://media.example.com/fanfare/media/[redacted]/1.jpg');
  expect(shown).toContain('media%2F[redacted]%2F1.jpg');
  expect(shown).toContain('https://example.com/media/kit');
  const escaped = `${url.replaceAll('/', String.raw`\/`)} ${encodeURIComponent(encodeURIComponent(url))}`;
  expect(withoutTokens(escaped)).not.toContain(token);
});
