// How many targets of an account are published in a month: counted when accepted, given back when not.
import { sql } from 'kysely';
import type { AccountUsageRow, Db, Transaction } from './database.ts';

/** `2026-01`, in UTC. */
export function monthOf(date: Date): string {
  return date.toISOString().slice(0, 7);
}

/** Locks the account's row of the month; returns the count with these. */
export async function addUsage(
  trx: Transaction,
  accountId: string,
  month: string,
  count: number,
): Promise<AccountUsageRow> {
  return trx
    .insertInto('account_usage')
    .values({ social_account_id: accountId, month, published: count })
    .onConflict((conflict) =>
      conflict
        .columns(['social_account_id', 'month'])
        .doUpdateSet({ published: sql<number>`account_usage.published + ${count}` }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function findUsage(
  db: Db,
  accountId: string,
  month: string,
): Promise<AccountUsageRow | undefined> {
  return db
    .selectFrom('account_usage')
    .selectAll()
    .where('social_account_id', '=', accountId)
    .where('month', '=', month)
    .executeTakeFirst();
}

/** Gives back what these results were counted for, once. */
export async function giveBackUsage(trx: Transaction, resultIds: string[]): Promise<void> {
  if (resultIds.length === 0) return;
  await sql`
    with counted as (
      select id, social_account_id, usage_month from post_results
      where id = any(${resultIds}::text[]) and usage_month is not null
      order by social_account_id, usage_month for update
    ), uncounted as (
      update post_results r set usage_month = null from counted where r.id = counted.id
    ), given as (
      select social_account_id, usage_month, count(*)::int as count from counted
      group by social_account_id, usage_month
    )
    update account_usage u set published = u.published - given.count
    from given
    where u.social_account_id = given.social_account_id and u.month = given.usage_month`.execute(
    trx,
  );
}
