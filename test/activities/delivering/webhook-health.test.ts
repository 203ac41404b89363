// Disabling webhooks: under locks, beside attempts in flight, and in the log.
import { describe, expect, test } from 'vitest';
import { attempt, failedForGood, refused } from '../../support/rows/attempts.ts';
import { createTestDatabase } from '../../support/rows/database.ts';
import { ago, hourMs, useFailingWebhook } from '../../support/receivers/failing-webhook.ts';

const webhook = useFailingWebhook();

describe('the disabling of a webhook', () => {
  test('does not delay recording while the row of the webhook is locked', async () => {
    const worker = webhook.createWorker();
    const ids = await webhook.addDeliveries(6);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    let judging: Promise<void> | undefined;
    await webhook.db.transaction().execute(async (holder) => {
      const locked = holder.selectFrom('webhook_subscriptions').select('id').forUpdate();
      await locked.where('id', '=', webhook.id).execute();
      judging = worker.record(failedForGood(ids[4]!));
      await expect.poll(() => webhook.statuses([ids[4]!])).toEqual(['failed']);
      await worker.recorder.record(failedForGood(ids[5]!));
      const { status } = await holder
        .selectFrom('webhook_subscriptions')
        .select('status')
        .where('id', '=', webhook.id)
        .executeTakeFirstOrThrow();
      expect(status).toBe('active');
    });
    await judging;
    expect(await webhook.read()).toMatchObject({ status: 'disabled' });
  });

  test('happens once when several workers record failures at the same time', async () => {
    const workers = [webhook.createWorker(), webhook.createWorker(), webhook.createWorker()];
    const ids = await webhook.addDeliveries(30);
    await Promise.all(
      workers.map(async (worker, n) => {
        // One by one, so that each is checked.
        for (const id of ids.slice(n * 10, n * 10 + 10)) await worker.record(failedForGood(id));
      }),
    );
    expect(await webhook.read()).toMatchObject({ status: 'disabled' });
    expect(
      (await webhook.changesOf(webhook.id)).filter((kind) => kind === 'disabled'),
    ).toHaveLength(1);
    const logged = workers.flatMap(({ lines }) => lines.filter(({ reason }) => reason));
    expect(logged).toHaveLength(1);
  });

  test('does not change a webhook that was disabled or deleted meanwhile', async () => {
    const worker = webhook.createWorker();
    const ids = await webhook.addDeliveries(6);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    const set = { status: 'disabled', disabled_reason: 'user' } as const;
    const rows = webhook.db.updateTable('webhook_subscriptions').where('id', '=', webhook.id);
    await rows.set(set).execute();
    await worker.record(failedForGood(ids[4]!));
    expect(await webhook.read()).toMatchObject(set);
    await rows.set({ status: 'active', deleted_at: new Date() }).execute();
    await worker.record(failedForGood(ids[5]!));
    expect(await webhook.read()).toMatchObject({ status: 'active' });
  });

  test('happens at the next failure if an error prevented the check of the previous one', async () => {
    const broken = await createTestDatabase();
    await broken.drop();
    const worker = webhook.createWorker({ db: broken.db });
    const ids = await webhook.addDeliveries(6);
    for (const id of ids.slice(0, 5)) await worker.record(failedForGood(id));
    expect(await webhook.read()).toMatchObject({ status: 'active' });
    expect(worker.lines.at(-1)).toMatchObject({ level: 50, err: expect.anything() });
    expect((await webhook.statuses(ids)).filter((status) => status === 'failed')).toHaveLength(5);
    await webhook.createWorker().record(failedForGood(ids[5]!));
    expect(await webhook.read()).toMatchObject({ status: 'disabled' });
  });
});

describe('an attempt in flight while its webhook is disabled', () => {
  async function disableBeside(): Promise<string> {
    const worker = webhook.createWorker();
    const [inFlight, ...ids] = await webhook.addDeliveries(6);
    for (const id of ids) await worker.record(failedForGood(id));
    expect(await webhook.delivery(inFlight!)).toMatchObject({
      status: 'skipped',
      next_attempt_at: null,
    });
    return inFlight!;
  }

  test('concludes its delivery as delivered if the receiver accepts it', async () => {
    const id = await disableBeside();
    await webhook.createWorker().record(attempt(id));
    expect(await webhook.delivery(id)).toMatchObject({ status: 'delivered', attempt_count: 1 });
    expect(await webhook.read()).toMatchObject({ status: 'disabled' });
  });

  test('leaves its delivery skipped if the attempt fails, and is not counted as a failure', async () => {
    const id = await disableBeside();
    await webhook.createWorker().record(failedForGood(id));
    const row = await webhook.delivery(id);
    expect(row).toMatchObject({ status: 'skipped', attempt_count: 1, failed_at: null });
  });
});

describe('the log', () => {
  test('names failing, recovered and disabled webhooks by project, ID and host, with the error', async () => {
    const worker = webhook.createWorker();
    const ids = await webhook.addDeliveries(8);
    await worker.record(failedForGood(ids[0]!));
    await worker.record(failedForGood(ids[1]!));
    await worker.record(attempt(ids[2]!, { ended_at: ago(1.1 * hourMs) }));
    for (const id of ids.slice(3)) await worker.record(failedForGood(id));
    const about = {
      project_id: expect.stringMatching(/^prj_/) as string,
      webhook_id: webhook.id,
      host: 'hooks.example.com:8443',
    };
    expect(worker.lines).toMatchObject([
      { level: 40, msg: 'a webhook is failing', ...about, ...refused },
      { level: 30, msg: 'a webhook has recovered', ...about },
      { level: 40, msg: 'a webhook is failing', ...about, ...refused },
      { level: 40, msg: 'a webhook is disabled', reason: 'failures', ...about, ...refused },
    ]);
    expect(JSON.stringify(worker.lines)).not.toMatch(/word|path|\?/);
  });
});
