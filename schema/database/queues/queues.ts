// Queries on queues.
import { sql, type InsertObject, type UpdateObject } from 'kysely';
import { notFound } from '../../wire/errors.ts';
import type { Slice } from '../../wire/listing.ts';
import { selectInScope, updateOfProject, type RowScope } from '../row-scope.ts';
import type { Database, Db, QueueRow, Transaction } from '../tables.ts';

export function insertQueue(
  trx: Transaction,
  queue: InsertObject<Database, 'queues'>,
): Promise<QueueRow> {
  return trx.insertInto('queues').values(queue).returningAll().executeTakeFirstOrThrow();
}

export function findQueue(db: Db, scope: RowScope, id: string): Promise<QueueRow | undefined> {
  return selectInScope(db, scope, 'queues').where('id', '=', id).executeTakeFirst();
}

export async function getQueueRow(db: Db, scope: RowScope, id: string): Promise<QueueRow> {
  const row = await findQueue(db, scope, id);
  if (!row) throw notFound('queue', id);
  return row;
}

export function listQueueRows(
  db: Db,
  scope: RowScope,
  { limit, before }: Slice,
): Promise<QueueRow[]> {
  return selectInScope(db, scope, 'queues')
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export async function listQueuesById(db: Db, scope: RowScope, ids: string[]): Promise<QueueRow[]> {
  if (ids.length === 0) return [];
  return selectInScope(db, scope, 'queues').where('id', 'in', ids).execute();
}

const maxListed = 100;

/** Up to 100 other queues of any of these accounts, the oldest first. */
export function listQueuesOfAccounts(
  db: Db,
  scope: RowScope,
  { accountIds, except }: { accountIds: readonly string[]; except: string },
): Promise<QueueRow[]> {
  return selectInScope(db, scope, 'queues')
    .where(sql<boolean>`account_ids && ${accountIds}::text[]`)
    .where('id', '<>', except)
    .orderBy('id')
    .limit(maxListed)
    .execute();
}

/**
 * Transactions that give out slots of the queue, move its posts or change it hold this lock, so they run one after
 * the other. Take it before the locks of posts. A slot may be freed without it.
 */
export function findLockedQueue(
  trx: Transaction,
  scope: RowScope,
  id: string,
): Promise<QueueRow | undefined> {
  return selectInScope(trx, scope, 'queues')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function lockQueue(trx: Transaction, scope: RowScope, id: string): Promise<QueueRow> {
  const row = await findLockedQueue(trx, scope, id);
  if (!row) throw notFound('queue', id);
  return row;
}

export async function setQueue(
  trx: Transaction,
  projectId: string,
  id: string,
  changes: UpdateObject<Database, 'queues'>,
): Promise<QueueRow> {
  return updateOfProject(trx, projectId, 'queues', id)
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Frees its slots too. Its posts stay, with their times. */
export async function deleteQueueRow(
  trx: Transaction,
  projectId: string,
  id: string,
): Promise<void> {
  await trx.deleteFrom('queues').where('project_id', '=', projectId).where('id', '=', id).execute();
}
