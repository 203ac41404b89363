// The feed's table: late commits are not skipped, and its indexes serve its reads.
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { Client } from 'pg';
import {
  deleteChanges,
  deleteForeignChanges,
  insertChanges,
  readChanges,
  readFeedHead,
  readFeedLagSeconds,
  type ChangePage,
  type FeedPosition,
} from '../../schema/database/live/changes.ts';
import type { Db } from '../../schema/database/tables.ts';
import { createTestDatabase, useDatabase } from '../support/rows/database.ts';
import { inQuietTransaction } from '../support/rows/quiet-transaction.ts';

const database = useDatabase();

const start: FeedPosition = { xid: 0n, id: 0n };
const change = (subjectId: string, projectId = 'prj_a') => ({
  project_id: projectId,
  subject: 'post' as const,
  subject_id: subjectId,
  kind: 'created' as const,
});

async function openTransaction(): Promise<{
  write(id: string): Promise<void>;
  end(): Promise<void>;
}> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin');
  return {
    async write(id) {
      await client.query(
        `insert into changes (project_id, subject, subject_id, kind) values ('prj_a', 'post', $1, 'created')`,
        [id],
      );
    },
    async end() {
      await client.query('commit');
      await client.end();
    },
  };
}

/** Any transaction of the server, another test's too, can hold changes back for a moment. */
function readWhole(db: Db, from: FeedPosition, limit: number): Promise<ChangePage> {
  return vi.waitFor(
    async () => {
      const page = await readChanges(db, from, limit);
      expect(page.isHeldBack).toBe(false);
      return page;
    },
    { timeout: 20_000, interval: 20 },
  );
}

describe('readChanges', () => {
  test('holds back changes newer than a running transaction, then returns both in order', async () => {
    const { db } = database;
    const slow = await openTransaction();
    await slow.write('post_slow');
    await inQuietTransaction(db, (trx) => insertChanges(trx, [change('post_fast')]));
    const before = await readChanges(db, start, 100);
    expect(before.changes).toEqual([]);
    expect(before.isHeldBack).toBe(true);
    expect(await readFeedLagSeconds(db)).toBeGreaterThan(0);
    await slow.end();
    const after = await readWhole(db, before.position, 100);
    expect(after.changes.map((row) => row.subject_id)).toEqual(['post_slow', 'post_fast']);
    expect(after.isHeldBack).toBe(false);
    const end = await readWhole(db, after.position, 100);
    expect(end.changes).toEqual([]);
  });

  test("pages by all of the project's changes, not only by those that match the filter", async () => {
    const { db } = database;
    const { horizon } = await readFeedHead(db);
    await inQuietTransaction(db, (trx) =>
      insertChanges(trx, [
        ...Array.from({ length: 9 }, (_, i) => change(`post_other${i}`, 'prj_b')),
        ...Array.from({ length: 5 }, (_, i) => ({
          ...change(`wh_${i}`, 'prj_c'),
          subject: 'webhook' as const,
        })),
        change('post_mine', 'prj_c'),
      ]),
    );
    const filter = { projectId: 'prj_c', subject: 'post' as const };
    await readWhole(db, start, 1);
    const first = await readChanges(db, { xid: horizon, id: 0n }, 5, filter);
    expect(first.changes).toEqual([]);
    expect(first.isLast).toBe(false);
    const second = await readChanges(db, first.position, 5, filter);
    expect(second.changes.map((row) => row.subject_id)).toEqual(['post_mine']);
    expect(second.isLast).toBe(true);
    const byId = await readChanges(db, first.position, 5, { ...filter, subjectId: 'post_mine' });
    expect(byId.changes.map((row) => row.subject_id)).toEqual(['post_mine']);
  });

  test('is served by an index', async () => {
    await using big = await createTestDatabase();
    await sql`insert into changes (project_id, subject, subject_id, kind)
      select 'prj_' || n % 50, 'post', 'post_' || n, 'created' from generate_series(1, 20000) as n`.execute(
      big.db,
    );
    await sql`analyze changes`.execute(big.db);
    // While a transaction of another database on the server is older, the planner expects no rows.
    await expect
      .poll(
        async () => {
          const { rows } = await sql<{ is_open: boolean }>`
          select bool_and(xid < pg_snapshot_xmin(pg_current_snapshot())) as is_open
          from changes`.execute(big.db);
          return rows[0]!.is_open;
        },
        { timeout: 10_000 },
      )
      .toBe(true);
    const plans: string[] = [];
    const client = new Client({ connectionString: big.url });
    await client.connect();
    for (const own of ['', `and project_id = 'prj_7'`]) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`
        explain select * from changes
        where (xid, id) > ('5'::xid8, 0::bigint) and xid < pg_snapshot_xmin(pg_current_snapshot())
        ${own} order by xid, id limit 100`);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    await client.end();
    expect(plans[0]).toContain('changes_pkey');
    expect(plans[0]).not.toContain('Sort');
    expect(plans[1]).toContain('changes_by_project');
    expect(plans[1]).not.toContain('Sort');
    expect(plans[1]).not.toContain('Seq Scan');
  });
});

describe('deleteChanges', () => {
  test('deletes old changes and records the transaction of the newest deleted change', async () => {
    await using old = await createTestDatabase();
    await inQuietTransaction(old.db, (trx) =>
      insertChanges(trx, [change('post_1'), change('post_2')]),
    );
    await sql`update changes set created_at = now() - interval '10 days'`.execute(old.db);
    await inQuietTransaction(old.db, (trx) => insertChanges(trx, [change('post_3')]));
    const oldest = (await readWhole(old.db, start, 1)).position;
    expect(await deleteChanges(old.db, new Date(Date.now() - 86_400_000))).toBe(2);
    const head = await readFeedHead(old.db);
    expect(head.prunedXid).toBe(oldest.xid);
    const { changes } = await readWhole(old.db, start, 10);
    expect(changes.map((row) => row.subject_id)).toEqual(['post_3']);
    expect(await deleteChanges(old.db, new Date(0))).toBe(0);
  });
});

describe('deleteForeignChanges', () => {
  test('removes only transaction ids that this server has yet to reach', async () => {
    await using restored = await createTestDatabase();
    await inQuietTransaction(restored.db, (trx) => insertChanges(trx, [change('post_own')]));
    await sql`insert into changes (xid, project_id, subject, subject_id, kind)
      values ('900000000'::xid8, 'prj_a', 'post', 'post_foreign', 'created')`.execute(restored.db);
    await deleteForeignChanges(restored.db);
    const { changes } = await readWhole(restored.db, start, 10);
    expect(changes.map((row) => row.subject_id)).toEqual(['post_own']);
  });
});
