// Deliveries that wait for a disabled or deleted webhook: ended at once up to a limit, the rest with their
// batches.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDelivering } from '../../../activities/delivering/index.ts';
import { concludeWaiting } from '../../../schema/database/webhooks/waiting-deliveries.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { addDeliveries, changesOf, statusesOf } from '../../support/receivers/delivery-rows.ts';
import { createEngine, type Engine } from '../../support/app/engine.ts';
import { addProject, addWebhook } from '../../support/rows/rows.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

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
  webhookId = await addWebhook(database.db, projectId);
});

afterAll(async () => {
  await engine.close();
  await database.drop();
});

const add = (count: number) => addDeliveries(database.db, projectId, count);
const statuses = (ids: string[]) => statusesOf(database.db, ids);

describe('concludeWaiting', () => {
  test('ends a limited number of deliveries at once, and leaves the rest to their batches', async () => {
    const ids = await add(5);
    const batchId = newId('batch');
    await database.db
      .updateTable('deliveries')
      .set({ batch_id: batchId })
      .where('id', 'in', ids)
      .execute();
    await database.db
      .updateTable('webhook_subscriptions')
      .set({ status: 'disabled', disabled_reason: 'user' })
      .where('id', '=', webhookId)
      .execute();
    await inQuietTransaction(database.db, (trx) => concludeWaiting(trx, webhookId, 'skipped', 3));
    expect((await statuses(ids)).toSorted()).toEqual([
      'pending',
      'pending',
      'skipped',
      'skipped',
      'skipped',
    ]);
    const { deliver } = createDelivering(engine);
    expect(await deliver({ batchId, deliveryIds: ids, isFailing: false })).toEqual([]);
    expect(new Set(await statuses(ids))).toEqual(new Set(['skipped']));
    for (const id of ids) expect(await changesOf(database.db, id)).toEqual(['created', 'skipped']);
  });

  test('skips test events if the webhook is only disabled', async () => {
    const ids = await add(2);
    await database.db
      .updateTable('deliveries')
      .set({ trigger: 'test' })
      .where('id', '=', ids[0]!)
      .execute();
    const conclude = (status: 'skipped' | 'canceled') =>
      inQuietTransaction(database.db, (trx) => concludeWaiting(trx, webhookId, status));
    await conclude('skipped');
    expect(await statuses(ids)).toEqual(['pending', 'skipped']);
    await conclude('canceled');
    expect(await statuses(ids)).toEqual(['canceled', 'skipped']);
  });

  test('skips a locked delivery, and leaves it to its batch', async () => {
    const [held, free] = await add(2);
    await database.db.transaction().execute(async (writer) => {
      await writer
        .selectFrom('deliveries')
        .select('id')
        .where('id', '=', held!)
        .forUpdate()
        .execute();
      await inQuietTransaction(database.db, (trx) => concludeWaiting(trx, webhookId, 'skipped'));
    });
    expect(await statuses([held!, free!])).toEqual(['pending', 'skipped']);
  });
});
