// The database's time in a process, read over a connection that may be slow.
import { sql, type QueryId } from 'kysely';
import { expect, test, vi } from 'vitest';
import { startDatabaseClock, type DatabaseClock } from '../../../schema/database/database-clock.ts';
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

/** While it is holding, its answers wait until the test calls them. */
function holdAnswers(db: Db) {
  const state = { isHolding: false, held: [] as (() => void)[], given: 0 };
  const held = db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }: { result: never; queryId: QueryId }) {
      if (state.isHolding) await new Promise<void>((resolve) => void state.held.push(resolve));
      state.given++;
      return result;
    },
  });
  return { db: held, state };
}

/** What the clock adds to the time of this process. */
function offsetOf(clock: DatabaseClock): number {
  const stopped = vi.spyOn(performance, 'now').mockReturnValue(0);
  const offset = clock.now();
  stopped.mockRestore();
  return offset;
}

test('the clock returns the time of the database, even if the clock of the process is wrong', async () => {
  vi.spyOn(Date, 'now').mockReturnValue(0);
  const clock = await startDatabaseClock(database.db);
  const before = await readDatabase();
  expect(Math.abs(clock.now() - before.ms)).toBeLessThan(before.tripMs + 5_000);
  clock.stop();
  vi.restoreAllMocks();
});

test('the clock is never ahead, and a slow answer does not worsen the result of a fast answer', async () => {
  const slow = holdAnswers(database.db);
  slow.state.isHolding = true;
  const starting = startDatabaseClock(slow.db);
  await expect.poll(() => slow.state.held.length).toBe(1);
  slow.state.held[0]!();
  const late = await starting;
  expect(late.now()).toBeLessThanOrEqual((await readDatabase()).ms);
  late.stop();

  const { db, state } = holdAnswers(database.db);
  const everyMs = 20;
  const clock = await startDatabaseClock(db, { everyMs });
  const offset = offsetOf(clock);
  state.isHolding = true;
  // By then, the first of them is old.
  await expect.poll(() => state.held.length).toBeGreaterThan(2);
  const { given } = state;
  state.held[0]!();
  await expect.poll(() => state.given).toBeGreaterThan(given);
  expect(offsetOf(clock)).toBeGreaterThan(offset - everyMs);
  state.isHolding = false;
  for (const give of state.held) give();
  const now = clock.now();
  expect(now).toBeLessThanOrEqual((await readDatabase()).ms);
  clock.stop();
});
