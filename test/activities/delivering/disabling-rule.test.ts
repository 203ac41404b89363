// Disabling a webhook by its failures: which failures count, and when the count starts anew.
import { describe, expect, test } from 'vitest';
import { insertManualAttempt } from '../../../schema/database/webhooks/manual-attempts.ts';
import { attempt, exchange, failedForGood } from '../../support/rows/attempts.ts';
import { ago, hourMs, useFailingWebhook } from '../../support/receivers/failing-webhook.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

const webhook = useFailingWebhook();

describe('the disabling rule', () => {
  test('disables a webhook after five different events in a row failed for good, and an hour passed without a success', async () => {
    const worker = webhook.createWorker();
    const ids = await webhook.addDeliveries(7);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    expect(await webhook.read()).toMatchObject({
      status: 'active',
      failing_since: expect.any(Date),
    });
    await worker.record(failedForGood(ids[4]!));
    expect(await webhook.read()).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failures',
      disabled_at: expect.any(Date),
    });
    expect(await webhook.changesOf(webhook.id)).toEqual(['failing', 'disabled']);
    expect(await webhook.statuses(ids.slice(4))).toEqual(['failed', 'skipped', 'skipped']);
    expect(await webhook.changesOf(ids[5]!)).toEqual(['created', 'skipped']);
  });

  test('counts a failed event once, however many attempts it took', async () => {
    const worker = webhook.createWorker();
    const [id, ...others] = await webhook.addDeliveries(4);
    for (let i = 0; i < 3; i++) {
      await worker.record(
        attempt(id!, { scheduled_attempts: i, status: 'retrying', error_code: 'http_5xx' }),
      );
    }
    await worker.record(failedForGood(id!, { scheduled_attempts: 3 }));
    for (const other of others) await worker.record(failedForGood(other));
    expect(await webhook.read()).toMatchObject({ status: 'active' });
  });

  test('restarts the count and the hour with each successful delivery', async () => {
    const worker = webhook.createWorker();
    const ids = await webhook.addDeliveries(11);
    const early = ago(1.5 * hourMs);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id, { ended_at: early }));
    await worker.record(attempt(ids[4]!, { ended_at: ago(0.9 * hourMs) }));
    for (const id of ids.slice(5, 9)) await worker.record(failedForGood(id));
    expect(await webhook.read()).toMatchObject({ status: 'active' });
    await worker.record(failedForGood(ids[9]!));
    expect(await webhook.read(), 'five failed, within the hour').toMatchObject({
      status: 'active',
    });
    await webhook.db
      .updateTable('deliveries')
      .set({ delivered_at: ago(1.1 * hourMs) })
      .where('id', '=', ids[4]!)
      .execute();
    await worker.record(failedForGood(ids[10]!));
    expect(await webhook.read()).toMatchObject({ status: 'disabled' });
  });

  test('gives a newly enabled webhook the whole hour', async () => {
    const worker = webhook.createWorker();
    const ids = await webhook.addDeliveries(12);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    await webhook.enabledSince(new Date());
    for (const id of ids.slice(4, 10)) await worker.record(failedForGood(id));
    expect(await webhook.read()).toMatchObject({ status: 'active' });
    await webhook.enabledSince(ago(1.1 * hourMs));
    await worker.record(failedForGood(ids[10]!));
    expect(await webhook.read()).toMatchObject({ status: 'disabled' });
  });

  test('counts 410 like any other failure', async () => {
    const worker = webhook.createWorker();
    const gone = { status_code: 410, error_code: 'http_4xx' };
    const ids = await webhook.addDeliveries(5);
    await worker.record(failedForGood(ids[0]!, gone));
    expect(await webhook.read()).toMatchObject({ status: 'active' });
    for (const id of ids.slice(1)) await worker.record(failedForGood(id, gone));
    expect(await webhook.read()).toMatchObject({ status: 'disabled', disabled_reason: 'failures' });
  });

  test('does not count test events, whether they fail or are delivered', async () => {
    const worker = webhook.createWorker();
    const ids = await webhook.addDeliveries(11);
    const tests = ids.slice(4, 10);
    await webhook.db
      .updateTable('deliveries')
      .set({ trigger: 'test' })
      .where('id', 'in', tests)
      .execute();
    for (const id of tests.slice(1)) await worker.record(failedForGood(id));
    expect(await webhook.read()).toMatchObject({ status: 'active', failing_since: null });
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    await worker.record(attempt(tests[0]!));
    expect(await webhook.read()).toMatchObject({
      status: 'active',
      failing_since: expect.any(Date),
    });
    await worker.record(failedForGood(ids[10]!));
    expect(await webhook.read()).toMatchObject({ status: 'disabled' });
  });

  test('does not count a manual delivery as a success of the schedule', async () => {
    const worker = webhook.createWorker();
    const ids = await webhook.addDeliveries(5);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    await inQuietTransaction(webhook.db, (trx) => insertManualAttempt(trx, ids[0]!, exchange()));
    expect(await webhook.delivery(ids[0]!)).toMatchObject({ status: 'delivered' });
    await worker.record(failedForGood(ids[4]!));
    expect(await webhook.read()).toMatchObject({ status: 'disabled' });
  });

  test('counts a success of the schedule even if the event was delivered manually before', async () => {
    const worker = webhook.createWorker({ afterMs: 0 });
    const ids = await webhook.addDeliveries(6);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    await inQuietTransaction(webhook.db, (trx) => insertManualAttempt(trx, ids[4]!, exchange()));
    await worker.record(attempt(ids[4]!));
    expect(await webhook.read()).toMatchObject({ failing_since: null });
    await worker.record(failedForGood(ids[5]!));
    expect(await webhook.read()).toMatchObject({ status: 'active' });
  });
});
