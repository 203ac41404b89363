// Attempts written in groups to a real database.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createDeliveryRecorder,
  type DeliveryRecorder,
} from '../../../activities/delivering/recorder.ts';
import type { AttemptRecord } from '../../../schema/database/webhooks/delivery-attempts.ts';
import { createNotifier, type Notifier } from '../../../schema/database/notifier.ts';
import { attempt } from '../../support/rows/attempts.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { addEvent, addProject, addWebhook } from '../../support/rows/rows.ts';

let database: TestDatabase;
let notifier: Notifier;
let recorder: DeliveryRecorder;
let projectId: string;
let webhookId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  notifier = createNotifier(database.url);
  recorder = createDeliveryRecorder(database.db, notifier);
});

beforeEach(async () => {
  projectId = await addProject(database.db);
  webhookId = await addWebhook(database.db, projectId);
});

afterAll(async () => {
  await notifier.close();
  await database.drop();
});

async function addDeliveries(count: number): Promise<string[]> {
  const ids = await Promise.all(
    Array.from({ length: count }, () => addEvent(database.db, projectId)),
  );
  return ids.flat();
}

const failed = (number: number): Partial<AttemptRecord> => ({
  scheduled_attempts: number - 1,
  ladder_start: 0,
  status: 'retrying',
  status_code: 503,
  error_code: 'http_5xx',
  next_attempt_at: new Date(Date.now() + 30_000),
});

const delivery = (id: string) =>
  database.db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

const attemptsOf = (id: string) =>
  database.db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('delivery_id', '=', id)
    .orderBy('number')
    .execute();

/** Each change of these deliveries' states with the transaction that wrote it. */
const changesOf = (ids: string[]) =>
  database.db
    .selectFrom('changes')
    .select(['subject_id', 'kind', 'xid'])
    .where('subject_id', 'in', ids)
    .where('kind', '!=', 'created')
    .orderBy('id')
    .execute();

async function failingSince(): Promise<Date | null> {
  const row = await database.db
    .selectFrom('webhook_subscriptions')
    .select('failing_since')
    .where('id', '=', webhookId)
    .executeTakeFirstOrThrow();
  return row.failing_since;
}

describe('record', () => {
  test('writes attempts that end together as one group, and resolves for each attempt', async () => {
    const ids = await addDeliveries(20);
    await Promise.all(ids.map((id) => recorder.record(attempt(id))));
    const changes = await changesOf(ids);
    expect(changes.map((change) => change.subject_id).toSorted()).toEqual(ids.toSorted());
    expect(new Set(changes.map((change) => change.xid)).size).toBe(1);
    for (const id of ids) {
      expect(await delivery(id)).toMatchObject({ status: 'delivered', attempt_count: 1 });
    }
  });

  test('writes attempts that end during a write as the next group', async () => {
    const ids = await addDeliveries(3);
    const first = recorder.record(attempt(ids[0]!));
    await new Promise(setImmediate);
    const others = ids.slice(1).map((id) => recorder.record(attempt(id)));
    await Promise.all([first, ...others]);
    const xids = new Map((await changesOf(ids)).map((change) => [change.subject_id, change.xid]));
    expect(xids.get(ids[1]!)).toBe(xids.get(ids[2]!));
    expect(xids.get(ids[0]!)).not.toBe(xids.get(ids[1]!));
  });

  test('logs both attempts of one delivery that end together, and keeps the success', async () => {
    const [twice, once] = await addDeliveries(2);
    const records = [attempt(twice!), attempt(once!), attempt(twice!, failed(1))];
    await Promise.all(records.map((record) => recorder.record(record)));
    const logged = await attemptsOf(twice!);
    expect(logged.map(({ number, status_code }) => [number, status_code])).toEqual([
      [1, 200],
      [2, 503],
    ]);
    expect(await delivery(twice!)).toMatchObject({ status: 'delivered', attempt_count: 2 });
    expect(await attemptsOf(once!)).toHaveLength(1);
  });

  test('rejects only the attempt that Postgres refuses, and writes the others of its group', async () => {
    const [broken, beside, next, later] = await addDeliveries(4);
    // Postgres has no such integer.
    const group = [recorder.record(attempt(broken!, { scheduled_attempts: 2 ** 40 }))];
    group.push(recorder.record(attempt(beside!)));
    const outcomes = Promise.allSettled(group);
    await new Promise(setImmediate);
    await recorder.record(attempt(next!));
    expect((await outcomes).map((outcome) => outcome.status)).toEqual(['rejected', 'fulfilled']);
    await recorder.record(attempt(later!));
    const states = await Promise.all([broken!, beside!, next!, later!].map(delivery));
    expect(states.map((row) => row.status)).toEqual([
      'pending',
      'delivered',
      'delivered',
      'delivered',
    ]);
    expect(await attemptsOf(broken!)).toEqual([]);
  });

  test('logs a second attempt of the same step, but changes the delivery only if that attempt succeeds', async () => {
    const [id] = await addDeliveries(1);
    await recorder.record(attempt(id!, failed(1)));
    const { next_attempt_at } = await delivery(id!);
    await recorder.record(attempt(id!, failed(1)));
    const waiting = {
      status: 'retrying',
      next_attempt_at,
      scheduled_attempts: 1,
      attempt_count: 2,
    };
    expect(await delivery(id!)).toMatchObject(waiting);
    await recorder.record(attempt(id!, { status_code: 204 }));
    expect(await delivery(id!)).toMatchObject({ status: 'delivered', attempt_count: 3 });
    const codes = (await attemptsOf(id!)).map((row) => [row.number, row.status_code]);
    expect(codes).toEqual([
      [1, 503],
      [2, 503],
      [3, 204],
    ]);
  });

  test('does not count an attempt in a retry schedule that began during the attempt', async () => {
    const [id] = await addDeliveries(1);
    for (const number of [1, 2, 3]) await recorder.record(attempt(id!, failed(number)));
    await database.db
      .updateTable('deliveries')
      .set({ status: 'pending', ladder_start: 3, next_attempt_at: new Date() })
      .where('id', '=', id!)
      .execute();
    await recorder.record(attempt(id!, { ...failed(4), status: 'failed', next_attempt_at: null }));
    const untouched = { status: 'pending', failed_at: null, scheduled_attempts: 3 };
    expect(await delivery(id!)).toMatchObject({ ...untouched, attempt_count: 4 });
    await recorder.record(attempt(id!, { ...failed(4), ladder_start: 3 }));
    expect(await delivery(id!)).toMatchObject({ status: 'retrying', attempt_count: 5 });
    expect((await attemptsOf(id!)).map((row) => row.number)).toEqual([1, 2, 3, 4, 5]);
  });

  test('does not mark a webhook as failing if the webhook accepted another event of the group', async () => {
    const [id, other] = await addDeliveries(2);
    await Promise.all([recorder.record(attempt(id!, failed(1))), recorder.record(attempt(other!))]);
    expect(await failingSince()).toBeNull();
  });

  test('does not change a concluded delivery, but logs the late attempt', async () => {
    const [id] = await addDeliveries(1);
    await recorder.record(attempt(id!));
    const { status, delivered_at } = await delivery(id!);
    await recorder.record(attempt(id!, failed(2)));
    const late = { status, delivered_at, next_attempt_at: null, attempt_count: 2 };
    expect(await delivery(id!)).toMatchObject(late);
    const kinds = (await changesOf([id!])).map((change) => change.kind);
    expect(kinds).toEqual(['delivered', 'attempted']);
    expect(await attemptsOf(id!)).toMatchObject([{ status_code: 200 }, { status_code: 503 }]);
    expect(await failingSince()).toBeNull();
  });

  test('marks the webhook as failing from the first failure to the next success', async () => {
    const [id, other] = await addDeliveries(2);
    expect(await failingSince()).toBeNull();
    await recorder.record(attempt(id!, failed(1)));
    const since = await failingSince();
    expect(since).toBeInstanceOf(Date);
    await recorder.record(attempt(id!, failed(2)));
    expect(await failingSince()).toEqual(since);
    await recorder.record(attempt(other!));
    expect(await failingSince()).toBeNull();
  });
});
