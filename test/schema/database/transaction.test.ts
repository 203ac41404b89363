// Notifications of a transaction: after its commit, once per channel.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertPublishPost } from '../../../schema/database/outbox.ts';
import type { Notifier } from '../../../schema/database/notifier.ts';
import { inTransaction } from '../../../schema/database/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const countRows = async () =>
  (await database.db.selectFrom('outbox').select('id').execute()).length;

/** Records what another connection sees at each notification. */
function createWitness() {
  const seen: { channel: string; rows: Promise<number> }[] = [];
  const notifier: Notifier = {
    notify: (channel) => void seen.push({ channel, rows: countRows() }),
    close: () => Promise.resolve(),
  };
  return { seen, notifier };
}

describe('inTransaction', () => {
  test('notifies once for two inserts, when both rows are committed', async () => {
    const { seen, notifier } = createWitness();
    await inTransaction(database.db, notifier, async (trx) => {
      await insertPublishPost(trx, 'prj_a', { postId: 'post_1', run: 1 }, null);
      await insertPublishPost(trx, 'prj_a', { postId: 'post_2', run: 1 }, null);
    });
    expect(seen.map(({ channel }) => channel)).toEqual(['fanfare_outbox']);
    expect(await seen[0]!.rows).toBe(2);
  });

  test('sends no notification after a rollback', async () => {
    const { seen, notifier } = createWitness();
    const failing = inTransaction(database.db, notifier, async (trx) => {
      await insertPublishPost(trx, 'prj_a', { postId: 'post_3', run: 1 }, null);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(seen).toEqual([]);
  });
});
