// Workers whose own clocks are wrong: the database's time decides when they publish, retry and deliver.
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { workflowBundle } from '../../../activities/dispatch/workflow-bundle.ts';
import { useApp } from '../../support/app/app.ts';
import { startWorkers } from '../../support/app/worker-programs.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';

const shiftsMs = [-60_000, -300, 3_600_000];
const delayMs = 1_000;
/** More than a shift of 0.3 s, far less than one of a minute. */
const maxLateMs = 5_000;
const preload = new URL('../../chaos/clock-shift.ts', import.meta.url).href;

const vaultKey = randomBytes(32);

const app = useApp({ roles: { api: true, worker: false }, vaultKey });
beforeAll(async () => {
  await workflowBundle(inject('cacheDirectory'));
});

function expectOnTime(at: Date, dueMs: number): void {
  expect(at.getTime()).toBeGreaterThanOrEqual(dueMs);
  expect(at.getTime()).toBeLessThan(dueMs + maxLateMs);
}

test('20 posts are published, retried and delivered on time by workers with wrong clocks', async () => {
  const environments = shiftsMs.map((shiftMs) => ({
    NODE_OPTIONS: `--import ${preload}`,
    CLOCK_SHIFT_MS: String(shiftMs),
    FANFARE_SANDBOX: 'true',
    FANFARE_SANDBOX_API_URL: `${app.url}/sandbox`,
    FANFARE_UNAVAILABLE_DELAYS_MS: `${delayMs}`,
    FANFARE_DELIVERY_DELAYS_MS: `${delayMs}`,
  }));
  await using _workers = await startWorkers(app, vaultKey, environments);
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
  // Long enough to create all posts on a busy machine.
  const dueMs = Date.now() + 10_000;
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
