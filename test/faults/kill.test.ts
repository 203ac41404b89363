// The program killed without warning, and started again: nothing is lost, nothing is published twice.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive } from '../support/processes.ts';
import type { Api } from '../support/app/api.ts';
import { createBundledDirectory } from '../support/servers/bundled-directory.ts';
import { findServer, removeDataDirectory, startProgram } from '../support/app/program.ts';
import { startReceiver } from '../support/receivers/receiver.ts';

const fast = {
  FANFARE_RECONCILE_DELAYS_MS: '0,200,500',
  FANFARE_SWEEP_EVERY_S: '1',
  FANFARE_SWEEP_OVERDUE_S: '2',
  FANFARE_MIN_SCHEDULE_AHEAD_S: '1',
  FANFARE_LOG_LEVEL: 'error',
};

async function waitFor<T>(find: () => Promise<T | undefined>, timeoutMs = 60_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const sandboxAccounts = async (api: Api): Promise<string[]> => {
  const { body } = await api.get('/v1/accounts?platform=sandbox');
  return body.data.map((account: { id: string }) => account.id);
};

const concluded = async (api: Api, id: string) => {
  const { body } = await api.get(`/v1/posts/${id}`);
  return ['published', 'partial', 'failed'].includes(body.data.status) ? body.data : undefined;
};

/** The statuses of its targets, once none is waiting for its turn. */
const resultsUnderway = async (api: Api, id: string): Promise<string[] | undefined> => {
  const { body } = await api.get(`/v1/posts/${id}`);
  const statuses = body.data.results.map((result: { status: string }) => result.status);
  return statuses.includes('pending') ? undefined : statuses;
};

/** How often each of these captions stands at the network. */
async function countAtNetwork(api: Api, captions: string[]): Promise<number[]> {
  const page = await fetch(new URL('/sandbox/posts?limit=500', api.url));
  const html = await page.text();
  return captions.map((caption) => html.split(caption).length - 1);
}

// Most of it is waiting, so both at once.
describe.concurrent('kill -9 of the program', () => {
  test('between acceptance and publication: published once, the event delivered', async () => {
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

  test('while the posts are on their way to the network: one each', async () => {
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
});

describe("the loss of Temporal's database", () => {
  test('with 200 deliveries waiting and 10 posts scheduled: all arrive, none twice', async () => {
    const dataDirectory = createBundledDirectory();
    // The retry schedule's first step comes long after the loss.
    const env = { ...fast, FANFARE_DELIVERY_DELAYS_MS: '12000,60000,60000' };
    let isUp = false;
    await using receiver = await startReceiver({
      respond: () => ({ status: isUp ? 200 : 503 }),
    });
    try {
      await using first = startProgram({ dataDirectory, env });
      const api = await first.waitForReady();
      const accountIds = await sandboxAccounts(api);
      for (let i = 0; i < 20; i++) await api.post('/v1/webhooks', { url: `${receiver.url}/${i}` });
      // Ten events for twenty webhooks each.
      const posts = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          api.post('/v1/posts', { caption: `now-${i}.`, account_ids: accountIds }),
        ),
      );
      await Promise.all(posts.map(({ body }) => waitFor(() => concluded(api, body.data.id))));
      await receiver.waitForCount(200, { timeoutMs: 30_000 });
      const captions = Array.from({ length: 10 }, (_, i) => `scheduled-${i}.`);
      const scheduled = await Promise.all(
        captions.map((caption) =>
          api.post('/v1/posts', {
            caption,
            account_ids: accountIds,
            scheduled_at: new Date(Date.now() + 15_000).toISOString(),
          }),
        ),
      );
      expect(scheduled.map((answer) => answer.status)).toEqual(captions.map(() => 201));
      await first.kill9();
      await removeTemporalDatabase(dataDirectory);
      isUp = true;

      await using second = startProgram({ dataDirectory, env });
      const again = await second.waitForReady();
      for (const { body } of scheduled) {
        const post = await waitFor(() => concluded(again, body.data.id));
        expect(post.status).toBe('published');
      }
      expect(await countAtNetwork(again, captions)).toEqual(captions.map(() => accountIds.length));
      // 200 that failed at first, and 200 of the scheduled posts; each delivered once.
      await waitFor(async () => (delivered(receiver.requests).length >= 400 ? true : undefined));
      const ids = delivered(receiver.requests);
      expect(new Set(ids).size).toBe(ids.length);
    } finally {
      await removeDataDirectory(dataDirectory);
    }

    /** Delivery ids of the requests that were answered with 200: those after the loss. */
    function delivered(requests: typeof receiver.requests): string[] {
      return requests.slice(200).map((request) => String(request.headers['x-service-delivery']));
    }
  }, 180_000);
});

/** A killed program leaves its Temporal running. */
async function removeTemporalDatabase(dataDirectory: string): Promise<void> {
  const pid = findServer(dataDirectory, 'temporal')!;
  process.kill(pid, 'SIGKILL');
  await waitFor(() => Promise.resolve(isAlive(pid) ? undefined : true), 10_000);
  const files = (await readdir(dataDirectory)).filter((name) => name.startsWith('temporal.sqlite'));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) await rm(join(dataDirectory, file));
}
