// Queries on requests of users at networks to have their data deleted. They name accounts only by our own IDs.
import { sql } from 'kysely';
import type { DataDeletionRow, Db, PlatformAppRow, Transaction } from '../tables.ts';

/** Does nothing if the code is known: the network has repeated its call. */
export async function addDataDeletion(
  db: Db,
  code: string,
  app: Pick<PlatformAppRow, 'id' | 'project_id'>,
): Promise<void> {
  await db
    .insertInto('data_deletions')
    .values({ code, project_id: app.project_id, app_id: app.id })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** For the page of the deletion, which proves its access with the code. */
export function findDataDeletion(db: Db, code: string): Promise<DataDeletionRow | undefined> {
  return db.selectFrom('data_deletions').selectAll().where('code', '=', code).executeTakeFirst();
}

/** The deletion ends when all that these accounts left behind is erased too. */
export async function addDeletedAccounts(
  trx: Transaction,
  code: string,
  accountIds: string[],
): Promise<void> {
  if (accountIds.length === 0) return;
  await trx
    .updateTable('data_deletions')
    .set({
      social_account_ids: sql<string[]>`social_account_ids || ${accountIds}::text[]`,
      erased_at: null,
    })
    .where('code', '=', code)
    .execute();
}

/** Ends the deletions whose accounts left nothing behind. Returns how many. Default: all of them. */
export async function endDataDeletions(db: Db, code?: string): Promise<number> {
  const { numAffectedRows } = await sql`
    update data_deletions deletion set erased_at = now(), social_account_ids = '{}'
    where erased_at is null and ${code === undefined ? sql`true` : sql`code = ${code}`}
      and (select id from social_accounts
        where id = any (deletion.social_account_ids) and (erase_at is not null or not is_erased)
        limit 1) is null`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
