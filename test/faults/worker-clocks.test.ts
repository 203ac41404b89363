// Workers whose own clocks are wrong: the database's time decides when they publish, retry and deliver.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { workflowBundle } from '../../activities/dispatch/workflow-bundle.ts';
import { startApp, type TestApp } from '../support/app/app.ts';
import { createBundledDirectory } from '../support/servers/bundled-directory.ts';
import { removeDataDirectory, startProgram, type Program } from '../support/app/program.ts';
import { startReceiver } from '../support/receivers/receiver.ts';

const shiftsMs = [-60_000, -300, 3_600_000];
const delayMs = 1_000;
/** More than a shift of 0.3 s, far less than one of a minute. */
const maxLateMs = 5_000;
const preload = new URL('../chaos/clock-shift.ts', import.meta.url).href;

const vaultKey = randomBytes(32);
const dataDirectory = createBundledDirectory();
let app: TestApp;
let workers: Program[] = [];

beforeAll(async () => {
  app = await startApp({ roles: { api: true, worker: false }, vaultKey });
  await workflowBundle(inject('cacheDirectory'));
  workers = shiftsMs.map(startWorker);
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  await app.stop();
  await removeDataDirectory(dataDirectory);
});

function startWorker(shiftMs: number): Program {
  return startProgram({
    command: ['worker'],
    dataDirectory,
    env: {
      NODE_OPTIONS: `--import ${preload}`,
      CLOCK_SHIFT_MS: String(shiftMs),
      DATABASE_URL: app.database.url,
      TEMPORAL_ADDRESS: app.namespace.address,
      TEMPORAL_NAMESPACE: app.namespace.namespace,
      FANFARE_VAULT_KEYS: `test:${vaultKey.toString('base64')}`,
      FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
      FANFARE_SANDBOX: 'true',
      FANFARE_SANDBOX_API_URL: `${app.url}/sandbox`,
      FANFARE_UNAVAILABLE_DELAYS_MS: `${delayMs}`,
      FANFARE_DELIVERY_DELAYS_MS: `${delayMs}`,
      FANFARE_LOG_LEVEL: 'error',
    },
  });
}

async function countPollers(): Promise<number> {
  const { client, namespace } = app.namespace;
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: 'fanfare' },
    taskQueueType: 1,
  });
  return new Set(pollers?.map(({ identity }) => identity)).size;
}

/** Not early, and not late. */
function expectOnTime(at: Date, dueMs: number): void {
  expect(at.getTime()).toBeGreaterThanOrEqual(dueMs);
  expect(at.getTime()).toBeLessThan(dueMs + maxLateMs);
}

test('20 scheduled posts go out, are retried and delivered on time', async () => {
  await expect.poll(countPollers, { timeout: 60_000, interval: 200 }).toBe(shiftsMs.length);
  const { db } = app.database;
  const seen = new Set<string>();
  await using receiver = await startReceiver({
    respond(request) {
      const id = String(request.headers['webhook-id']);
      const status = seen.has(id) ? 200 : 503;
      seen.add(id);
      return { status };
    },
  });
  await app.tenant.createWebhook(receiver.url, ['post.published']);
  const account = await app.tenant.connectSandbox('ada');
  const dueMs = Date.now() + 5_000;
  const posts = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      app.tenant.createPost({
        caption: `post ${n}`,
        scheduled_at: new Date(dueMs).toISOString(),
        // Each is refused once.
        platform_posts: [
          { account_id: account.id, platform_options: { outcome: 'unavailable', times: 1 } },
        ],
      }),
    ),
  );
  await receiver.waitForCount(2 * posts.length, { timeoutMs: 30_000 });

  const calls = await db.selectFrom('post_attempts').selectAll().orderBy('number').execute();
  for (const { results } of posts) {
    const [refused, published] = calls.filter(({ result_id }) => result_id === results[0]!.id);
    expect(refused!.outcome).toBe('unavailable');
    expectOnTime(refused!.started_at, dueMs);
    expect(published!.outcome).toBe('published');
    expectOnTime(published!.started_at, refused!.started_at.getTime() + delayMs);
  }
  for (const { headers, receivedAt } of receiver.requests) {
    const signedAtMs = Number(headers['webhook-timestamp']) * 1_000;
    expect(Math.abs(signedAtMs - receivedAt.getTime())).toBeLessThan(5_000);
  }
  for (const attempts of Map.groupBy(receiver.requests, (r) => r.headers['webhook-id']).values()) {
    const [failed, delivered] = attempts;
    expectOnTime(delivered!.receivedAt, failed!.receivedAt.getTime() + delayMs);
  }
}, 120_000);
