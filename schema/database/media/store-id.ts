// The ID of the store in whose folder the bytes of this database's media are.
import { sql } from 'kysely';
import type { Db } from '../tables.ts';

/** Undefined: no folder is in use yet. */
export async function findStoreId(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('media_stores').select('store_id').executeTakeFirst();
  return row?.store_id;
}

/** Until the end of the transaction, no other process chooses a folder. */
export async function lockStoreId(trx: Db): Promise<string | undefined> {
  await sql`lock table media_stores in exclusive mode`.execute(trx);
  return findStoreId(trx);
}

export async function insertStoreId(trx: Db, storeId: string): Promise<void> {
  await trx.insertInto('media_stores').values({ store_id: storeId }).execute();
}
