// Invalid media and targets are refused with the exact path of each issue, and nothing is written.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTestRest } from '../../support/app/rest.ts';
import {
  createRefusedClient,
  refuseAll,
  single,
  type RefusedClient,
} from '../../support/checks/refusals.ts';

let client: RefusedClient;

beforeAll(async () => {
  client = await createRefusedClient({ FANFARE_MAX_TARGETS: '4' });
});
afterAll(() => client[Symbol.asyncDispose]());
afterEach(() => client.expectNothingWritten());

describe('media', () => {
  const url = 'https://example.com/a.jpg';
  const many = Array.from({ length: 5 }, () => url);
  refuseAll(
    () => client,
    [
      [
        'media where the network takes none',
        () => single(client.bluesky, { media_urls: [url] }),
        ['platform_posts[0].media_urls', 'media_not_supported'],
      ],
      [
        "the post's media where the network takes none, once for all its targets",
        () => ({ media_urls: [url], account_ids: [client.bluesky, client.other] }),
        ['media_urls', 'media_not_supported'],
      ],
      [
        'too many media of a target',
        () => single(client.mute, { media_urls: many }),
        ['platform_posts[0].media_urls', 'too_many_media'],
      ],
      [
        'too many media of the post',
        () => ({ media_urls: many, account_ids: [client.mute] }),
        ['media_urls', 'too_many_media'],
      ],
      [
        'URLs of a wrong form',
        () => ({
          media_urls: ['/a.jpg', 'ftp://example.com/a', `https://example.com/${'x'.repeat(2_048)}`],
          account_ids: [client.mute],
        }),
        ['media_urls[0]', 'invalid_url'],
        ['media_urls[1]', 'invalid_url'],
        ['media_urls[2]', 'too_long'],
      ],
      [
        'a URL with a password',
        () => single(client.mute, { media_urls: [url, 'https://me:secret@example.com/'] }),
        ['platform_posts[0].media_urls[1]', 'has_credentials'],
      ],
      [
        'a URL that is none',
        () => ({ media_urls: [7, ''], account_ids: [client.mute] }),
        ['media_urls[0]', 'invalid_type'],
      ],
      [
        'an unknown ID of media',
        () => ({ media_ids: ['med_1'], account_ids: [client.mute] }),
        ['media_ids[0]', 'unknown_media'],
      ],
    ],
  );

  test('are refused with the actual count and the limit if there are too many', async () => {
    const [issue] = await client.issuesOf(single(client.mute, { media_urls: many }));
    expect(issue).toMatchObject({ actual: 5, limit: 4 });
  });
});

describe('targets', () => {
  test('can be as many as the configuration allows', async () => {
    const position = (_: unknown, i: number) => ({ thread_position: i });
    expect(
      await client.issuesOf(client.thread(...Array.from({ length: 5 }, position))),
    ).toMatchObject([
      {
        path: 'platform_posts',
        code: 'too_many_targets',
        message: 'A post must have at most 4 targets.',
        actual: 5,
        limit: 4,
      },
    ]);
  });

  test('must be connected', async () => {
    expect(await client.issuesOf({ account_ids: [client.bluesky, client.gone] })).toMatchObject([
      {
        path: 'account_ids[1]',
        code: 'account_not_active',
        message: expect.stringContaining('The account was disconnected. Connect it again: `POST'),
        actual: 'disconnected',
      },
    ]);
  });

  test('accept no options of another network, and the hint names that network', async () => {
    const options = { delay_ms: 5, langs: ['en'], colour: 'red' };
    const real = await createTestRest();
    try {
      const { key, projectId } = await real.createTenant();
      const account = await real.insertAccount(projectId);
      const answer = await real.call('POST', '/v1/posts', {
        key,
        body: {
          caption: 'a',
          platform_posts: [{ account_id: account, platform_options: options }],
        },
      });
      expect(answer.body.error.issues).toMatchObject([
        {
          path: 'platform_posts[0].platform_options.delay_ms',
          code: 'unknown_field',
          message:
            'is an option of sandbox, not of bluesky, which takes link, langs, labels, threadgate, postgate, quote, tags',
        },
        {
          path: 'platform_posts[0].platform_options.colour',
          code: 'unknown_field',
          message:
            'is not an option of bluesky, which takes link, langs, labels, threadgate, postgate, quote, tags',
        },
      ]);
    } finally {
      await real[Symbol.asyncDispose]();
    }
  });

  test('are checked together with the schedule', async () => {
    const issues = await client.issuesOf({
      scheduled_at: '2020-01-01T00:00:00Z',
      ...single(client.gone, {}),
    });
    expect(issues.map(({ path }) => path)).toEqual([
      'scheduled_at',
      'platform_posts[0].account_id',
    ]);
  });
});
