// Moments and waits by the clock of Postgres.
import { sql, type Expression } from 'kysely';

export const ago = (ms: number) => sql<Date>`now() - ${ms} * interval '1 ms'`;

export const inMs = (ms: number) => sql<Date>`now() + ${ms} * interval '1 ms'`;

/** Milliseconds until then; negative once it has passed, null for no time. */
export const msUntil = (time: Expression<unknown>) =>
  sql<number | null>`(extract(epoch from ${time} - now()) * 1000)::float8`;
