// Restricts a list by when its rows were made, so that the index on ids serves it.
import { sql, type RawBuilder } from 'kysely';
import { firstIdAt, type IdKind } from '../../wire/ids.ts';
import type { Period } from '../../wire/listing.ts';

/** Ids come from our clock, `created_at` may come from Postgres': so far apart may the two be. */
const clockSlackMs = 60_000;

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
