// Temporal's database is lost while the program is down: nothing is lost, nothing is published or delivered twice.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive } from '../../support/processes.ts';
import {
  concluded,
  countAtNetwork,
  fast,
  sandboxAccounts,
  waitFor,
} from '../../support/checks/killed-program.ts';
import { findServer, removeDataDirectory, startProgram } from '../../support/app/program.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';
import { createBundledDirectory } from '../../support/servers/bundled-directory.ts';

describe("the loss of Temporal's database", () => {
  test('loses and repeats none of 200 waiting deliveries and 10 scheduled posts', async () => {
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
