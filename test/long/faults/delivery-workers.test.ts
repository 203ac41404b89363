// Two worker processes on one database: each attempt is made by one of them, and one continues alone.
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, inject, test } from 'vitest';
import { workflowBundle } from '../../../activities/dispatch/workflow-bundle.ts';
import { recordEvent } from '../../../schema/database/events/record.ts';
import { useApp } from '../../support/app/app.ts';
import { heldCount, holdDeliveries } from '../../support/receivers/held-deliveries.ts';
import { startWorkers } from '../../support/app/worker-programs.ts';
import { startCountingReceiver } from '../../support/receivers/counting-receiver.ts';
import type { ReceivedRequest } from '../../support/receivers/receiver.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

const perEndpoint = 10;
const eventCount = 600;

const vaultKey = randomBytes(32);

const app = useApp({ roles: { api: true, worker: false }, vaultKey });
beforeAll(async () => {
  await workflowBundle(inject('cacheDirectory'));
});

const startTwo = (env: Record<string, string>) => startWorkers(app, vaultKey, [env, env]);

/** Of ten events one fails at first and one always. */
function statusOf(request: ReceivedRequest, attempt: number): number {
  const { n } = request.json().data;
  const isFailing = n % 10 === 1 || (n % 10 === 0 && attempt === 1);
  return isFailing ? 503 : 200;
}

test('two workers never make the same attempt of a delivery twice', async () => {
  await using _workers = await startTwo({
    FANFARE_DELIVERIES_PER_ENDPOINT: String(perEndpoint),
    FANFARE_DELIVERY_DELAYS_MS: '300,300,300',
  });
  const statuses = new Map<string, number[]>();
  await using receiver = await startCountingReceiver(20, (request) => {
    const id = String(request.headers['x-service-delivery']);
    const before = statuses.get(id) ?? [];
    const status = statusOf(request, before.length + 1);
    statuses.set(id, [...before, status]);
    return { status };
  });
  await app.tenant.createWebhook(receiver.url, ['post.published']);
  const { db, notifier } = app.context;
  const { projectId } = app.tenant;
  const commit = async (n: number) => {
    const event = {
      projectId,
      environment: 'production',
      type: 'post.published',
      data: { n },
    } as const;
    await inQuietTransaction(db, (trx) => recordEvent(trx, event, { previewEvents: false }));
    notifier.notify('fanfare_deliveries');
  };
  await Promise.all(Array.from({ length: eventCount }, (_, n) => commit(n)));
  const list = () =>
    db.selectFrom('deliveries').select(['id', 'status', 'attempt_count']).execute();
  const countOpen = async () =>
    (await list()).filter(({ status }) => status === 'pending' || status === 'retrying').length;
  await expect.poll(countOpen, { timeout: 60_000, interval: 200 }).toBe(0);

  const deliveries = await list();
  const twice = deliveries.filter(
    ({ id, attempt_count }) => statuses.get(id)?.length !== attempt_count,
  );
  expect(twice).toEqual([]);
  const outcomes = Map.groupBy(
    deliveries,
    ({ id, status }) => `${status}: ${statuses.get(id)!.join(' ')}`,
  );
  const counts = Object.fromEntries(
    [...outcomes].map(([outcome, { length }]) => [outcome, length]),
  );
  expect(counts).toEqual({
    'delivered: 200': eventCount * 0.8,
    'delivered: 503 200': eventCount * 0.1,
    'failed: 503 503 503 503': eventCount * 0.1,
  });
  const logged = await db
    .selectFrom('delivery_attempts')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  expect(Number(logged.count)).toBe(receiver.requests.length);
  // Both took part, and neither sent more at once than it may.
  expect(receiver.mostOpen()).toBeGreaterThan(perEndpoint);
  expect(receiver.mostOpen()).toBeLessThanOrEqual(2 * perEndpoint);
}, 150_000);

test('one worker takes over the deliveries that a killed worker had in flight', async () => {
  await using workers = await startTwo({
    FANFARE_DELIVERIES_PER_ENDPOINT: '1000',
    FANFARE_DELIVERY_DELAYS_MS: '5000,5000,5000',
  });
  const { api } = await app.createTenant();
  await using held = await holdDeliveries({ api, db: app.context.db });
  const inFlight = await held.readInFlight();
  expect(inFlight.size).toBeGreaterThanOrEqual(heldCount);
  const killedAtMs = Date.now();
  await workers.programs[0]!.kill9();
  held.release();
  await held.commitMore(20);
  const { lastSentAt, repeatedCount } = await held.conclude(inFlight);
  const sentMs = lastSentAt.getTime() - killedAtMs;
  console.log(
    `All sent ${sentMs} ms after the kill; of ${inFlight.size} in flight, ${repeatedCount} came again`,
  );
  // The deliveries in flight at the other worker were not disturbed.
  expect(repeatedCount).toBeGreaterThan(0);
  expect(repeatedCount).toBeLessThan(heldCount);
  expect(sentMs).toBeLessThan(60_000);
}, 180_000);
