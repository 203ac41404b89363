// The outbox: rows are claimed by one relay at a time, and claimed again when it stays silent.
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  claimBatch,
  claimOutbox,
  deleteOutbox,
  groupPosts,
  releaseEarly,
  renewClaims,
} from '../../../schema/database/dispatch/claims.ts';
import { insertPublishPost } from '../../../schema/database/outbox.ts';
import { restartPost } from '../../../schema/database/dispatch/sweeping.ts';
import type { Db } from '../../../schema/database/tables.ts';
import type { PublishPostsInput } from '../../../schema/workflows.ts';
import { lockPost } from '../../support/rows/locks.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { inQuietTransaction, quietNotifier } from '../../support/rows/quiet-transaction.ts';
import { addEvent, addPost, addProject, addWebhook, workflowOf } from '../../support/rows/rows.ts';

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
    await insert('post_soon', 3_000);
    await insert('post_now', null);
    await insert('post_overdue', -60_000);
    const claim = async () => {
      const rows = await claimOutbox(database.db, 2);
      return rows.map(({ input }) => String(input['postId'])).toSorted();
    };
    expect(await claim()).toEqual(['post_now', 'post_overdue']);
    expect(await claim()).toEqual(['post_soon']);
  });

  test('leaves a scheduled row alone until shortly before its start', async () => {
    await inQuietTransaction(database.db, (trx) =>
      insertPublishPost(
        trx,
        'prj_a',
        { postId: 'post_later', run: 0 },
        new Date(Date.now() + 60_000),
      ),
    );
    await releaseEarly(database.db);
    expect(await claimOutbox(database.db, 10)).toEqual([]);
    await database.db
      .updateTable('outbox')
      .set({ start_at: sql<Date>`now() + interval '4 s'` })
      .execute();
    await releaseEarly(database.db);
    const [row] = await claimOutbox(database.db, 10);
    expect(row).toMatchObject({ input: { postId: 'post_later' }, was_claimed: false });
    expect(row!.delay_ms).toBeGreaterThan(0);
  });

  test('makes scheduled rows ready of each project in turn', async () => {
    const insert = (projectId: string, count: number) =>
      sql`
      insert into outbox (id, project_id, workflow, workflow_id, input, start_at, is_early)
      select ${projectId} || n, ${projectId}, 'publishPost', ${projectId} || n, '{}',
        now() + interval '1 s', true
      from generate_series(1, ${count}::int) n`.execute(database.db);
    await insert('prj_flood', 3_000);
    await insert('prj_other', 1);
    await releaseEarly(database.db);
    const ready = await database.db
      .selectFrom('outbox')
      .select(({ fn }) => ['project_id', fn.countAll<string>().as('count')])
      .where('is_early', '=', false)
      .groupBy('project_id')
      .orderBy('project_id')
      .execute();
    expect(ready).toEqual([
      { project_id: 'prj_flood', count: '200' },
      { project_id: 'prj_other', count: '1' },
    ]);
  });

  test('leaves rows of the given projects alone', async () => {
    const insert = (projectId: string) =>
      inQuietTransaction(database.db, (trx) =>
        insertPublishPost(trx, projectId, { postId: projectId, run: 0 }, null),
      );
    await insert('prj_a');
    await insert('prj_b');
    const rows = await claimOutbox(database.db, 10, ['prj_a']);
    expect(rows.map(({ project_id }) => project_id)).toEqual(['prj_b']);
  });

  test('reports whether a row was claimed before, and leaves renewed claims alone', async () => {
    await inQuietTransaction(database.db, (trx) =>
      insertPublishPost(trx, 'prj_a', { postId: 'post_1', run: 0 }, null),
    );
    const [first] = await claimOutbox(database.db, 10);
    expect(first!.was_claimed).toBe(false);
    const expire = () =>
      database.db
        .updateTable('outbox')
        .set({ claimed_until: sql<Date>`now() - interval '1 ms'` })
        .execute();
    await expire();
    await renewClaims(database.db, [first!.id]);
    expect(await claimOutbox(database.db, 10)).toEqual([]);
    await expire();
    expect((await claimOutbox(database.db, 10))[0]!.was_claimed).toBe(true);
  });

  test('returns a row again when its claim has expired', async () => {
    await inQuietTransaction(database.db, (trx) =>
      insertPublishPost(trx, 'prj_a', { postId: 'post_1', run: 0 }, null),
    );
    const [first] = await claimOutbox(database.db, 10);
    expect(await claimOutbox(database.db, 10)).toEqual([]);
    await database.db
      .updateTable('outbox')
      .set({ claimed_until: sql<Date>`now() - interval '1 ms'` })
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

describe('claimBatch', () => {
  test('lets projects take turns, even if one of them has many webhooks', async () => {
    const { db } = database;
    await db.deleteFrom('deliveries').execute();
    const [flood, other] = [await addProject(db), await addProject(db)];
    for (let i = 0; i < 30; i++) await addWebhook(db, flood);
    for (let i = 0; i < 3; i++) await addEvent(db, flood);
    await addWebhook(db, other);
    const [late] = await addEvent(db, other);
    const batch = (await claimBatch(db, { limit: 20 }))!;
    expect(batch.size).toBe(20);
    const claimed = await db
      .selectFrom('deliveries')
      .select('id')
      .where('batch_id', '=', batch.batchId)
      .execute();
    expect(claimed).toContainEqual({ id: late });
  });

  test('leaves out projects and webhooks that have enough deliveries in flight', async () => {
    const { db } = database;
    await db.deleteFrom('deliveries').execute();
    const [full, other] = [await addProject(db), await addProject(db)];
    const [held, free] = [await addWebhook(db, other), await addWebhook(db, other)];
    await addWebhook(db, full);
    await addEvent(db, full);
    await addEvent(db, other);
    const batch = (await claimBatch(db, { limit: 20, except: [held], exceptProjects: [full] }))!;
    const claimed = await db
      .selectFrom('deliveries')
      .select('webhook_id')
      .where('batch_id', '=', batch.batchId)
      .execute();
    expect(claimed).toEqual([{ webhook_id: free }]);
  });

  test('reads few rows of a long backlog', async () => {
    const { db } = database;
    await db.deleteFrom('deliveries').execute();
    const projectId = await addProject(db);
    for (let i = 0; i < 100; i++) await addWebhook(db, projectId);
    await addEvent(db, projectId);
    await sql`
      insert into deliveries (id, project_id, webhook_id, event_id, event, status, trigger)
      select id || n, project_id, webhook_id, 'evt_' || n, event, status, trigger
      from deliveries, generate_series(1, 50) n`.execute(db);
    const countRead = async (connected: Db) => {
      const { rows } = await sql<{ n: number }>`
        select idx_tup_fetch::int as n from pg_stat_xact_user_tables where relname = 'deliveries'`.execute(
        connected,
      );
      return rows[0]!.n;
    };
    const read = await inQuietTransaction(db, async (trx) => {
      const before = await countRead(trx);
      await claimBatch(trx, { limit: 100 });
      return (await countRead(trx)) - before;
    });
    // One of each webhook, twice, and those that are locked and written.
    expect(read).toBeLessThan(600);
  });
});

describe('groupPosts', () => {
  test('replaces the rows by one row, and names its workflow in the posts', async () => {
    const { db } = database;
    const posts = await Promise.all(Array.from({ length: 3 }, () => addPost(db)));
    const row = (await groupPosts(db, await claimOutbox(db, 10)))!;
    expect(row).toMatchObject({
      workflow: 'publishPosts',
      workflow_id: `posts/${row.id}`,
      start_at: null,
    });
    const { posts: grouped } = row.input as unknown as PublishPostsInput;
    expect(grouped.toSorted((a, b) => (a.postId < b.postId ? -1 : 1))).toEqual(
      posts
        .map(({ postId }) => ({ postId, run: 1 }))
        .toSorted((a, b) => (a.postId < b.postId ? -1 : 1)),
    );
    for (const { postId } of posts) expect(await workflowOf(db, postId)).toBe(row.workflow_id);
    expect(await db.selectFrom('outbox').select('id').execute()).toEqual([{ id: row.id }]);
    // The claim covers the new row too.
    expect(await claimOutbox(db, 10)).toEqual([]);
  });

  test('drops rows of superseded runs', async () => {
    const { db } = database;
    const [kept, superseded] = [await addPost(db), await addPost(db)];
    const rows = await claimOutbox(db, 10);
    await restartPost(db, quietNotifier, superseded.postId, superseded.workflowId);
    const row = (await groupPosts(db, rows))!;
    expect(row.input).toEqual({ posts: [{ postId: kept.postId, run: 1 }] });
    expect(await workflowOf(db, superseded.postId)).toMatch(/^post\//);
    const left = await db.selectFrom('outbox').select('workflow_id').execute();
    expect(left).toHaveLength(2);
    expect(left).toContainEqual({ workflow_id: await workflowOf(db, superseded.postId) });
  });

  test('inserts no row if no run is left', async () => {
    const { db } = database;
    const { postId, workflowId } = await addPost(db);
    const rows = await claimOutbox(db, 10);
    await restartPost(db, quietNotifier, postId, workflowId);
    expect(await groupPosts(db, rows)).toBeUndefined();
  });

  test('leaves rows alone whose claim has expired', async () => {
    const { db } = database;
    const { postId, workflowId } = await addPost(db);
    const rows = await claimOutbox(db, 10);
    await db
      .updateTable('outbox')
      .set({ claimed_until: new Date(0) })
      .execute();
    expect(await groupPosts(db, rows)).toBeUndefined();
    expect(await workflowOf(db, postId)).toBe(workflowId);
    expect(await claimOutbox(db, 10)).toHaveLength(1);
  });

  test('starts at once if a post is due', async () => {
    const { db } = database;
    await addPost(db, { scheduledAt: new Date(Date.now() + 4_000) });
    await addPost(db);
    expect((await groupPosts(db, await claimOutbox(db, 10)))!.start_at).toBeNull();
  });

  test('leaves a locked post with its own row, and waits for no lock', async () => {
    const { db } = database;
    const [held, free] = [await addPost(db), await addPost(db)];
    const rows = await claimOutbox(db, 10);
    await using _lock = await lockPost(db, held.postId);
    const row = (await groupPosts(db, rows))!;
    expect(row.input).toEqual({ posts: [{ postId: free.postId, run: 1 }] });
    const left = await db.selectFrom('outbox').select('workflow_id').execute();
    expect(left).toContainEqual({ workflow_id: held.workflowId });
  });

  test('takes no row that another relay has claimed since', async () => {
    const { db } = database;
    await addPost(db);
    await addPost(db);
    const rows = await claimOutbox(db, 10);
    // Both claims of this test could otherwise end in the same millisecond.
    const claimed_until = new Date(0);
    await db.updateTable('outbox').set({ claimed_until }).execute();
    expect(await claimOutbox(db, 10)).toHaveLength(2);
    const expired = rows.map((row) => ({ ...row, claimed_until }));
    expect(await groupPosts(db, expired)).toBeUndefined();
  });

  test('starts the workflow of scheduled posts when the first one is due', async () => {
    const { db } = database;
    const dueAt = [4_000, 3_000].map((inMs) => new Date(Date.now() + inMs));
    for (const scheduledAt of dueAt) await addPost(db, { scheduledAt });
    const row = (await groupPosts(db, await claimOutbox(db, 10)))!;
    expect(row.start_at).toEqual(dueAt[1]);
    expect(row.delay_ms).toBeGreaterThan(0);
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
