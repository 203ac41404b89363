// What the API refuses to edit or remove, and why, before any call to a network.
import { describe, expect, test } from 'vitest';
import { connectPlatforms, createPlatforms } from '../../../../activities/platforms/index.ts';
import { createSandboxPlatform } from '../../../../activities/platforms/sandbox/index.ts';
import { readConfig } from '../../../../schema/config/config.ts';
import type { PostResultRow, SocialAccountRow } from '../../../../schema/database/tables.ts';
import type { PlatformName } from '../../../../schema/platforms/index.ts';
import type { ResultStatus } from '../../../../schema/posts/posts.ts';
import { useRest } from '../../../support/app/rest.ts';
import { useAuthor } from '../../../support/rows/posts.ts';
import { txtOf } from '../../../support/servers/bluesky-identity.ts';

const nowhere = 'https://network.invalid';
const networks = connectPlatforms(readConfig({}).platforms, {
  fetch,
  lookUpTxt: txtOf({}),
  withWebSocket: () => Promise.reject(new Error('No test here calls a network.')),
});
const sandbox = createSandboxPlatform({ fetch, apiUrl: nowhere, publicUrl: nowhere });
const rest = useRest({}, { platforms: createPlatforms([...networks, sandbox]) });
const author = useAuthor(rest);

interface Published {
  status?: ResultStatus;
  account?: Partial<Pick<SocialAccountRow, 'status' | 'scope'>>;
  result?: Partial<Pick<PostResultRow, 'external_id' | 'published_at'>>;
  mediaCount?: number;
}

/** A post whose only target is published at the network, as far as the rows say. */
async function publish(
  platform: PlatformName,
  { status = 'published', account = {}, result = {}, mediaCount = 0 }: Published = {},
) {
  const { db } = rest.context;
  const [accountId] = author.accounts;
  const post = await author.create({ account_ids: [accountId] });
  const [{ id: resultId } = { id: '' }] = post.results;
  const item = {
    id: 'med_1',
    url: null,
    alt_text: null,
    thumbnail_id: null,
    thumbnail_at_ms: null,
  };
  await db
    .updateTable('social_accounts')
    .set({ platform, ...account })
    .where('id', '=', accountId)
    .execute();
  await db
    .updateTable('post_results')
    .set({
      platform,
      status,
      external_id: '1',
      published_at: new Date(),
      media: JSON.stringify(Array.from({ length: mediaCount }, () => item)),
      ...result,
    })
    .where('id', '=', resultId)
    .execute();
  await db.updateTable('posts').set({ status: 'published' }).where('id', '=', post.id).execute();
  const path = `/v1/posts/${post.id}/results/${resultId}`;
  const { key } = author;
  return {
    path,
    unpublish: () => rest.call('POST', `${path}/unpublish`, { key }),
    mark: () => rest.call('POST', `${path}/mark-unpublished`, { key }),
    edit: (body: object) => rest.call('PATCH', path, { key, body }),
  };
}

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
      const { unpublish } = await publish('mastodon', { account: { status } });
      const refused = await unpublish();
      expect(refused).toMatchObject(refusal('conflict'));
      expect(refused.body.error.hint).toContain('then repeat the request');
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
    const { path, edit } = await publish('mastodon');
    const poll = JSON.stringify({ poll: { options: ['a', 'b'], expires_in: 600 } });
    await rest.context.db
      .updateTable('post_results')
      .set({ platform_options: poll })
      .where('id', '=', path.split('/').at(-1)!)
      .execute();
    expect(await edit({ caption: 'a' })).toMatchObject(refusal('not_supported_by_network'));
  });
});

test('the capabilities of an account say what can be done after the publication', async () => {
  const { key } = author;
  const [accountId] = author.accounts;
  const read = async () =>
    (await rest.call('GET', `/v1/accounts/${accountId}/capabilities`, { key })).body.data
      .after_publishing;
  await publish('threads', { account: { scope: ['threads_basic'] } });
  expect((await read()).unpublish).toMatchObject({
    supported: false,
    scopes: ['threads_delete'],
  });
  await publish('threads', { account: { scope: ['threads_basic', 'threads_delete'] } });
  expect((await read()).unpublish.supported).toBe(true);
  await publish('telegram');
  expect(await read()).toMatchObject({
    unpublish: { supported: true, within_s: 172_800 },
    edit: { fields: ['caption'] },
  });
});
