// The slots that posts of a queue have. The caller has read or locked the queue in its project.
import { sql } from 'kysely';
import type { Db, QueueSlotRow, Transaction } from '../tables.ts';

/** The first of these times, in their order, that no post has. */
const firstFree = (queueId: string, candidates: readonly Date[]) => sql`
  from unnest(${candidates}::timestamptz[]) as candidate (at)
  where not exists (
    select from queue_slots where queue_id = ${queueId} and queue_slots.at = candidate.at)
  order by candidate.at limit 1`;

export async function findFreeSlot(
  db: Db,
  queueId: string,
  candidates: readonly Date[],
): Promise<Date | undefined> {
  const { rows } = await sql<{
    at: Date;
  }>`select candidate.at ${firstFree(queueId, candidates)}`.execute(db);
  return rows[0]?.at;
}

/** Takes the first free slot of these. The post may be inserted later in the transaction. */
export async function takeFreeSlot(
  trx: Transaction,
  { queueId, postId }: { queueId: string; postId: string },
  candidates: readonly Date[],
): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date }>`
    insert into queue_slots (queue_id, at, post_id)
    select ${queueId}, candidate.at, ${postId} ${firstFree(queueId, candidates)}
    on conflict (queue_id, at) do nothing
    returning at`.execute(trx);
  return rows[0]?.at;
}

export async function findLastSlot(db: Db, queueId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('queue_slots')
    .select('at')
    .where('queue_id', '=', queueId)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.at;
}

/** In the order of their times. Without `to`, all from `from` on. */
export function listTakenSlots(
  db: Db,
  queueId: string,
  { from, to }: { from: Date; to?: Date },
): Promise<QueueSlotRow[]> {
  return db
    .selectFrom('queue_slots')
    .selectAll()
    .where('queue_id', '=', queueId)
    .where('at', '>=', from)
    .$if(to !== undefined, (query) => query.where('at', '<', to!))
    .orderBy('at')
    .execute();
}

export interface SlotMove {
  post_id: string;
  at: Date;
}

/** The posts have slots of the queue, and get these instead. */
export async function moveSlots(
  trx: Transaction,
  queueId: string,
  moves: readonly SlotMove[],
): Promise<void> {
  // One statement would meet slots that it has not freed yet.
  await sql`
    delete from queue_slots
    where queue_id = ${queueId} and post_id = any(${moves.map(({ post_id }) => post_id)}::text[])`.execute(
    trx,
  );
  await sql`
    insert into queue_slots (queue_id, at, post_id)
    select ${queueId}, at, post_id
    from jsonb_to_recordset(${JSON.stringify(moves.map(({ post_id, at }) => ({ post_id, at })))}::jsonb) as move (post_id text, at timestamptz)`.execute(
    trx,
  );
}

export async function freeSlot(trx: Transaction, postId: string): Promise<void> {
  await trx.deleteFrom('queue_slots').where('post_id', '=', postId).execute();
}
