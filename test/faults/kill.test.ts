// The program killed without warning, and started again: nothing is lost, nothing is published twice.
import { describe, expect, test } from 'vitest';
import {
  concluded,
  countAtNetwork,
  fast,
  resultsUnderway,
  sandboxAccounts,
  waitFor,
} from '../support/checks/killed-program.ts';
import { removeDataDirectory, startProgram } from '../support/app/program.ts';
import { startReceiver } from '../support/receivers/receiver.ts';
import { createBundledDirectory } from '../support/servers/bundled-directory.ts';

// Most of it is waiting, so both at once.
describe.concurrent('kill -9 of the program', () => {
  test('leaves an accepted post to be published once, and its event to be delivered', async () => {
    const dataDirectory = createBundledDirectory();
    await using receiver = await startReceiver();
    try {
      await using first = startProgram({ dataDirectory, env: fast });
      const api = await first.waitForReady();
      await api.post('/v1/webhooks', { url: receiver.url });
      const accountIds = await sandboxAccounts(api);
      const caption = `killed-${Date.now()}`;
      const posted = await api.post('/v1/posts', {
        caption,
        platform_posts: accountIds.map((account_id) => ({
          account_id,
          platform_options: { delay_ms: 400 },
        })),
      });
      expect(posted.status).toBe(202);
      await first.kill9();

      await using second = startProgram({ dataDirectory, env: fast });
      const again = await second.waitForReady();
      const post = await waitFor(() => concluded(again, posted.body.data.id));
      expect(post.status).toBe('published');
      expect(await countAtNetwork(again, [caption])).toEqual([accountIds.length]);
      const request = await receiver.waitFor(
        (request) => request.headers['x-service-event'] === 'post.published',
        { timeoutMs: 30_000 },
      );
      expect(request.json().data.id).toBe(post.id);
    } finally {
      await removeDataDirectory(dataDirectory);
    }
  }, 120_000);

  test('leaves one post for each target that is on its way to the network', async () => {
    const dataDirectory = createBundledDirectory();
    try {
      await using first = startProgram({ dataDirectory, env: fast });
      const api = await first.waitForReady();
      const accountIds = await sandboxAccounts(api);
      const caption = `underway-${Date.now()}`;
      const posted = await api.post('/v1/posts', {
        caption,
        platform_posts: accountIds.map((account_id) => ({
          account_id,
          platform_options: { delay_ms: 1_500 },
        })),
      });
      const { id } = posted.body.data;
      const statuses = await waitFor(() => resultsUnderway(api, id));
      await first.kill9();
      expect(statuses).toContain('publishing');

      await using second = startProgram({ dataDirectory, env: fast });
      const again = await second.waitForReady();
      const post = await waitFor(() => concluded(again, id));
      expect(post.status).toBe('published');
      expect(await countAtNetwork(again, [caption])).toEqual([accountIds.length]);
    } finally {
      await removeDataDirectory(dataDirectory);
    }
  }, 120_000);

  test('publishes each post of a group once, and delivers each event', async () => {
    const dataDirectory = createBundledDirectory();
    await using receiver = await startReceiver();
    try {
      await using first = startProgram({ dataDirectory, env: fast });
      const api = await first.waitForReady();
      await api.post('/v1/webhooks', { url: receiver.url, events: ['post.published'] });
      const [account_id] = await sandboxAccounts(api);
      const captions = Array.from({ length: 40 }, (_, i) => `grouped-${i}-${Date.now()}`);
      const posts = captions.map((caption) => ({
        caption,
        platform_posts: [{ account_id, platform_options: { delay_ms: 400 } }],
      }));
      const { body } = await api.post('/v1/posts/bulk', { posts });
      const ids = (body.data as { post: { id: string } }[]).map(({ post }) => post.id);
      await waitFor(() => resultsUnderway(api, ids.at(-1)!));
      await first.kill9();

      await using second = startProgram({ dataDirectory, env: fast });
      const again = await second.waitForReady();
      for (const id of ids) {
        expect((await waitFor(() => concluded(again, id))).status).toBe('published');
      }
      expect(await countAtNetwork(again, captions)).toEqual(captions.map(() => 1));
      const arrived = () => new Set(receiver.requests.map((request) => request.json().data.id));
      await waitFor(() => Promise.resolve(arrived().size === ids.length || undefined));
    } finally {
      await removeDataDirectory(dataDirectory);
    }
  }, 120_000);
});
