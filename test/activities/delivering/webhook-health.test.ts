// What follows from recorded attempts beside other work: judging under locks, in flight, and the log.
import { describe, expect, test } from 'vitest';
import { attempt, failedForGood } from '../../support/rows/attempts.ts';
import { createTestDatabase } from '../../support/rows/database.ts';
import { ago, hourMs, useJudgedWebhook } from '../../support/receivers/judged-webhook.ts';

const judged = useJudgedWebhook();

describe('the disabling of a webhook', () => {
  test('holds up no recording while the row of its webhook is locked', async () => {
    const worker = judged.createWorker();
    const ids = await judged.addDeliveries(6);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    let judging: Promise<void> | undefined;
    await judged.db.transaction().execute(async (holder) => {
      const locked = holder.selectFrom('webhook_subscriptions').select('id').forUpdate();
      await locked.where('id', '=', judged.id).execute();
      judging = worker.record(failedForGood(ids[4]!));
      await expect.poll(() => judged.statuses([ids[4]!])).toEqual(['failed']);
      await worker.recorder.record(failedForGood(ids[5]!));
      const { status } = await holder
        .selectFrom('webhook_subscriptions')
        .select('status')
        .where('id', '=', judged.id)
        .executeTakeFirstOrThrow();
      expect(status).toBe('active');
    });
    await judging;
    expect(await judged.read()).toMatchObject({ status: 'disabled' });
  });

  test('disables once when several workers record failures at the same time', async () => {
    const workers = [judged.createWorker(), judged.createWorker(), judged.createWorker()];
    const ids = await judged.addDeliveries(30);
    await Promise.all(
      ids.map((id, i) =>
        // Failures that come one by one, so that there is a check for each.
        new Promise((resolve) => setTimeout(resolve, i)).then(() =>
          workers[i % 3]!.record(failedForGood(id)),
        ),
      ),
    );
    expect(await judged.read()).toMatchObject({ status: 'disabled' });
    expect((await judged.changesOf(judged.id)).filter((kind) => kind === 'disabled')).toHaveLength(
      1,
    );
    const told = workers.flatMap(({ lines }) => lines.filter(({ reason }) => reason));
    expect(told).toHaveLength(1);
  });

  test('leaves a webhook alone that was disabled or deleted meanwhile', async () => {
    const worker = judged.createWorker();
    const ids = await judged.addDeliveries(6);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    const set = { status: 'disabled', disabled_reason: 'user' } as const;
    const rows = judged.db.updateTable('webhook_subscriptions').where('id', '=', judged.id);
    await rows.set(set).execute();
    await worker.record(failedForGood(ids[4]!));
    expect(await judged.read()).toMatchObject(set);
    await rows.set({ status: 'active', deleted_at: new Date() }).execute();
    await worker.record(failedForGood(ids[5]!));
    expect(await judged.read()).toMatchObject({ status: 'active' });
  });

  test('is found at the next failure when a fault kept it from being judged', async () => {
    const broken = await createTestDatabase();
    await broken.drop();
    const worker = judged.createWorker({ db: broken.db });
    const ids = await judged.addDeliveries(6);
    for (const id of ids.slice(0, 5)) await worker.record(failedForGood(id));
    expect(await judged.read()).toMatchObject({ status: 'active' });
    expect(worker.lines.at(-1)).toMatchObject({ level: 50, err: expect.anything() });
    expect((await judged.statuses(ids)).filter((status) => status === 'failed')).toHaveLength(5);
    await judged.createWorker().record(failedForGood(ids[5]!));
    expect(await judged.read()).toMatchObject({ status: 'disabled' });
  });
});

describe('an attempt in flight while its webhook is disabled', () => {
  async function disableBeside(): Promise<string> {
    const worker = judged.createWorker();
    const [inFlight, ...ids] = await judged.addDeliveries(6);
    for (const id of ids) await worker.record(failedForGood(id));
    expect(await judged.delivery(inFlight!)).toMatchObject({
      status: 'skipped',
      next_attempt_at: null,
    });
    return inFlight!;
  }

  test('makes its delivery delivered when the receiver takes it after all', async () => {
    const id = await disableBeside();
    await judged.createWorker().record(attempt(id));
    expect(await judged.delivery(id)).toMatchObject({ status: 'delivered', attempt_count: 1 });
    expect(await judged.read()).toMatchObject({ status: 'disabled' });
  });

  test('leaves it skipped when it fails, and counts for nothing', async () => {
    const id = await disableBeside();
    await judged.createWorker().record(failedForGood(id));
    const row = await judged.delivery(id);
    expect(row).toMatchObject({ status: 'skipped', attempt_count: 1, failed_at: null });
  });
});

describe('the log', () => {
  test('tells of failing, recovered and disabled with the id and the host alone', async () => {
    const worker = judged.createWorker();
    const ids = await judged.addDeliveries(8);
    await worker.record(failedForGood(ids[0]!));
    await worker.record(failedForGood(ids[1]!));
    await worker.record(attempt(ids[2]!, { ended_at: ago(1.1 * hourMs) }));
    for (const id of ids.slice(3)) await worker.record(failedForGood(id));
    const about = { webhookId: judged.id, host: 'hooks.example.com:8443' };
    expect(worker.lines).toMatchObject([
      { level: 40, msg: 'A webhook has begun to fail.', ...about },
      { level: 30, msg: 'A webhook has recovered.', ...about },
      { level: 40, msg: 'A webhook has begun to fail.', ...about },
      { level: 40, msg: 'A webhook is disabled.', reason: 'failures', ...about },
    ]);
    expect(JSON.stringify(worker.lines)).not.toMatch(/word|path|\?/);
  });
});
