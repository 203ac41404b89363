// The outbox: rows are claimed by one relay at a time, and claimed again when it stays silent.
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  claimOutbox,
  deleteOutbox,
  insertPublishPost,
  outboxClaimMs,
} from '../../../schema/database/outbox.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

const database = useDatabase();
beforeEach(async () => {
  await database.db.deleteFrom('outbox').execute();
});

describe('claimOutbox', () => {
  test('gives every row to exactly one of several relays', async () => {
    for (let i = 0; i < 50; i++) {
      await inQuietTransaction(database.db, (trx) =>
        insertPublishPost(trx, 'prj_a', { postId: `post_${i}`, run: 0 }, null),
      );
    }
    const claims = await Promise.all([1, 2, 3, 4].map(() => claimOutbox(database.db, 20)));
    const ids = claims.flat().map((row) => row.id);
    expect(new Set(ids).size).toBe(ids.length);
    const rest = await claimOutbox(database.db, 100);
    expect(ids.length + rest.length).toBe(50);
  });

  test('claims rows of each project in turn', async () => {
    const insert = (projectId: string, postId: string) =>
      inQuietTransaction(database.db, (trx) =>
        insertPublishPost(trx, projectId, { postId, run: 0 }, null),
      );
    for (let i = 0; i < 30; i++) await insert('prj_flood', `post_${i}`);
    await insert('prj_other', 'post_other');
    await insert('', 'post_of_several');
    const posts = (await claimOutbox(database.db, 4)).map(({ input }) => String(input['postId']));
    expect(posts.toSorted()).toEqual(['post_0', 'post_1', 'post_of_several', 'post_other']);
  });

  test('claims the rows of a project in the order in which their workflows begin', async () => {
    const insert = (postId: string, inMs: number | null) =>
      inQuietTransaction(database.db, (trx) => {
        const startAt = inMs === null ? null : new Date(Date.now() + inMs);
        return insertPublishPost(trx, 'prj_a', { postId, run: 0 }, startAt);
      });
    await insert('post_tomorrow', 24 * 3_600_000);
    await insert('post_soon', 30_000);
    await insert('post_now', null);
    await insert('post_overdue', -60_000);
    const claim = async () => {
      const rows = await claimOutbox(database.db, 2);
      return rows.map(({ input }) => String(input['postId'])).toSorted();
    };
    expect(await claim()).toEqual(['post_now', 'post_overdue']);
    expect(await claim()).toEqual(['post_soon', 'post_tomorrow']);
  });

  test('returns a row again when its claim has expired', async () => {
    await inQuietTransaction(database.db, (trx) =>
      insertPublishPost(trx, 'prj_a', { postId: 'post_1', run: 0 }, null),
    );
    const [first] = await claimOutbox(database.db, 10);
    expect(await claimOutbox(database.db, 10)).toEqual([]);
    await database.db
      .updateTable('outbox')
      .set({ claimed_at: sql<Date>`now() - ${outboxClaimMs + 1} * interval '1 ms'` })
      .execute();
    const [second] = await claimOutbox(database.db, 10);
    expect(second).toMatchObject({ id: first!.id, workflow_id: first!.workflow_id });
    await deleteOutbox(database.db, [first!.id]);
    expect(await database.db.selectFrom('outbox').selectAll().execute()).toEqual([]);
  });

  test('returns no row of a transaction that was rolled back', async () => {
    await inQuietTransaction(database.db, async (trx) => {
      await insertPublishPost(trx, 'prj_a', { postId: 'post_1', run: 0 }, null);
      throw new Error('rolled back');
    }).catch(() => undefined);
    expect(await claimOutbox(database.db, 10)).toEqual([]);
  });
});

describe('insertPublishPost', () => {
  test('names the workflow after the row, so that a second start has no effect', async () => {
    await inQuietTransaction(database.db, (trx) =>
      insertPublishPost(trx, 'prj_a', { postId: 'post_1', run: 2 }, new Date(0)),
    );
    const [row] = await claimOutbox(database.db, 1);
    expect(row).toMatchObject({
      workflow: 'publishPost',
      workflow_id: `post/post_1/${row!.id}`,
      input: { postId: 'post_1', run: 2 },
      start_at: new Date(0),
    });
  });
});
