// What follows from recorded attempts for their webhook: warning, disabling, the lines of the log.
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDeliveryRecorder } from '../../activities/delivery-recorder.ts';
import { createWebhookHealth } from '../../activities/webhook-health.ts';
import type { AttemptRecord } from '../../schema/database/delivery-attempts.ts';
import { insertManualAttempt } from '../../schema/database/manual-attempts.ts';
import { attempt, exchange, failedForGood } from '../support/attempts.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createEngine, type Engine } from '../support/engine.ts';
import { addEvent, addProject, addWebhook } from '../support/rows.ts';

const hourMs = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms);

let database: TestDatabase;
let engine: Engine;
let projectId: string;
let webhookId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  engine = createEngine(database, { namespace: 'none' });
});

beforeEach(async () => {
  projectId = await addProject(database.db);
  webhookId = await addWebhook(database.db, projectId, {
    url: 'https://user:word@hooks.example.com:8443/path-word?token=query-word',
  });
  await enabledSince(ago(2 * hourMs));
});

afterAll(async () => {
  await engine.close();
  await database.drop();
});

interface Line {
  level: number;
  webhookId?: string;
  host?: string;
  reason?: string;
  msg: string;
  err?: unknown;
}

/** A worker's recorder with what follows from what it records. */
function createWorker({ afterMs = hourMs, db = database.db } = {}) {
  const lines: Line[] = [];
  const health = createWebhookHealth({
    db,
    doorbell: engine.doorbell,
    log: pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line) as Line) }),
    rule: { afterFailures: 5, afterMs },
  });
  const recorder = createDeliveryRecorder(database.db, engine.doorbell, health.follow);
  return {
    lines,
    recorder,
    async record(...attempts: AttemptRecord[]) {
      await Promise.all(attempts.map((each) => recorder.record(each)));
      await health.settled();
    },
  };
}

async function addDeliveries(count: number): Promise<string[]> {
  const ids = [];
  for (let i = 0; i < count; i++) ids.push(...(await addEvent(database.db, projectId)));
  return ids;
}

const enabledSince = (enabled_at: Date) =>
  database.db
    .updateTable('webhook_subscriptions')
    .set({ enabled_at })
    .where('id', '=', webhookId)
    .execute();

const webhook = () =>
  database.db
    .selectFrom('webhook_subscriptions')
    .selectAll()
    .where('id', '=', webhookId)
    .executeTakeFirstOrThrow();

const delivery = (id: string) =>
  database.db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

async function statuses(ids: string[]): Promise<string[]> {
  return (await Promise.all(ids.map(delivery))).map(({ status }) => status);
}

async function changesOf(subjectId: string): Promise<string[]> {
  const rows = await database.db
    .selectFrom('changes')
    .select('kind')
    .where('subject_id', '=', subjectId)
    .orderBy('id')
    .execute();
  return rows.map(({ kind }) => kind);
}

describe('the disabling rule', () => {
  test('disables after five different events in a row that failed for good, and an hour without success', async () => {
    const worker = createWorker();
    const ids = await addDeliveries(7);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    expect(await webhook()).toMatchObject({ status: 'active', failing_since: expect.any(Date) });
    await worker.record(failedForGood(ids[4]!));
    expect(await webhook()).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failures',
      disabled_at: expect.any(Date),
    });
    expect(await changesOf(webhookId)).toEqual(['failing', 'disabled']);
    expect(await statuses(ids.slice(4))).toEqual(['failed', 'skipped', 'skipped']);
    expect(await changesOf(ids[5]!)).toEqual(['created', 'skipped']);
  });

  test('counts a failed event once, however many attempts it took', async () => {
    const worker = createWorker();
    const [id, ...others] = await addDeliveries(4);
    for (let i = 0; i < 3; i++) {
      await worker.record(
        attempt(id!, { scheduled_attempts: i, status: 'retrying', error_code: 'http_5xx' }),
      );
    }
    await worker.record(failedForGood(id!, { scheduled_attempts: 3 }));
    for (const other of others) await worker.record(failedForGood(other));
    expect(await webhook()).toMatchObject({ status: 'active' });
  });

  test('begins its count anew with each delivery, and its hour too', async () => {
    const worker = createWorker();
    const ids = await addDeliveries(11);
    const early = ago(1.5 * hourMs);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id, { ended_at: early }));
    await worker.record(attempt(ids[4]!, { ended_at: ago(0.9 * hourMs) }));
    for (const id of ids.slice(5, 9)) await worker.record(failedForGood(id));
    expect(await webhook()).toMatchObject({ status: 'active' });
    await worker.record(failedForGood(ids[9]!));
    expect(await webhook(), 'five failed, within the hour').toMatchObject({ status: 'active' });
    await database.db
      .updateTable('deliveries')
      .set({ delivered_at: ago(1.1 * hourMs) })
      .where('id', '=', ids[4]!)
      .execute();
    await worker.record(failedForGood(ids[10]!));
    expect(await webhook()).toMatchObject({ status: 'disabled' });
  });

  test('gives a webhook that was enabled just now its hour', async () => {
    const worker = createWorker();
    const ids = await addDeliveries(12);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    await enabledSince(new Date());
    for (const id of ids.slice(4, 10)) await worker.record(failedForGood(id));
    expect(await webhook()).toMatchObject({ status: 'active' });
    await enabledSince(ago(1.1 * hourMs));
    await worker.record(failedForGood(ids[10]!));
    expect(await webhook()).toMatchObject({ status: 'disabled' });
  });

  test('counts 410 as any other failure', async () => {
    const worker = createWorker();
    const gone = { status_code: 410, error_code: 'http_4xx' };
    const ids = await addDeliveries(5);
    await worker.record(failedForGood(ids[0]!, gone));
    expect(await webhook()).toMatchObject({ status: 'active' });
    for (const id of ids.slice(1)) await worker.record(failedForGood(id, gone));
    expect(await webhook()).toMatchObject({ status: 'disabled', disabled_reason: 'failures' });
  });

  test('does not count test events, whether they fail or are delivered', async () => {
    const worker = createWorker();
    const ids = await addDeliveries(11);
    const tests = ids.slice(4, 10);
    await database.db
      .updateTable('deliveries')
      .set({ trigger: 'test' })
      .where('id', 'in', tests)
      .execute();
    for (const id of tests.slice(1)) await worker.record(failedForGood(id));
    expect(await webhook()).toMatchObject({ status: 'active', failing_since: null });
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    await worker.record(attempt(tests[0]!));
    expect(await webhook()).toMatchObject({ status: 'active', failing_since: expect.any(Date) });
    await worker.record(failedForGood(ids[10]!));
    expect(await webhook()).toMatchObject({ status: 'disabled' });
  });

  test('does not take a delivery by hand for a success of the schedule', async () => {
    const worker = createWorker();
    const ids = await addDeliveries(5);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    await database.db.transaction().execute((trx) => insertManualAttempt(trx, ids[0]!, exchange()));
    expect(await delivery(ids[0]!)).toMatchObject({ status: 'delivered' });
    await worker.record(failedForGood(ids[4]!));
    expect(await webhook()).toMatchObject({ status: 'disabled' });
  });

  test('takes a success of the schedule for one, even of what was delivered by hand before', async () => {
    const worker = createWorker({ afterMs: 0 });
    const ids = await addDeliveries(6);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    await database.db.transaction().execute((trx) => insertManualAttempt(trx, ids[4]!, exchange()));
    await worker.record(attempt(ids[4]!));
    expect(await webhook()).toMatchObject({ failing_since: null });
    await worker.record(failedForGood(ids[5]!));
    expect(await webhook()).toMatchObject({ status: 'active' });
  });

  test('holds up no recording while the row of its webhook is locked', async () => {
    const worker = createWorker();
    const ids = await addDeliveries(6);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    let judged: Promise<void> | undefined;
    await database.db.transaction().execute(async (holder) => {
      const locked = holder.selectFrom('webhook_subscriptions').select('id').forUpdate();
      await locked.where('id', '=', webhookId).execute();
      judged = worker.record(failedForGood(ids[4]!));
      await expect.poll(() => statuses([ids[4]!])).toEqual(['failed']);
      await worker.recorder.record(failedForGood(ids[5]!));
      const { status } = await holder
        .selectFrom('webhook_subscriptions')
        .select('status')
        .where('id', '=', webhookId)
        .executeTakeFirstOrThrow();
      expect(status).toBe('active');
    });
    await judged;
    expect(await webhook()).toMatchObject({ status: 'disabled' });
  });

  test('disables once when several workers record failures at the same time', async () => {
    const workers = [createWorker(), createWorker(), createWorker()];
    const ids = await addDeliveries(30);
    await Promise.all(
      ids.map((id, i) =>
        // Failures that come one by one, so that there is a check for each.
        new Promise((resolve) => setTimeout(resolve, i)).then(() =>
          workers[i % 3]!.record(failedForGood(id)),
        ),
      ),
    );
    expect(await webhook()).toMatchObject({ status: 'disabled' });
    expect((await changesOf(webhookId)).filter((kind) => kind === 'disabled')).toHaveLength(1);
    const told = workers.flatMap(({ lines }) => lines.filter(({ reason }) => reason));
    expect(told).toHaveLength(1);
  });

  test('leaves a webhook alone that was disabled or deleted meanwhile', async () => {
    const worker = createWorker();
    const ids = await addDeliveries(6);
    for (const id of ids.slice(0, 4)) await worker.record(failedForGood(id));
    const set = { status: 'disabled', disabled_reason: 'user' } as const;
    const rows = database.db.updateTable('webhook_subscriptions').where('id', '=', webhookId);
    await rows.set(set).execute();
    await worker.record(failedForGood(ids[4]!));
    expect(await webhook()).toMatchObject(set);
    await rows.set({ status: 'active', deleted_at: new Date() }).execute();
    await worker.record(failedForGood(ids[5]!));
    expect(await webhook()).toMatchObject({ status: 'active' });
  });

  test('is found at the next failure when a fault kept it from being judged', async () => {
    const broken = await createTestDatabase();
    await broken.drop();
    const worker = createWorker({ db: broken.db });
    const ids = await addDeliveries(6);
    for (const id of ids.slice(0, 5)) await worker.record(failedForGood(id));
    expect(await webhook()).toMatchObject({ status: 'active' });
    expect(worker.lines.at(-1)).toMatchObject({ level: 50, err: expect.anything() });
    expect((await statuses(ids)).filter((status) => status === 'failed')).toHaveLength(5);
    await createWorker().record(failedForGood(ids[5]!));
    expect(await webhook()).toMatchObject({ status: 'disabled' });
  });
});

describe('an attempt in flight while its webhook is disabled', () => {
  async function disableBeside(): Promise<string> {
    const worker = createWorker();
    const [inFlight, ...ids] = await addDeliveries(6);
    for (const id of ids) await worker.record(failedForGood(id));
    expect(await delivery(inFlight!)).toMatchObject({ status: 'skipped', next_attempt_at: null });
    return inFlight!;
  }

  test('makes its delivery delivered when the receiver takes it after all', async () => {
    const id = await disableBeside();
    await createWorker().record(attempt(id));
    expect(await delivery(id)).toMatchObject({ status: 'delivered', attempt_count: 1 });
    expect(await webhook()).toMatchObject({ status: 'disabled' });
  });

  test('leaves it skipped when it fails, and counts for nothing', async () => {
    const id = await disableBeside();
    await createWorker().record(failedForGood(id));
    const row = await delivery(id);
    expect(row).toMatchObject({ status: 'skipped', attempt_count: 1, failed_at: null });
  });
});

describe('the log', () => {
  test('tells of failing, recovered and disabled with the id and the host alone', async () => {
    const worker = createWorker();
    const ids = await addDeliveries(8);
    await worker.record(failedForGood(ids[0]!));
    await worker.record(failedForGood(ids[1]!));
    await worker.record(attempt(ids[2]!, { ended_at: ago(1.1 * hourMs) }));
    for (const id of ids.slice(3)) await worker.record(failedForGood(id));
    const about = { webhookId, host: 'hooks.example.com:8443' };
    expect(worker.lines).toMatchObject([
      { level: 40, msg: 'A webhook has begun to fail.', ...about },
      { level: 30, msg: 'A webhook has recovered.', ...about },
      { level: 40, msg: 'A webhook has begun to fail.', ...about },
      { level: 40, msg: 'A webhook is disabled.', reason: 'failures', ...about },
    ]);
    expect(JSON.stringify(worker.lines)).not.toMatch(/word|path|\?/);
  });
});
