// The time of the database in this process, for what SQL can't compute: the process's own clock may be wrong.
import { sql } from 'kysely';
import type { Db } from './tables.ts';

export interface DatabaseClock {
  /** Milliseconds since the epoch. Not ahead of the database, and behind it by one round trip at most. */
  readonly now: () => number;
  stop(): void;
}

/** A clock drifts, or is set, too rarely to be read more often. */
const readEveryMs = 10_000;

export async function startDatabaseClock(
  db: Db,
  { everyMs = readEveryMs } = {},
): Promise<DatabaseClock> {
  let offsetMs = -Infinity;

  async function read(): Promise<void> {
    const askedAtMs = performance.now();
    const { rows } = await sql<{ ms: number }>`
      select extract(epoch from clock_timestamp())::float8 * 1000 as ms`.execute(db);
    const { ms } = rows[0]!;
    // The database's clock was read after the question and before the answer.
    offsetMs = Math.min(Math.max(offsetMs, ms - performance.now()), ms - askedAtMs);
  }

  await read();
  // While the database is away, the last reading stands.
  const timer = setInterval(() => void read().catch(() => undefined), everyMs).unref();
  return {
    now: () => Math.floor(performance.now() + offsetMs),
    stop: () => clearInterval(timer),
  };
}
