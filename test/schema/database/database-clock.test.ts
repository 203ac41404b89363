// The database's time in a process, read over a connection that may be slow.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type QueryId } from 'kysely';
import { expect, test, vi } from 'vitest';
import { startDatabaseClock } from '../../../schema/database/database-clock.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();

/** Lower and upper bound of the database's time at a moment of this process. */
async function readDatabase(): Promise<{ ms: number; tripMs: number }> {
  const askedAt = performance.now();
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.execute(database.db);
  return { ms: rows[0]!.ms, tripMs: performance.now() - askedAt };
}

/** Delays the answers. */
function slow(db: Db, ms: () => number): Db {
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }: { result: never; queryId: QueryId }) {
      await sleep(ms());
      return result;
    },
  });
}

test('returns the time of the database, even if the clock of the process is wrong', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(0);
  const clock = await startDatabaseClock(database.db);
  const before = await readDatabase();
  expect(Math.abs(clock.now() - before.ms)).toBeLessThan(before.tripMs + 5_000);
  clock.stop();
  vi.restoreAllMocks();
});

test('is never ahead, and a slow answer does not worsen the result of a fast one', async () => {
  const late = await startDatabaseClock(slow(database.db, () => 200));
  expect(late.now()).toBeLessThanOrEqual((await readDatabase()).ms);
  late.stop();

  let delayMs = 0;
  const db = slow(database.db, () => delayMs);
  const clock = await startDatabaseClock(db, { everyMs: 20 });
  delayMs = 1_000;
  await sleep(1_200);
  const { ms, tripMs } = await readDatabase();
  expect(clock.now()).toBeLessThanOrEqual(ms + tripMs + 1);
  expect(clock.now()).toBeGreaterThan(ms - 500);
  clock.stop();
});
