// The ID of the store in whose folder the bytes of this database's media are.
import { sql } from 'kysely';
import type { Db } from '../tables.ts';

/** Undefined: no folder is in use yet. */
export async function findStoreId(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('media_stores').select('store_id').executeTakeFirst();
  return row?.store_id;
}

/**
 * Until the end of the transaction, no other process chooses or marks a folder. `is_marked`: a marker was
 * already written to the folder.
 */
export async function lockStore(trx: Db) {
  await sql`lock table media_stores in exclusive mode`.execute(trx);
  return trx.selectFrom('media_stores').select(['store_id', 'is_marked']).executeTakeFirst();
}

export async function setStoreMarked(trx: Db): Promise<void> {
  await trx.updateTable('media_stores').set({ is_marked: true }).execute();
}

export async function insertStoreId(trx: Db, storeId: string): Promise<void> {
  await trx.insertInto('media_stores').values({ store_id: storeId }).execute();
}
