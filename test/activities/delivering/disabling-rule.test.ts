// When a webhook is disabled by its failures: what counts as one, and what begins the count anew.
import { describe, expect, test } from 'vitest';
import { insertManualAttempt } from '../../../schema/database/webhooks/manual-attempts.ts';
import { attempt, exchange, failedForGood } from '../../support/rows/attempts.ts';
import { ago, hourMs, useJudgedWebhook } from '../../support/receivers/judged-webhook.ts';

const judged = useJudgedWebhook();

describe('the disabling rule', () => {
  test('disables after five different events in a row that failed for good, and an hour without success', async () => {
    const worker = judged.createWorker();
    const ids = await judged.addDeliveries(7);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    expect(await judged.read()).toMatchObject({
      status: 'active',
      failing_since: expect.any(Date),
    });
    await worker.record(failedForGood(ids[4]!));
    expect(await judged.read()).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failures',
      disabled_at: expect.any(Date),
    });
    expect(await judged.changesOf(judged.id)).toEqual(['failing', 'disabled']);
    expect(await judged.statuses(ids.slice(4))).toEqual(['failed', 'skipped', 'skipped']);
    expect(await judged.changesOf(ids[5]!)).toEqual(['created', 'skipped']);
  });

  test('counts a failed event once, however many attempts it took', async () => {
    const worker = judged.createWorker();
    const [id, ...others] = await judged.addDeliveries(4);
    for (let i = 0; i < 3; i++) {
      await worker.record(
        attempt(id!, { scheduled_attempts: i, status: 'retrying', error_code: 'http_5xx' }),
      );
    }
    await worker.record(failedForGood(id!, { scheduled_attempts: 3 }));
    for (const other of others) await worker.record(failedForGood(other));
    expect(await judged.read()).toMatchObject({ status: 'active' });
  });

  test('begins its count anew with each delivery, and its hour too', async () => {
    const worker = judged.createWorker();
    const ids = await judged.addDeliveries(11);
    const early = ago(1.5 * hourMs);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id, { ended_at: early }));
    await worker.record(attempt(ids[4]!, { ended_at: ago(0.9 * hourMs) }));
    for (const id of ids.slice(5, 9)) await worker.record(failedForGood(id));
    expect(await judged.read()).toMatchObject({ status: 'active' });
    await worker.record(failedForGood(ids[9]!));
    expect(await judged.read(), 'five failed, within the hour').toMatchObject({ status: 'active' });
    await judged.db
      .updateTable('deliveries')
      .set({ delivered_at: ago(1.1 * hourMs) })
      .where('id', '=', ids[4]!)
      .execute();
    await worker.record(failedForGood(ids[10]!));
    expect(await judged.read()).toMatchObject({ status: 'disabled' });
  });

  test('gives a webhook that was enabled just now its hour', async () => {
    const worker = judged.createWorker();
    const ids = await judged.addDeliveries(12);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    await judged.enabledSince(new Date());
    for (const id of ids.slice(4, 10)) await worker.record(failedForGood(id));
    expect(await judged.read()).toMatchObject({ status: 'active' });
    await judged.enabledSince(ago(1.1 * hourMs));
    await worker.record(failedForGood(ids[10]!));
    expect(await judged.read()).toMatchObject({ status: 'disabled' });
  });

  test('counts 410 as any other failure', async () => {
    const worker = judged.createWorker();
    const gone = { status_code: 410, error_code: 'http_4xx' };
    const ids = await judged.addDeliveries(5);
    await worker.record(failedForGood(ids[0]!, gone));
    expect(await judged.read()).toMatchObject({ status: 'active' });
    for (const id of ids.slice(1)) await worker.record(failedForGood(id, gone));
    expect(await judged.read()).toMatchObject({ status: 'disabled', disabled_reason: 'failures' });
  });

  test('does not count test events, whether they fail or are delivered', async () => {
    const worker = judged.createWorker();
    const ids = await judged.addDeliveries(11);
    const tests = ids.slice(4, 10);
    await judged.db
      .updateTable('deliveries')
      .set({ trigger: 'test' })
      .where('id', 'in', tests)
      .execute();
    for (const id of tests.slice(1)) await worker.record(failedForGood(id));
    expect(await judged.read()).toMatchObject({ status: 'active', failing_since: null });
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    await worker.record(attempt(tests[0]!));
    expect(await judged.read()).toMatchObject({
      status: 'active',
      failing_since: expect.any(Date),
    });
    await worker.record(failedForGood(ids[10]!));
    expect(await judged.read()).toMatchObject({ status: 'disabled' });
  });

  test('does not take a delivery by hand for a success of the schedule', async () => {
    const worker = judged.createWorker();
    const ids = await judged.addDeliveries(5);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    await judged.db.transaction().execute((trx) => insertManualAttempt(trx, ids[0]!, exchange()));
    expect(await judged.delivery(ids[0]!)).toMatchObject({ status: 'delivered' });
    await worker.record(failedForGood(ids[4]!));
    expect(await judged.read()).toMatchObject({ status: 'disabled' });
  });

  test('takes a success of the schedule for one, even of what was delivered by hand before', async () => {
    const worker = judged.createWorker({ afterMs: 0 });
    const ids = await judged.addDeliveries(6);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    await judged.db.transaction().execute((trx) => insertManualAttempt(trx, ids[4]!, exchange()));
    await worker.record(attempt(ids[4]!));
    expect(await judged.read()).toMatchObject({ failing_since: null });
    await worker.record(failedForGood(ids[5]!));
    expect(await judged.read()).toMatchObject({ status: 'active' });
  });
});
