// Parts of queries that list rows: periods of time, and pages for several parents.
import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import { firstIdAt, type IdKind } from '../wire/ids.ts';
import { maxPageBytes, type Period } from '../wire/listing.ts';
import type { Db } from './tables.ts';

/**
 * How much the clock of IDs may differ from the clock of `created_at`, which can be the clock of Postgres.
 */
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

/** Half-open. `starts`: when each day of the interval starts, in order. */
export interface Days {
  starts: Date[];
  from: string;
  to: string;
}

/** The size of a row, and of all rows before it on the page. */
export interface Weight {
  bytes: number;
  bytes_before: number;
}

/** Selects the weight of each row, by which the page is cut. */
export function weigh(bytes: RawBuilder<number>, order: RawBuilder<unknown>) {
  const before = sql`rows between unbounded preceding and 1 preceding`;
  return [
    sql<number>`${bytes}`.as('bytes'),
    sql<number>`coalesce(sum(${bytes}) over (order by ${order} ${before}), 0)::int`.as(
      'bytes_before',
    ),
  ] as const;
}

/** Keeps the rows that fit on a page, and one more. */
export const isOnPage = sql<boolean>`bytes_before <= ${sql.lit(maxPageBytes)}`;

interface PageOrder {
  /** Refers to the parent's id, such as `d.webhook_id`. */
  parent: string;
  /** The table, or its alias, and its column by which the page is ordered. */
  by: readonly [table: string, column: string];
}

/** A page of these rows for each parent, the newest first. One query reads all pages. */
export async function listPages<DB, Table extends keyof DB, Row>(
  db: Db,
  rows: SelectQueryBuilder<DB, Table, Row>,
  parentIds: string[],
  { parent, by: [table, column] }: PageOrder,
  { limit, before }: { limit: number; before?: string | number | undefined },
): Promise<(Row & { parent_id: string })[]> {
  const key = sql.ref(`${table}.${column}`);
  const page = rows
    .where(sql<boolean>`${sql.ref(parent)} = parent.id`)
    .$if(before !== undefined, (query) => query.where(sql<boolean>`${key} < ${before}`))
    .orderBy(key, 'desc')
    .limit(limit);
  const all = sql<Row & { parent_id: string }>`
    select page.*, parent.id as parent_id
    from unnest(${parentIds}::text[]) as parent (id) cross join lateral ${page} as page
    order by page.${sql.ref(column)} desc`;
  return (await all.execute(db)).rows;
}
