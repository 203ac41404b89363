// Queries on data deletions, which users request at a network. The rows name accounts only by our own IDs.
import { sql } from 'kysely';
import type { DataDeletionRow, Db, PlatformAppRow, Transaction } from '../tables.ts';

/**
 * Adds the accounts to the deletion with this code, or creates it. If the network repeats its call, the code
 * is the same. The deletion ends when everything that the accounts left behind is erased.
 */
export async function addDataDeletion(
  trx: Transaction,
  code: string,
  app: Pick<PlatformAppRow, 'id' | 'project_id'>,
  accountIds: string[],
): Promise<void> {
  await sql`
    insert into data_deletions as known (code, project_id, app_id, social_account_ids)
    values (${code}, ${app.project_id}, ${app.id}, ${accountIds}::text[])
    on conflict (code) do update
    set social_account_ids = known.social_account_ids || excluded.social_account_ids,
      erased_at = case when excluded.social_account_ids = '{}' then known.erased_at end`.execute(
    trx,
  );
}

/** Finds the deletion for its page, which proves its access with the code. */
export function findDataDeletion(db: Db, code: string): Promise<DataDeletionRow | undefined> {
  return db.selectFrom('data_deletions').selectAll().where('code', '=', code).executeTakeFirst();
}

/**
 * Ends the deletions whose accounts left nothing behind, or were connected again. Returns the number of ended
 * deletions. Without `code`, ends all such deletions.
 */
export async function endDataDeletions(db: Db, code?: string): Promise<number> {
  const { numAffectedRows } = await sql`
    update data_deletions deletion set erased_at = now(), social_account_ids = '{}'
    where erased_at is null and ${code === undefined ? sql`true` : sql`code = ${code}`}
      and (select id from social_accounts
        where id = any (deletion.social_account_ids) and erase_at is not null
        limit 1) is null`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
