// Notifications of a transaction or statement: after its commit, once per channel.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertPublishPost } from '../../../schema/database/outbox.ts';
import { insertionOf } from '../../../schema/database/live/changes.ts';
import type { Notifier } from '../../../schema/database/notifier.ts';
import { inStatement, inTransaction } from '../../../schema/database/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const countRows = async (table: 'outbox' | 'changes') =>
  (await database.db.selectFrom(table).select('id').execute()).length;

/** Records what another connection sees at each notification. */
function createWitness(table: 'outbox' | 'changes' = 'outbox') {
  const seen: { channel: string; rows: Promise<number> }[] = [];
  const notifier: Notifier = {
    notify: (channel) => void seen.push({ channel, rows: countRows(table) }),
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

describe('inStatement', () => {
  const change = { subject: 'post', kind: 'created', project_id: 'prj_1' } as const;

  test('notifies when the statement is committed with its changes', async () => {
    const { seen, notifier } = createWitness('changes');
    const from = sql`(values ('post_1'), ('post_2')) as post (id)`;
    await inStatement(database.db, notifier, (writer) =>
      insertionOf(writer, { ...change, from }).execute(writer),
    );
    expect(seen.map(({ channel }) => channel)).toEqual(['fanfare_changes']);
    expect(await seen[0]!.rows).toBe(2);
  });

  test('sends no notification for a change that the statement leaves out', async () => {
    const { seen, notifier } = createWitness('changes');
    const before = await countRows('changes');
    await inStatement(database.db, notifier, (writer) =>
      insertionOf(writer, { ...change, subject_id: 'post_3', when: false }).execute(writer),
    );
    expect(await countRows('changes')).toBe(before);
    expect(seen).toEqual([]);
  });

  test('sends no notification after a failure', async () => {
    const { seen, notifier } = createWitness('changes');
    const failing = inStatement(database.db, notifier, (writer) =>
      insertionOf(writer, { ...change, from: sql`no_such_table` }).execute(writer),
    );
    await expect(failing).rejects.toThrow('no_such_table');
    expect(seen).toEqual([]);
  });
});
