// The outbox: what Temporal must be told, written in the transaction that decides it.
import { sql } from 'kysely';
import { newId } from '../ids.ts';
import type { Db, OutboxRow } from './database.ts';
import { publishPostWorkflow, publishPostWorkflowId, type PublishPostInput } from '../workflows.ts';

/** A row claimed but still here after this long is told again: its relay died or Temporal was away. */
export const outboxClaimMs = 2_000;

/** Asks for a run of `publishPost`. The workflow id names the row, so that telling it twice is harmless. */
export async function insertPublishPost(
  db: Db,
  input: PublishPostInput,
  startAt: Date | null,
): Promise<void> {
  const id = newId('outbox');
  await db
    .insertInto('outbox')
    .values({
      id,
      workflow: publishPostWorkflow,
      workflow_id: publishPostWorkflowId(input.postId, id),
      input: JSON.stringify(input),
      start_at: startAt,
    })
    .execute();
}

/** Takes rows to tell, oldest first, past those that another relay holds. */
export async function claimOutbox(db: Db, limit: number): Promise<OutboxRow[]> {
  const waiting = db
    .selectFrom('outbox')
    .select('id')
    .where((eb) =>
      eb.or([
        eb('claimed_at', 'is', null),
        eb('claimed_at', '<', sql<Date>`now() - ${outboxClaimMs} * interval '1 ms'`),
      ]),
    )
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return db
    .updateTable('outbox')
    .set({ claimed_at: sql<Date>`now()` })
    .where('id', 'in', waiting)
    .returningAll()
    .execute();
}

export async function deleteOutbox(db: Db, ids: string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('outbox').where('id', 'in', ids).execute();
}
