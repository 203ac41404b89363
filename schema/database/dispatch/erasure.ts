// Erases what a disconnected account left behind: names, users, IDs at the network, its answers, and events.
import { sql } from 'kysely';
import type { ErasurePosition } from '../../workflows.ts';
import { deleteChoiceLists } from '../accounts/choices.ts';
import { insertAccountChanges } from '../live/changes.ts';
import type { Db, SocialAccountRow, Transaction } from '../tables.ts';
import { keepSuccesses } from '../webhooks/health.ts';
import { deleteEventsWhere, maxEvents } from './pruning.ts';
import { endAccount, type EndOptions } from './end-account.ts';

/** What clients see as the name of an erased account. */
const erasedName = 'Erased account';
const batchSize = 100;

/**
 * Erases disconnected accounts that `trx` has locked, and deletes their checks and review links. The rows of the accounts stay, because
 * results refer to them. The results and events follow with `eraseBatch`.
 */
export async function eraseAccounts(
  trx: Transaction,
  accounts: readonly SocialAccountRow[],
): Promise<void> {
  const ids = accounts.map(({ id }) => id);
  await deleteChoiceLists(trx, ids);
  await trx
    .updateTable('social_accounts')
    .set({
      is_erased: true,
      account_name: erasedName,
      display_name: null,
      picture_url: null,
      // Unique, and no ID at a network.
      external_account_id: sql<string>`'erased:' || id`,
      external_user_id: null,
      external_user_email: null,
      traits: '{}',
      default_options: '{}',
      scope: sql<string[]>`'{}'`,
      erase_at: sql<Date>`now()`,
    })
    .where('id', '=', sql<string>`any (${ids}::text[])`)
    .execute();
  for (const table of ['account_checks', 'review_links'] as const) {
    await trx
      .deleteFrom(table)
      .where('social_account_id', '=', sql<string>`any (${ids}::text[])`)
      .execute();
  }
}

/** The first account from the position on that is due for erasure. */
export async function findAccountToErase(
  db: Db,
  { accountId, resultId }: ErasurePosition,
): Promise<string | undefined> {
  const account = await db
    .selectFrom('social_accounts')
    .select('id')
    .where('erase_at', '<=', sql<Date>`now()`)
    .where('id', resultId === null ? '>' : '>=', accountId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return account?.id;
}

export interface ErasedBatch {
  results: number;
  events: number;
  deliveries: number;
  /** Where the account's next batch begins. Null: all of its results have been checked. */
  resultId: string | null;
}

/**
 * Erases results of the account after `resultId`, and deletes the events of their posts. Leaves what is being
 * published, delivered or locked to the next pass, so the account stays due until all is erased.
 */
export async function eraseBatch(
  trx: Transaction,
  accountId: string,
  resultId: string,
  options: EndOptions,
): Promise<ErasedBatch> {
  const account = await lockDueAccount(trx, accountId);
  if (!account) return { results: 0, events: 0, deliveries: 0, resultId: null };
  if (account.status !== 'disconnected') {
    // A network asked for the deletion, but Fanfare was interrupted before it disconnected the account.
    await endAccount(trx, account, options, 'revoked');
    await insertAccountChanges(trx, [account], 'disconnected');
  }
  if (!account.is_erased) {
    await eraseAccounts(trx, [account]);
    await insertAccountChanges(trx, [account], 'erased');
  }
  const results = await lockResults(trx, accountId, resultId);
  const postIds = results.map(({ post_id }) => post_id);
  const { events, deliveries, successes } = await deleteEventsOf(trx, account, postIds);
  // The posts of these results may have more events. The results are erased once a batch finds no event.
  if (events > 0) {
    await keepSuccesses(trx, successes);
    return { results: 0, events, deliveries, resultId };
  }
  const ids = results.map(({ id }) => id);
  const erased = await eraseResults(trx, account, ids);
  const isLast = ids.length < batchSize;
  if (isLast) await endErasure(trx, accountId);
  return { results: erased, events, deliveries, resultId: isLast ? null : ids.at(-1)! };
}

/** Undefined: the account is erased, or was connected again. */
function lockDueAccount(trx: Transaction, id: string): Promise<SocialAccountRow | undefined> {
  return trx
    .selectFrom('social_accounts')
    .selectAll()
    .where('id', '=', id)
    .where('erase_at', '<=', sql<Date>`now()`)
    .forUpdate()
    .executeTakeFirst();
}

/**
 * Locks results whose posts are not being published, so that no call can change them. A transaction that
 * records an event of a post locks the post first, so no new event can show the results.
 */
async function lockResults(trx: Transaction, accountId: string, after: string) {
  const { rows } = await sql<{ id: string; post_id: string }>`
    select r.id, r.post_id from post_results r join posts p on p.id = r.post_id
    where r.social_account_id = ${accountId} and r.id > ${after} and not r.is_erased
      and p.status <> 'pending'
    order by r.id limit ${batchSize} for no key update skip locked`.execute(trx);
  return rows;
}

/**
 * SQL on events: whether the account's erasure may delete them. The erasure of a test account deletes no
 * events of production.
 */
const isOfAccount = ({ environment }: SocialAccountRow) =>
  sql<boolean>`(environment = 'test' or ${environment} = 'production')`;

/** Each subquery uses an index. A condition with `or` might read all events in the order of their ids. */
function deleteEventsOf(trx: Transaction, account: SocialAccountRow, postIds: string[]) {
  const found = sql`id = any (array(
    (select id from events where social_account_id = ${account.id}
      order by created_at limit ${maxEvents})
    union all
    (select id from events where post_id = any (${postIds}::text[]) and ${isOfAccount(account)}
      order by created_at limit ${maxEvents})))`;
  return deleteEventsWhere(trx, found);
}

/**
 * Erases the results whose post has no event left, and deletes their attempts. A late answer to a call then
 * finds no attempt to write to.
 */
async function eraseResults(
  trx: Transaction,
  account: SocialAccountRow,
  ids: string[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with erased as (
      update post_results r
      set is_erased = true, operation = null, account_name = ${erasedName}, external_id = null, url = null,
        in_reply_to = null, content_hash = null, error_message = null, platform_error_code = null,
        provider_error = null, provider_state = null, provider_state_key_id = null
      where id = any (${ids}::text[])
        and (select id from events where post_id = r.post_id and ${isOfAccount(account)} limit 1) is null
      returning id
    ), attempt as (
      delete from post_attempts where result_id = any (array(select id from erased))
    ), change as (
      delete from result_changes where result_id = any (array(select id from erased))
    )
    select count(*)::int as count from erased`.execute(trx);
  return rows[0]!.count;
}

/** Does nothing while a result or an event is left. */
async function endErasure(trx: Transaction, accountId: string): Promise<void> {
  await sql`
    update social_accounts set erase_at = null
    where id = ${accountId}
      and (select id from post_results
        where social_account_id = ${accountId} and not is_erased limit 1) is null
      and (select id from events where social_account_id = ${accountId} limit 1) is null`.execute(
    trx,
  );
}
