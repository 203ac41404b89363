// The clock of the database, in SQL and in this process, whose own clock may be wrong.
import { sql, type Expression } from 'kysely';
import type { Db } from './tables.ts';

export const ago = (ms: number) => sql<Date>`now() - ${ms} * interval '1 ms'`;

export const inMs = (ms: number) => sql<Date>`now() + ${ms} * interval '1 ms'`;

/** Milliseconds until `time`: negative if it has passed, null if `time` is null. */
export const msUntil = (time: Expression<unknown>) =>
  sql<number | null>`(extract(epoch from ${time} - now()) * 1000)::float8`;

/** The time of the database, as its rows have it. */
export async function readTime(db: Db): Promise<Date> {
  const { rows } = await sql<{
    now: Date;
  }>`select date_trunc('milliseconds', now()) as now`.execute(db);
  return rows[0]!.now;
}

export interface DatabaseClock {
  /** Milliseconds since the epoch. Never ahead of the database, and behind it by at most one round trip. */
  readonly now: () => number;
  stop(): void;
}

/** Clocks drift slowly and are set rarely. */
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
    // The database read its clock after the request and before the response.
    offsetMs = Math.min(Math.max(offsetMs, ms - performance.now()), ms - askedAtMs);
  }

  await read();
  // While the database is unavailable, the last reading stays in use.
  const timer = setInterval(() => void read().catch(() => undefined), everyMs).unref();
  return {
    now: () => Math.floor(performance.now() + offsetMs),
    stop: () => clearInterval(timer),
  };
}
