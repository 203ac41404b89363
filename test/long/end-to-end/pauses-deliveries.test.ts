// While an operator pauses all deliveries, nothing is sent. Afterwards everything is sent once.
import { afterEach, describe, expect, test } from 'vitest';
import { pause, resume } from '../../../api/cli/pause.ts';
import { useApp } from '../../support/app/app.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';
import { waitForRelayPoll } from '../../support/receivers/relay-polls.ts';
import { commitEvents } from '../../support/rows/events.ts';

/** A pause takes effect within this time, and so does its end. */
const effectiveMs = 5_000;

const app = useApp();
afterEach(() => resume(app.context, 'deliveries'));

const pauseDeliveries = () => pause(app.context.db, 'deliveries');
const resumeDeliveries = () => resume(app.context, 'deliveries');

async function commit(projectId: string, count = 1): Promise<void> {
  const { db, notifier } = app.context;
  const event = {
    projectId,
    environment: 'production',
    type: 'post.published',
    data: { id: 'post_1' },
  } as const;
  await commitEvents(db, event, count);
  notifier.notify('fanfare_deliveries');
}

/** What has not been delivered, by whether a batch has it. */
async function countOpen(projectId: string): Promise<{ claimed: number; waiting: number }> {
  const rows = await app.context.db
    .selectFrom('deliveries')
    .select('batch_id')
    .where('project_id', '=', projectId)
    .where('status', '=', 'pending')
    .execute();
  const waiting = rows.filter(({ batch_id }) => batch_id === null).length;
  return { claimed: rows.length - waiting, waiting };
}

describe('while deliveries are paused', () => {
  test('an event that is committed is sent once, after they are resumed', async () => {
    await using receiver = await startReceiver();
    const { projectId, createWebhook } = await app.createTenant();
    await createWebhook(receiver.url, ['post.published']);
    await pauseDeliveries();
    await commit(projectId);
    await waitForRelayPoll();
    expect(await countOpen(projectId)).toEqual({ claimed: 0, waiting: 1 });
    expect(receiver.requests).toHaveLength(0);
    await resumeDeliveries();
    await receiver.waitForCount(1, { timeoutMs: effectiveMs });
    await commit(projectId);
    await receiver.waitForCount(2, { timeoutMs: effectiveMs });
    const ids = receiver.requests.map(({ headers }) => headers['x-service-delivery']);
    expect(new Set(ids).size).toBe(2);
  });

  test('a burst stops in its middle, and each remaining delivery is sent once', async () => {
    const burst = 800;
    let delayMs = 100;
    await using receiver = await startReceiver({ respond: () => ({ status: 200, delayMs }) });
    const { projectId, createWebhook } = await app.createTenant();
    await createWebhook(receiver.url, ['post.published']);
    await commit(projectId, burst);
    await receiver.waitForCount(50);
    await pauseDeliveries();
    await expect
      .poll(async () => (await countOpen(projectId)).claimed, { timeout: effectiveMs })
      .toBe(0);
    const sent = receiver.requests.length;
    await waitForRelayPoll();
    expect(await countOpen(projectId)).toEqual({ claimed: 0, waiting: burst - sent });
    expect(receiver.requests).toHaveLength(sent);
    expect(sent).toBeLessThan(burst);
    delayMs = 0;
    await resumeDeliveries();
    await receiver.waitForCount(burst, { timeoutMs: 20_000 });
    const ids = receiver.requests.map(({ headers }) => headers['x-service-delivery']);
    expect(new Set(ids).size).toBe(burst);
    expect(ids).toHaveLength(burst);
  }, 40_000);
});
