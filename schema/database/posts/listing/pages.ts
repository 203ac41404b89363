// Lists of posts in Postgres: filters, and pages in each order.
import { sql, type RawBuilder } from 'kysely';
import type { PostFilters, PostOrder } from '../../../posts/listing.ts';
import { maxPageBytes } from '../../../wire/listing.ts';
import { isOnPage, weigh, withinPeriod, type Weight } from '../../listing.ts';
import { inScope, selectInScope, type RowScope } from '../../row-scope.ts';
import type { Db, PostRow } from '../../tables.ts';

/** The column by which an order sorts posts before their IDs. Null: IDs already sort by creation. */
export const columnOf = {
  '-created_at': null,
  scheduled_at: 'scheduled_at',
  '-scheduled_at': 'scheduled_at',
  '-published_at': 'published_at',
} as const satisfies Record<PostOrder, keyof PostRow | null>;

/** A post in a list. `time`: its value of the order's column. */
export interface PostPosition {
  time: Date | null;
  id: string;
}

export interface PostSlice {
  limit: number;
  order?: PostOrder;
  /** The post before the first one of the slice. */
  after?: PostPosition | undefined;
}

type PageRow = PostRow & Weight;

/** Posts without the time of the order come last, the newest first. */
export async function listPostRows(
  db: Db,
  scope: RowScope,
  filters: PostFilters,
  { limit, order = '-created_at', after }: PostSlice,
): Promise<PageRow[]> {
  const matching = matchesFilters(scope, filters);
  const read = (condition: RawBuilder<unknown>, by: readonly string[], limit: number) =>
    readPage(db, scope, sql`${matching} and ${condition}`, by, limit);
  const column = columnOf[order];
  if (column === null) return read(isOlder(after), ['id desc'], limit);
  const direction = order.startsWith('-') ? 'desc' : 'asc';
  const by = [`${column} ${direction}`, `id ${direction}`];
  const isTimed = sql`${sql.ref(column)} is not null and ${isBeyond(column, direction, after)}`;
  const rows = after?.time === null ? [] : await read(isTimed, by, limit);
  const weight = weightOf(rows);
  if (rows.length === limit || weight > maxPageBytes || isBounded(filters, column)) return rows;
  const isUntimed = sql`${sql.ref(column)} is null
    and ${isOlder(after?.time === null ? after : undefined)}`;
  const others = await read(isUntimed, ['id desc'], limit - rows.length);
  const heavier = others.map((row) => ({ ...row, bytes_before: row.bytes_before + weight }));
  return [...rows, ...heavier.filter((row) => row.bytes_before <= maxPageBytes)];
}

/** Comes after this post in the order of creation, the newest first. */
const isOlder = (after: PostPosition | undefined) => (after ? sql`id < ${after.id}` : sql`true`);

/** Comes after this post in the order of the column. */
function isBeyond(column: string, direction: 'asc' | 'desc', after: PostPosition | undefined) {
  if (!after) return sql`true`;
  const beyond = sql.raw(direction === 'desc' ? '<' : '>');
  return sql`(${sql.ref(column)}, id) ${beyond} (${after.time}, ${after.id})`;
}

/** How many posts match, counted up to `max`. */
export async function countPostRows(
  db: Db,
  scope: RowScope,
  filters: PostFilters,
  max: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from posts where ${matchesFilters(scope, filters)} limit ${max}
    ) as matching`.execute(db);
  return rows[0]!.count;
}

function readPage(
  db: Db,
  scope: RowScope,
  condition: RawBuilder<unknown>,
  by: readonly string[],
  limit: number,
): Promise<PageRow[]> {
  const order = sql.raw(by.join(', '));
  const page = selectInScope(db, scope, 'posts')
    .select(weigh(postBytes, order))
    .where(sql<boolean>`(${condition})`)
    .orderBy(order)
    .limit(limit)
    .as('page');
  return db.selectFrom(page).selectAll().where(isOnPage).orderBy(order).execute();
}

function weightOf(rows: readonly Weight[]): number {
  const last = rows.at(-1);
  return last ? last.bytes_before + last.bytes : 0;
}

/** Whether the filters leave out every post without the time. */
function isBounded(filters: PostFilters, column: 'scheduled_at' | 'published_at'): boolean {
  const [from, to] =
    column === 'scheduled_at'
      ? [filters.scheduled_from, filters.scheduled_to]
      : [filters.published_from, filters.published_to];
  return from !== undefined || to !== undefined;
}

/** A condition on `posts`. */
function matchesFilters(scope: RowScope, filters: PostFilters): RawBuilder<boolean> {
  const { status, label, metadata, q } = filters;
  const { created_from = filters.from, created_to = filters.to } = filters;
  const conditions = [
    inScope(scope, 'posts'),
    withinPeriod('posts', 'post', { since: created_from, until: created_to }),
    within('scheduled_at', filters.scheduled_from, filters.scheduled_to),
    within('published_at', filters.published_from, filters.published_to),
    hasTarget(scope, filters),
  ];
  // One status is compared as such, so that the index on it has the order of the list too.
  if (status?.length === 1) conditions.push(sql`posts.status = ${status[0]}`);
  else if (status) conditions.push(sql`posts.status = any(${status}::text[])`);
  // The first halves are the conditions of the partial indexes.
  if (label) conditions.push(sql`posts.labels <> '{}' and posts.labels && ${label}::text[]`);
  if (metadata) {
    const pairs = JSON.stringify(metadata);
    conditions.push(sql`posts.metadata <> '{}' and posts.metadata @> ${pairs}::jsonb`);
  }
  if (q !== undefined) conditions.push(hasWords(scope, q));
  return sql`${sql.join(conditions, sql` and `)}`;
}

function within(column: string, from?: string, to?: string): RawBuilder<boolean> {
  const at = sql.ref(`posts.${column}`);
  const conditions = [
    from === undefined ? sql`true` : sql`${at} >= ${new Date(from)}`,
    to === undefined ? sql`true` : sql`${at} < ${new Date(to)}`,
  ];
  return sql`${sql.join(conditions, sql` and `)}`;
}

function hasTarget(
  scope: RowScope,
  {
    platform,
    social_account_id,
    account_id = social_account_id,
    external_user_id: userId,
  }: PostFilters,
): RawBuilder<boolean> {
  const conditions: RawBuilder<unknown>[] = [];
  if (platform !== undefined) conditions.push(sql`target.platform = ${platform}`);
  if (account_id !== undefined) conditions.push(sql`target.social_account_id = ${account_id}`);
  if (userId !== undefined) {
    conditions.push(sql`exists (
      select from social_accounts where id = target.social_account_id
      and ${inScope(scope, 'social_accounts')} and external_user_id = ${userId})`);
  }
  if (conditions.length === 0) return sql`true`;
  return sql`exists (
    select from post_results as target
    where target.post_id = posts.id and ${sql.join(conditions, sql` and `)})`;
}

/**
 * Each word may be the beginning of a word of the caption. The query of the words is a subselect, so that a plan doesn't
 * know how common they are, and reads the indexes of words first: a plan that finds the words of each row takes minutes.
 */
function hasWords({ projectId }: RowScope, q: string): RawBuilder<boolean> {
  const words = sql`(select beginnings_of(${projectId}, ${q}))`;
  return sql`posts.id in (
    select worded.id from posts as worded
    where worded.project_id = ${projectId} and words_of(worded.project_id, worded.caption) @@ ${words}
    union all
    select target.post_id from post_results as target
    where target.project_id = ${projectId} and target.kind = 'post'
      and target.caption is not null and words_of(target.project_id, target.caption) @@ ${words})`;
}

/** SQL: size of the texts of a post and of its targets. */
const postBytes = sql<number>`octet_length(posts.caption) + coalesce((
  select sum(coalesce(octet_length(caption), 0) + octet_length(platform_options::text)
    + coalesce(octet_length(default_options::text), 0))
  from post_results where post_id = posts.id
), 0)::int`;
