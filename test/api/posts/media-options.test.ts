// Where a target's options and media change each other's rules.
import { describe, expect, test } from 'vitest';
import type { PlatformName } from '../../../schema/platforms/index.ts';
import { useApp } from '../../support/app/app.ts';
import { addAccount } from '../../support/rows/rows.ts';

const app = useApp({ roles: { api: true, worker: false } });

/** The errors of a post to a new account, as `[code, field, actual, limit]`. */
async function validate(name: PlatformName, target: object) {
  const account_id = await addAccount(app.database.db, app.tenant.projectId, name);
  const body = { platform_posts: [{ account_id, ...target }] };
  const answer = await app.api.post('/v1/posts/validate', body);
  const errors = answer.body.data.errors as Record<string, unknown>[];
  return errors.map(({ code, field, actual, limit }) => [code, field, actual, limit]);
}

const urls = ['https://example.com/1.jpg', 'https://example.com/2.jpg'];

describe('a link card', () => {
  const platform_options = { link: { url: 'https://example.com' } };

  test('accepts one image on Bluesky', async () => {
    const caption = 'Hello';
    expect(await validate('bluesky', { caption, media_urls: urls })).toEqual([]);
    const one = { caption, platform_options, media_urls: urls.slice(1) };
    expect(await validate('bluesky', one)).toEqual([]);
    const two = { caption, platform_options, media_urls: urls };
    expect(await validate('bluesky', two)).toEqual([
      ['too_many_media', 'platform_posts[0].media_urls', 2, 1],
    ]);
  });

  test.each<PlatformName>(['bluesky', 'linkedin'])('has a thumb or media on %s', async (name) => {
    const thumb = { url: urls[0] };
    const options = { link: { ...platform_options.link, thumb } };
    const card = { caption: 'Hello', platform_options: options };
    expect(await validate(name, card)).toEqual([]);
    expect(await validate(name, { ...card, media_urls: urls.slice(1) })).toEqual([
      ['not_with_media', 'platform_posts[0].platform_options.link.thumb', null, null],
    ]);
  });

  test('needs text if it has no image', async () => {
    expect(await validate('bluesky', { caption: '', platform_options })).toEqual([
      ['caption_required', 'platform_posts[0].caption', null, null],
    ]);
    const withImage = { caption: '', platform_options, media_urls: urls.slice(1) };
    expect(await validate('bluesky', withImage)).toEqual([]);
  });
});

test('URLs of media count as text on Nostr, unless the text has them already', async () => {
  const most = 32_000 - urls.join('\n').length - 1;
  const textOf = (length: number) => ({ caption: 'a'.repeat(length), media_urls: urls });
  expect(await validate('nostr', textOf(most))).toEqual([]);
  expect(await validate('nostr', textOf(most + 1))).toEqual([
    ['caption_too_long', 'platform_posts[0].caption', 32_001, 32_000],
  ]);
  const caption = `${urls.join('\n')}\n${'a'.repeat(most)}`;
  expect(await validate('nostr', { caption, media_urls: urls })).toEqual([]);
});

test.each<[string, PlatformName, object, string[]]>([
  ['a poll', 'mastodon', { poll: { options: ['a', 'b'], expires_in: 300 } }, ['poll']],
  [
    'previews',
    'slack',
    { unfurl_links: false, unfurl_media: true },
    // Slack refuses them beside a video only, and nobody knows yet what is at the URLs.
    [],
  ],
  ['a broadcast', 'slack', { reply_broadcast: true }, []],
  ['no broadcast', 'slack', { reply_broadcast: false }, []],
])('%s on %s beside media', async (_, name, platform_options, refused) => {
  const target = { caption: 'a', platform_options };
  expect(await validate(name, { ...target, media_urls: urls })).toEqual(
    refused.map((option) => {
      return ['not_with_media', `platform_posts[0].platform_options.${option}`, null, null];
    }),
  );
  expect(await validate(name, target)).toEqual([]);
});
