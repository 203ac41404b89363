// Parts of queries that list rows: periods of time, and pages for several parents.
import { sql, type RawBuilder } from 'kysely';
import { firstIdAt, type IdKind } from '../wire/ids.ts';
import type { Period } from '../wire/listing.ts';

/** How much the clock of ids may differ from that of `created_at`, which may be Postgres's. */
const clockSlackMs = 60_000;

/** Restricts ids as well as `created_at`, so that the index on ids serves the query. */
export function withinPeriod(
  table: string,
  kind: IdKind,
  { since, until }: Period,
): RawBuilder<boolean> {
  const conditions = [sql`true`];
  const id = sql.ref(`${table}.id`);
  const createdAt = sql.ref(`${table}.created_at`);
  if (since !== undefined) {
    const at = new Date(since);
    const first = firstIdAt(kind, new Date(at.getTime() - clockSlackMs));
    conditions.push(sql`${id} >= ${first} and ${createdAt} >= ${at}`);
  }
  if (until !== undefined) {
    const at = new Date(until);
    const last = firstIdAt(kind, new Date(at.getTime() + clockSlackMs));
    conditions.push(sql`${id} < ${last} and ${createdAt} < ${at}`);
  }
  return sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

/** `from unnest(…) as parent (id)`: ids as rows, for a lateral join that reads a page for each. */
export function parentRows(ids: string[]) {
  return sql<{ id: string }>`unnest(${ids}::text[])`.as<'parent'>(sql`parent (id)`);
}
