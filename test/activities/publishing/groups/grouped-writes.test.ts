// Writes that many targets share, and rows that are locked or refused.
import { describe, expect, test } from 'vitest';
import {
  createGroupedWrites,
  type GroupedWrites,
} from '../../../../activities/publishing/grouped-writes.ts';
import { findTarget, type TargetRow } from '../../../../schema/database/posts/targets.ts';
import { forEachTest } from '../../../support/fixtures.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { lockRows } from '../../../support/rows/locks.ts';
import { quietNotifier } from '../../../support/rows/quiet-transaction.ts';
import { addTarget, getResult, targetRun } from '../../../support/rows/targets.ts';

const database = useDatabase();
const shared = forEachTest(() => ({
  writes: createGroupedWrites({ db: database.db, notifier: quietNotifier, previewEvents: false }),
}));

interface Begun {
  row: TargetRow;
  postId: string;
}

async function addRows(count: number): Promise<Begun[]> {
  const targets = await Promise.all(Array.from({ length: count }, () => addTarget(database.db)));
  return Promise.all(
    targets.map(async ({ resultId, postId }) => {
      return { row: (await findTarget(database.db, resultId))!, postId };
    }),
  );
}

const begin = ({ begin }: GroupedWrites, row: TargetRow, deadline: Date | null = null) =>
  begin({ row, phase: 'commit', deadline });

const published = { externalId: '1', url: null, visibility: 'public' };

const endedCall = {
  outcome: 'unavailable',
  durationMs: 7,
  errorCode: '503',
  errorMessage: 'Try again.',
  providerError: { title: 'busy' },
} as const;

const endedAttempt = {
  outcome: 'unavailable',
  duration_ms: 7,
  error_code: '503',
  error_message: 'Try again.',
  provider_error: { title: 'busy' },
};

const waitingRow = { phase: 'confirm', phase_state: 'ready', steps: 1, clock: { unavailable: 1 } };

/** The first target waits and has state; the others do neither. */
const nextAfter = (i: number) => ({
  phase: 'confirm' as const,
  clock: { unavailable: 1 },
  waitMs: i === 0 ? 60_000 : null,
  ...(i === 0 && { state: { provider_state: Buffer.from('0'), provider_state_key_id: 'a' } }),
});

const listAttempts = (resultId: string) =>
  database.db
    .selectFrom('post_attempts')
    .select(['outcome', 'duration_ms', 'error_code', 'error_message', 'provider_error'])
    .where('result_id', '=', resultId)
    .execute();

/** The transactions that wrote changes of this kind. */
async function countWrites(kind: string): Promise<number> {
  const changes = database.db.selectFrom('changes').select('xid').distinct();
  return (await changes.where('kind', '=', kind as 'started').execute()).length;
}

describe('grouped writes', () => {
  test('begin, publish and conclude many posts in few transactions', async () => {
    const rows = await addRows(20);
    const { writes } = shared;
    const begun = await Promise.all(rows.map(({ row }) => begin(writes, row)));
    expect(begun.map(({ hasBegun }) => hasBegun)).toEqual(Array(20).fill(true));
    expect(new Set(begun.map(({ startedMs }) => startedMs)).size).toBe(1);
    await Promise.all(
      rows.map(({ row }) =>
        writes.publish({ row: { ...row, steps: 1 }, published, durationMs: 5 }),
      ),
    );
    const ends = await Promise.all(
      rows.map(({ postId }) => writes.conclude({ postId, run: targetRun })),
    );
    expect(ends).toMatchObject(Array.from({ length: 20 }, () => ({ status: 'published' })));
    expect(await getResult(database.db, rows[0]!.row.id)).toMatchObject({
      status: 'published',
      external_id: '1',
      steps: 1,
      attempts: 1,
    });
    expect(await countWrites('result.publishing')).toBe(1);
    expect(await countWrites('result.published')).toBe(1);
    // A transaction concludes ten posts.
    expect(await countWrites('published')).toBe(2);
  });

  test('begin a target only once if several executions begin it together', async () => {
    const [{ row }] = (await addRows(1)) as [Begun];
    const begun = await Promise.all([1, 2, 3].map(() => begin(shared.writes, row)));
    expect(begun.map(({ hasBegun }) => hasBegun)).toEqual([true, false, false]);
    expect(await getResult(database.db, row.id)).toMatchObject({ steps: 1, attempts: 1 });
  });

  test('begin no target that has changed or whose deadline has passed, and begin the others', async () => {
    const [changed, late, good] = (await addRows(3)) as [Begun, Begun, Begun];
    const begun = await Promise.all([
      begin(shared.writes, { ...changed.row, steps: 4 }),
      begin(shared.writes, late.row, new Date(Date.now() - 1_000)),
      begin(shared.writes, good.row),
    ]);
    expect(begun.map(({ hasBegun }) => hasBegun)).toEqual([false, false, true]);
  });

  test('end the calls of many targets in one transaction, and continue with what comes next', async () => {
    const rows = await addRows(10);
    const { writes } = shared;
    await Promise.all(rows.map(({ row }) => begin(writes, row)));
    const continued = await Promise.all(
      rows.map(({ row }, i) =>
        writes.continue({ row: { ...row, steps: 1 }, next: nextAfter(i), call: endedCall }),
      ),
    );
    expect(continued).toEqual(Array(10).fill(true));
    expect(await countWrites('result.waiting')).toBe(1);
    const [first, second] = await Promise.all(
      rows.slice(0, 2).map(({ row }) => getResult(database.db, row.id)),
    );
    expect(first).toMatchObject({ ...waitingRow, provider_state: Buffer.from('0') });
    expect(second).toMatchObject({ ...waitingRow, next_attempt_at: null, provider_state: null });
    expect(first!.next_attempt_at!.getTime()).toBeGreaterThan(Date.now() + 50_000);
    expect(await listAttempts(rows[0]!.row.id)).toEqual([endedAttempt]);
  });

  test('end a call, but do not continue a target that another execution has changed', async () => {
    const [changed, good] = (await addRows(2)) as [Begun, Begun];
    const { writes } = shared;
    await Promise.all([begin(writes, changed.row), begin(writes, good.row)]);
    const { id } = changed.row;
    await database.db
      .updateTable('post_results')
      .set({ steps: 2, phase: 'reconcile' })
      .where('id', '=', id)
      .execute();
    const continued = await Promise.all(
      [changed, good].map(({ row }) =>
        writes.continue({ row: { ...row, steps: 1 }, next: nextAfter(0), call: endedCall }),
      ),
    );
    expect(continued).toEqual([false, true]);
    expect(await getResult(database.db, id)).toMatchObject({ steps: 2, phase: 'reconcile' });
    expect(await listAttempts(id)).toEqual([endedAttempt]);
  });

  test('continue a target only once if two executions continue it together', async () => {
    const [{ row }] = (await addRows(1)) as [Begun];
    const { writes } = shared;
    await begin(writes, row);
    const target = { row: { ...row, steps: 1 }, next: nextAfter(1) };
    // The second write finds the target in the state that the first one has set, which is the same.
    expect(await Promise.all([writes.continue(target), writes.continue(target)])).toEqual([
      true,
      true,
    ]);
    expect(await begin(writes, { ...row, steps: 1 })).toMatchObject({ hasBegun: true });
    expect(await writes.continue(target)).toBe(false);
  });

  test('conclude a run only once if two calls conclude it together', async () => {
    const [{ row, postId }] = (await addRows(1)) as [Begun];
    const { writes } = shared;
    await begin(writes, row);
    await writes.publish({ row: { ...row, steps: 1 }, published, durationMs: 5 });
    const input = { postId, run: targetRun };
    const ends = await Promise.all([writes.conclude(input), writes.conclude(input)]);
    expect(ends.filter((end) => end !== undefined)).toHaveLength(1);
    const events = database.db.selectFrom('events').select('id').where('post_id', '=', postId);
    expect(await events.execute()).toHaveLength(1);
  });

  test.each(['posts', 'post_results'] as const)(
    'delay only the target of a locked row in %s',
    async (table) => {
      const [held, ...free] = (await addRows(5)) as [Begun, ...Begun[]];
      const { writes } = shared;
      const release = await lockRows(database.db, table, [
        table === 'posts' ? held.postId : held.row.id,
      ]);
      let isHeld = true;
      const waiting = begin(writes, held.row).finally(() => (isHeld = false));
      const begun = await Promise.all(free.map(({ row }) => begin(writes, row)));
      expect(begun.map(({ hasBegun }) => hasBegun)).toEqual(Array(4).fill(true));
      await Promise.all(
        free.map(({ row }) =>
          writes.publish({ row: { ...row, steps: 1 }, published, durationMs: 5 }),
        ),
      );
      await Promise.all(free.map(({ postId }) => writes.conclude({ postId, run: targetRun })));
      expect(isHeld).toBe(true);
      await release();
      expect((await waiting).hasBegun).toBe(true);
    },
  );

  test('publish the other targets of a group when Postgres refuses one', async () => {
    const rows = await addRows(3);
    const { writes } = shared;
    await Promise.all(rows.map(({ row }) => begin(writes, row)));
    const outcomes = await Promise.allSettled(
      rows.map(({ row }, i) =>
        writes.publish({
          row: { ...row, steps: 1 },
          published: { ...published, url: i === 1 ? '\0' : null },
          durationMs: 5,
        }),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await getResult(database.db, rows[2]!.row.id)).toMatchObject({ status: 'published' });
  });
});
