// Puts deliveries on a new retry schedule for a replay, and inserts the missing ones.
import { sql } from 'kysely';
import { idAt } from '../../wire/ids.ts';
import { insertChanges, insertionOf } from '../live/changes.ts';
import type { ReplayRow, Transaction } from '../tables.ts';

/**
 * Reopens the existing rows, which keep their logs. Returns how many still had a status that the replay
 * matches. `delivered_at` stays, because the webhook's last delivery is read from it. Manual deliveries lose
 * their `delivered_at`, and no longer count as manual.
 */
export async function reopenDeliveries(
  trx: Transaction,
  { id: replayId, statuses }: ReplayRow,
  ids: string[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with wanted as (
      select id from deliveries
      where id = any(${ids}::text[]) and status = any(${statuses}::text[])
      order by id for update
    ), reopened as (
      update deliveries d set
        status = 'pending', trigger = 'replay', ladder_start = d.scheduled_attempts,
        next_attempt_at = now(), batch_id = null, concluded_at = null, failed_at = null,
        delivered_at = case when not d.is_delivered_manually then d.delivered_at end,
        is_delivered_manually = false, replay_id = ${replayId}
      from wanted where d.id = wanted.id
      returning d.id, d.project_id
    ), change as (
      ${insertionOf(trx, { subject: 'delivery', kind: 'replayed', from: sql`reopened` })}
    )
    select count(*)::int as count from reopened`.execute(trx);
  const { count } = rows[0]!;
  if (count > 0) trx.notifyAfterCommit('fanfare_deliveries');
  return count;
}

/**
 * Inserts deliveries of events that have no delivery to this webhook. The IDs have the times of the events.
 */
export async function insertMissingDeliveries(
  trx: Transaction,
  { id: replayId, project_id, webhook_id }: ReplayRow,
  eventIds: string[],
): Promise<number> {
  const events = await trx
    .selectFrom('events')
    .select(['id', 'kind', 'created_at'])
    .where('project_id', '=', project_id)
    .where('id', '=', sql<string>`any(${eventIds}::text[])`)
    .orderBy('id')
    // Pruning must not delete these events meanwhile, since a delivery without its event could never be sent.
    .forKeyShare()
    .execute();
  if (events.length === 0) return 0;
  const inserted = await trx
    .insertInto('deliveries')
    .values(
      events.map(({ id, kind, created_at }) => ({
        id: idAt('delivery', created_at),
        project_id,
        webhook_id,
        event_id: id,
        event: kind,
        status: 'pending',
        trigger: 'replay',
        next_attempt_at: sql<Date>`now()`,
        created_at,
        replay_id: replayId,
      })),
    )
    .onConflict((conflict) => conflict.columns(['event_id', 'webhook_id']).doNothing())
    .returning('id')
    .execute();
  await insertChanges(
    trx,
    inserted.map(({ id }) => ({
      project_id,
      subject: 'delivery',
      subject_id: id,
      kind: 'created',
    })),
  );
  if (inserted.length > 0) trx.notifyAfterCommit('fanfare_deliveries');
  return inserted.length;
}
