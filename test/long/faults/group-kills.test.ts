// Workers are killed at each step of a group of posts and of a batch of deliveries, while others continue.
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { workflowBundle } from '../../../activities/dispatch/workflow-bundle.ts';
import { useApp } from '../../support/app/app.ts';
import { diesAt, type DyingStep } from '../../support/dying-program.ts';
import { startWorkers } from '../../support/app/worker-programs.ts';
import {
  createPosts,
  expectEachDelivered,
  expectPublishedOnce,
  type SentPost,
} from '../../support/checks/published-once.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';
import { commitEvents } from '../../support/rows/events.ts';

const vaultKey = randomBytes(32);
const app = useApp({ roles: { api: true, worker: false }, vaultKey });
beforeAll(async () => {
  await workflowBundle(inject('cacheDirectory'));
});

/** Starts a worker that dies at each of these steps, and two that live. */
async function startDying(steps: DyingStep[]) {
  const common = {
    FANFARE_SANDBOX: 'true',
    FANFARE_SANDBOX_API_URL: `${app.url}/sandbox`,
    FANFARE_RECONCILE_DELAYS_MS: '0,500,1000',
    FANFARE_DELIVERY_DELAYS_MS: '500,500,500',
  };
  const workers = await startWorkers(app, vaultKey, [
    ...steps.map((step) => ({ ...common, ...diesAt(step) })),
    common,
    common,
  ]);
  const alive = new Set(steps.map(({ statement, moment }) => `${moment} ${statement}`));
  steps.forEach(({ statement, moment }, i) => {
    void workers.programs[i]!.exit.then(() => alive.delete(`${moment} ${statement}`));
  });
  return {
    /** Repeats the work until each of the workers has died at its step. */
    async untilAllDied(work: () => Promise<void>): Promise<void> {
      const next = async () => {
        await work();
        return [...alive];
      };
      await expect.poll(next, { timeout: 120_000, interval: 300 }).toEqual([]);
    },
    [Symbol.asyncDispose]: () => workers[Symbol.asyncDispose](),
  };
}

test('each post of a group is published once, and its event delivered, whenever workers die', async () => {
  await using receiver = await startReceiver();
  await app.tenant.createWebhook(receiver.url, ['post.published']);
  const { id } = await app.tenant.connectSandbox('ada');
  await using dying = await startDying([
    { statement: 'claim_outbox', moment: 'after' },
    { statement: 'group_posts', moment: 'after' },
    // The workflow has started.
    { statement: 'delete_outbox', moment: 'before' },
    { statement: 'claim_runs', moment: 'after' },
    { statement: 'begin_phases', moment: 'after' },
    // The calls are in progress.
    { statement: 'list_open_targets', moment: 'after', laterMs: 300 },
    // The network has answered.
    { statement: 'set_published_targets', moment: 'before' },
    { statement: 'set_published_targets', moment: 'after' },
    { statement: 'set_concluded', moment: 'after' },
  ]);
  const posts: SentPost[] = [];
  await dying.untilAllDied(async () => {
    posts.push(...(await createPosts(app, id, 25, { platform_options: { delay_ms: 500 } })));
  });
  await expectPublishedOnce(app, posts, { timeoutMs: 90_000 });
  await expectEachDelivered(receiver, posts);
}, 300_000);

test('each delivery of a batch arrives, whenever workers die', async () => {
  const seen = new Set<string>();
  await using failing = await startReceiver({
    respond: ({ headers }) => {
      const id = String(headers['x-service-delivery']);
      const status = seen.has(id) ? 200 : 503;
      seen.add(id);
      return { status, delayMs: 200 };
    },
  });
  await using healthy = await startReceiver({ respond: () => ({ delayMs: 200 }) });
  const tenant = await app.createTenant();
  for (const { url } of [failing, healthy]) await tenant.createWebhook(url, ['post.failed']);
  await using dying = await startDying([
    { statement: 'claim_batch', moment: 'after' },
    // The requests are in flight.
    { statement: 'list_unfinished', moment: 'after', laterMs: 100 },
    // The receivers have answered.
    { statement: 'insert_attempts', moment: 'before' },
    // The batch is neither deleted nor left to its workflow.
    { statement: 'insert_attempts', moment: 'after' },
  ]);
  let count = 0;
  const { projectId } = tenant;
  await dying.untilAllDied(async () => {
    const event = { projectId, environment: 'production', type: 'post.failed', data: {} } as const;
    await commitEvents(app.context.db, event, 25);
    app.context.notifier.notify('fanfare_deliveries');
    count += 25;
  });

  const ofProject = app.context.db
    .selectFrom('deliveries')
    .select(['id', 'event_id', 'status'])
    .where('project_id', '=', projectId);
  const listOpen = async () => {
    const rows = await ofProject.execute();
    return rows.filter(({ status }) => status !== 'delivered');
  };
  await expect.poll(listOpen, { timeout: 90_000, interval: 250 }).toEqual([]);
  const deliveries = await ofProject.execute();
  expect(deliveries).toHaveLength(2 * count);
  const requests = [...failing.requests, ...healthy.requests];
  const sent = requests.map(({ headers }) => {
    return `${String(headers['x-service-delivery'])} ${String(headers['webhook-id'])}`;
  });
  // A repeat has the delivery's ID, so no other pair exists.
  const expected = deliveries.map(({ id, event_id }) => `${id} ${event_id}`);
  expect([...new Set(sent)].toSorted()).toEqual(expected.toSorted());
}, 300_000);
