// Queries on follow-ups: published targets that their networks still work on.
import { sql } from 'kysely';
import { followResultWorkflow, followResultWorkflowId } from '../../../workflows.ts';
import { ago, inMs } from '../../database-clock.ts';
import type { Notifier } from '../../notifier.ts';
import { insertOutbox } from '../../outbox.ts';
import type { Db, Transaction } from '../../tables.ts';
import { inTransaction } from '../../transaction.ts';
import { emptyState } from '../provider-state.ts';
import { findTarget, type TargetRow } from '../targets.ts';

export interface FollowedTarget extends TargetRow {
  follow_at: Date;
  follow_until: Date;
}

/** Undefined: the network has finished, or the post is gone. */
export async function findFollowedTarget(
  db: Db,
  resultId: string,
): Promise<FollowedTarget | undefined> {
  const row = await findTarget(db, resultId);
  return row && isFollowed(row) ? row : undefined;
}

const isFollowed = (row: TargetRow): row is FollowedTarget =>
  row.status === 'published' && row.follow_at !== null;

/** Asks the network again after `waitMs`. */
export async function setFollowAt(db: Db, resultId: string, waitMs: number): Promise<void> {
  await db
    .updateTable('post_results')
    .set({ follow_at: inMs(waitMs) })
    .where('id', '=', resultId)
    .where('follow_at', 'is not', null)
    .execute();
}

export async function endFollowUp(db: Db, resultId: string): Promise<void> {
  await db
    .updateTable('post_results')
    .set({ follow_at: null, follow_until: null, ...emptyState })
    .where('id', '=', resultId)
    .where('follow_at', 'is not', null)
    .execute();
}

/** What a network has finished, with the names of the columns. */
export type FinishedColumns = Partial<Record<'external_id' | 'url' | 'visibility', string>>;

export async function setFinished(
  trx: Transaction,
  resultId: string,
  finished: FinishedColumns,
): Promise<void> {
  await trx.updateTable('post_results').set(finished).where('id', '=', resultId).execute();
}

const maxRestarted = 200;

/**
 * Starts another workflow for each late follow-up. If its own workflow still runs, both keep to the time in the row,
 * so the network isn't asked more often. Returns the IDs of the results.
 */
export function restartFollowUps(db: Db, notifier: Notifier, overdueMs: number): Promise<string[]> {
  return inTransaction(db, notifier, async (trx) => {
    const { rows } = await sql<{ id: string; project_id: string }>`
      update post_results set follow_at = now()
      where id = any (array(
        select id from post_results where follow_at < ${ago(overdueMs)}
        order by follow_at limit ${maxRestarted} for update skip locked))
      returning id, project_id`.execute(trx);
    for (const { id, project_id } of rows) {
      await insertOutbox(trx, {
        projectId: project_id,
        workflow: followResultWorkflow,
        workflowId: (outboxId) => followResultWorkflowId(id, outboxId),
        input: { resultId: id },
      });
    }
    return rows.map(({ id }) => id);
  });
}
