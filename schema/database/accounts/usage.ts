// Counts each account's targets per month. A target counts when it is accepted, and no longer counts if it is
// canceled or fails with a known outcome.
import { sql, type RawBuilder } from 'kysely';
import { fixedLimits } from '../../wire/limits.ts';
import { allOf, executePrepared, wholeTables } from '../prepared.ts';
import type { AccountUsageRow, Db, Transaction } from '../tables.ts';

// To avoid deadlocks, every transaction locks in this order: results and their posts; usage, in one
// statement by account and month; accounts.

/** `2026-01`, in UTC. */
export function monthOf(date: Date): string {
  return date.toISOString().slice(0, 7);
}

/** Usage that has just been counted. */
export interface CountedUsage extends Pick<
  AccountUsageRow,
  'social_account_id' | 'month' | 'published'
> {
  /** When `account.quota_warning` was sent. */
  warned_at: Date | string | null;
  /** When `account.quota_exceeded` was sent. */
  exceeded_at: Date | string | null;
  /** The project's own limit. */
  project_limit: number | null;
}

/**
 * SQL on counted usage: the limit is reached, or its warning is due. `ofInstallation`: the limit of projects
 * without an own limit; 0: none.
 */
export function isNotable(ofInstallation: number | null): RawBuilder<boolean> {
  const limit = sql`nullif(coalesce(project_limit, ${ofInstallation}::int), 0)`;
  const warningAt = sql`ceil(${limit} * ${sql.lit(fixedLimits.accountWarningPercent)} / 100.0)`;
  return sql`(published >= ${limit} or (warned_at is null and published >= ${warningAt}))`;
}

/** The usage if a new result were counted for each of these accounts. Writes and locks nothing. */
export async function previewUsage(
  db: Db,
  projectId: string,
  accountIds: string[],
  month: string,
): Promise<CountedUsage[]> {
  const { rows } = await sql<CountedUsage>`
    select named.id as social_account_id, ${month}::text as month, u.warned_at, u.exceeded_at,
      coalesce(u.published, 0) + named.added as published,
      (select monthly_posts_per_account from projects where id = ${projectId}) as project_limit
    from (
      select id, count(*)::int as added from unnest(${accountIds}::text[]) as given (id) group by id
    ) as named
    left join account_usage u on u.social_account_id = named.id and u.month = ${month}`.execute(db);
  return rows;
}

/** The month that should count a result; null: no month should. */
export interface UsageMove {
  resultId: string;
  month: string | null;
}

/** The count of a result that this transaction has deleted. */
export interface FreedUsage {
  accountId: string;
  month: string;
}

/**
 * Counts each result in its month and in no other. Comments are never counted. Returns the usage that
 * increased.
 */
export async function moveUsage(
  trx: Transaction,
  projectId: string,
  moves: UsageMove[],
  freed: FreedUsage[] = [],
): Promise<CountedUsage[]> {
  if (moves.length === 0 && freed.length === 0) return [];
  const statement = sql<CountedUsage>`
    with moved as (
      select r.id, r.social_account_id, r.usage_month as old_month, move.month as new_month
      from post_results r
      join unnest(${moves.map((move) => move.resultId)}::text[],
        ${moves.map((move) => move.month)}::text[]) as move (result_id, month) on move.result_id = r.id
      where r.project_id = ${projectId} and r.kind = 'post' and r.usage_month is distinct from move.month
      order by r.id for update of r
    ), marked as (
      update post_results r set usage_month = moved.new_month from moved where r.id = moved.id
    ), change as (
      select social_account_id, month, sum(n)::int as n
      from (
        select social_account_id, old_month as month, -1 as n from moved
        union all
        select social_account_id, new_month, 1 from moved
        union all
        select social_account_id, month, -1
        from unnest(${freed.map(({ accountId }) => accountId)}::text[],
          ${freed.map(({ month }) => month)}::text[]) as freed (social_account_id, month)
      ) as step
      where month is not null
      group by social_account_id, month
      having sum(n) <> 0
    ), counted as (
      insert into account_usage as u (social_account_id, month, published)
      select social_account_id, month, greatest(n, 0) from change order by social_account_id, month
      on conflict (social_account_id, month) do update set published = greatest(0, u.published + (
        select n from change
        where change.social_account_id = u.social_account_id and change.month = u.month))
      returning u.*
    )
    select ${allOf(wholeTables.account_usage, 'counted')},
      (select monthly_posts_per_account from projects where id = ${projectId}) as project_limit
    from counted join change using (social_account_id, month)
    where change.n > 0
    order by social_account_id, month`;
  return executePrepared(trx, 'move_usage', statement);
}

/** Subtracts these results from the usage that counts them. Safe to repeat. */
export async function giveBackUsage(
  trx: Transaction,
  projectId: string,
  resultIds: string[],
): Promise<void> {
  await moveUsage(
    trx,
    projectId,
    resultIds.map((resultId) => ({ resultId, month: null })),
  );
}

/** Adds a post that has no result row to the account's usage. -1 subtracts it again. Returns the usage. */
export async function addUsage(
  trx: Transaction,
  projectId: string,
  { accountId, month }: { accountId: string; month: string },
  count: 1 | -1,
): Promise<CountedUsage[]> {
  const { rows } = await sql<CountedUsage>`
    with counted as (
      insert into account_usage as u (social_account_id, month, published)
      values (${accountId}, ${month}, ${Math.max(count, 0)})
      on conflict (social_account_id, month) do update
        set published = greatest(0, u.published + ${count}::int)
      returning u.*
    )
    select counted.*,
      (select monthly_posts_per_account from projects where id = ${projectId}) as project_limit
    from counted`.execute(trx);
  return rows;
}

/** Accounts without usage in the month are missing. */
export function listUsage(
  db: Db,
  projectId: string,
  accountIds: string[],
  month: string,
): Promise<AccountUsageRow[]> {
  return db
    .selectFrom('account_usage')
    .innerJoin('social_accounts', 'social_accounts.id', 'social_account_id')
    .selectAll('account_usage')
    .where('project_id', '=', projectId)
    .where('social_account_id', 'in', accountIds)
    .where('month', '=', month)
    .execute();
}

/** Records that the events were sent now. The caller has locked the row by counting. */
export async function setUsageNotified(
  trx: Transaction,
  projectId: string,
  { social_account_id, month }: Pick<AccountUsageRow, 'social_account_id' | 'month'>,
  columns: ('warned_at' | 'exceeded_at')[],
): Promise<void> {
  const now = sql<Date>`now()`;
  await trx
    .updateTable('account_usage')
    .from('social_accounts')
    .set(Object.fromEntries(columns.map((column) => [column, now])))
    .where('project_id', '=', projectId)
    .where('social_accounts.id', '=', social_account_id)
    .whereRef('social_account_id', '=', 'social_accounts.id')
    .where('month', '=', month)
    .execute();
}
