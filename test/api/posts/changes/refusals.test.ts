// What the API refuses to edit or remove, and why, before any call to a network.
import { describe, expect, test } from 'vitest';
import type { PlatformName } from '../../../../schema/platforms/index.ts';
import { useRest } from '../../../support/app/rest.ts';
import {
  createUnreachablePlatforms,
  publishRow,
  type Published,
} from '../../../support/changes/published-row.ts';
import { useAuthor } from '../../../support/rows/posts.ts';

const rest = useRest({}, { platforms: createUnreachablePlatforms() });
const author = useAuthor(rest);
const publish = (platform: PlatformName, published?: Published) =>
  publishRow(rest, author, platform, published);

const refusal = (code: string, status = 409) => ({ status, body: { error: { code } } });

describe('a removal', () => {
  test.each(['instagram', 'nostr'] as const)(
    'is refused where the network has no call for it, and can be marked: %s',
    async (platform) => {
      const { unpublish, mark } = await publish(platform);
      const refused = await unpublish();
      expect(refused).toMatchObject(refusal('not_supported_by_network'));
      expect(refused.body.error.hint).not.toBe('');
      const marked = await mark();
      expect(marked).toMatchObject({ status: 200, body: { data: { status: 'unpublished' } } });
      expect(marked.body.data.changes).toMatchObject([{ type: 'unpublish', status: 'succeeded' }]);
    },
  );

  test('is refused for an album of Telegram', async () => {
    const { unpublish } = await publish('telegram', { mediaCount: 2 });
    expect(await unpublish()).toMatchObject(refusal('not_supported_by_network'));
  });

  test('is refused without the ID of the post', async () => {
    const { unpublish } = await publish('mastodon', { result: { external_id: null } });
    expect(await unpublish()).toMatchObject(refusal('not_supported_by_network'));
  });

  test('is refused after the time that the network allows, and can be marked', async () => {
    const published_at = new Date(Date.now() - 49 * 3_600_000);
    const { unpublish, mark } = await publish('telegram', { result: { published_at } });
    expect(await unpublish()).toMatchObject(refusal('too_late'));
    expect((await mark()).status).toBe(200);
  });

  test('is refused if the login lacks the scope', async () => {
    const scope = ['threads_basic', 'threads_content_publish'];
    const { unpublish } = await publish('threads', { account: { scope } });
    const refused = await unpublish();
    expect(refused).toMatchObject(refusal('conflict'));
    expect(refused.body.error.message).toContain('threads_delete');
  });

  test.each(['disconnected', 'reconnect_required'] as const)(
    'is refused while the account is %s',
    async (status) => {
      const { unpublish, edit } = await publish('mastodon', { account: { status } });
      for (const refused of [await unpublish(), await edit({ caption: 'a' })]) {
        expect(refused).toMatchObject(refusal('conflict'));
        expect(refused.body.error.hint).toContain('then repeat the request');
      }
    },
  );

  test.each(['pending', 'publishing', 'failed', 'canceled', 'unpublished'] as const)(
    'is refused for a target that is %s',
    async (status) => {
      const { unpublish, mark, edit } = await publish('mastodon', { status });
      expect(await unpublish()).toMatchObject(refusal('conflict'));
      expect(await mark()).toMatchObject(refusal('conflict'));
      expect(await edit({ caption: 'a' })).toMatchObject(refusal('conflict'));
    },
  );

  test('is not found for an unknown result, or that of another post', async () => {
    const { unpublish, mark, edit } = await publish('mastodon');
    const other = await author.create();
    for (const id of ['res_unknown', other.results[0]!.id]) {
      for (const refused of [
        await unpublish(id),
        await mark(id),
        await edit({ caption: 'a' }, id),
      ]) {
        expect(refused).toMatchObject(refusal('not_found', 404));
      }
    }
  });

  test('is accepted once, and a second one waits for it', async () => {
    const { unpublish, mark, edit } = await publish('mastodon');
    expect(await unpublish()).toMatchObject({ status: 202 });
    for (const again of [unpublish(), mark(), edit({ caption: 'a' })]) {
      expect(await again).toMatchObject(refusal('conflict'));
    }
  });
});

describe('an edit', () => {
  test.each(['twitter', 'bluesky', 'threads'] as const)(
    'is refused where the network has no call for it: %s',
    async (platform) => {
      const { edit } = await publish(platform);
      expect(await edit({ caption: 'a' })).toMatchObject(refusal('not_supported_by_network'));
    },
  );

  test.each([
    ['mastodon', { platform_options: { visibility: 'private' } }, 'platform_options.visibility'],
    ['linkedin', { media: [{ id: 'med_1', alt_text: 'a' }] }, 'media[0].alt_text'],
    ['discord', { platform_options: { username: 'a' } }, 'platform_options.username'],
  ] as const)('names the field that %s can not edit', async (platform, body, path) => {
    const { edit } = await publish(platform);
    const refused = await edit(body);
    expect(refused.status).toBe(422);
    expect(refused.body.error.issues).toMatchObject([{ path, code: 'not_editable' }]);
  });

  test('checks the new options by the schema of the network', async () => {
    const { edit } = await publish('mastodon');
    const refused = await edit({ platform_options: { language: 'english' } });
    expect(refused.body.error.issues).toMatchObject([{ path: 'platform_options.language' }]);
    expect((await edit({ platform_options: { spoiler_text: null } })).status).toBe(202);
  });

  test('can name the network that its options are for', async () => {
    const { edit } = await publish('mastodon');
    const platform_options = { spoiler_text: 'a' };
    const misplaced = await edit({ platform: 'youtube', platform_options });
    expect(misplaced.body.error.issues).toMatchObject([
      { path: 'platform', code: 'other_network', actual: 'youtube' },
    ]);
    const alone = await edit({ platform: 'mastodon' });
    expect(alone.body.error.issues).toMatchObject([{ path: 'body', code: 'nothing_to_change' }]);
    expect((await edit({ platform: 'mastodon', platform_options })).status).toBe(202);
  });

  test('of a post with a poll is refused', async () => {
    const poll = { options: ['a', 'b'], expires_in: 600 };
    const { edit } = await publish('mastodon', { options: { poll } });
    expect(await edit({ caption: 'a' })).toMatchObject(refusal('not_supported_by_network'));
  });
});

describe('a deletion', () => {
  const isUnknown = { status: 'failed', result: { error_code: 'outcome_unknown' } } as const;

  test.each<[string, Published, string | null]>([
    ['published', {}, '1'],
    ['unknown', isUnknown, '1'],
    ['failed', { status: 'failed', result: { error_code: 'rejected' } }, null],
    ['unpublished', { status: 'unpublished' }, null],
  ])('counts the targets that are or may be public: %s', async (_, published, count) => {
    const { remove } = await publish('mastodon', published);
    const { status, headers } = await remove();
    expect([status, headers.get('fanfare-still-public')]).toEqual([204, count]);
  });

  test('with `unpublish` keeps the record if a target can not be removed first', async () => {
    const { remove, mark } = await publish('instagram');
    expect(await remove('?unpublish=true')).toMatchObject(refusal('not_supported_by_network'));
    expect((await mark()).status).toBe(200);
    expect((await remove('?unpublish=true')).status).toBe(204);
  });

  test('with `unpublish` is refused while nobody knows whether a target is public', async () => {
    const { remove } = await publish('mastodon', isUnknown);
    const refused = await remove('?unpublish=true');
    expect(refused).toMatchObject(refusal('conflict'));
    expect(refused.body.error.hint).toContain('Retry the target');
  });
});

test('an unpublished target is not retried', async () => {
  const { retry, mark } = await publish('instagram');
  await mark();
  expect(await retry()).toMatchObject(refusal('conflict'));
});
