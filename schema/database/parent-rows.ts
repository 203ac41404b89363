// Ids as rows, so that one statement reads a page for each of them by a lateral join.
import { sql } from 'kysely';

/** `from unnest(…) as parent (id)` */
export function parentRows(ids: string[]) {
  return sql<{ id: string }>`unnest(${ids}::text[])`.as<'parent'>(sql`parent (id)`);
}
