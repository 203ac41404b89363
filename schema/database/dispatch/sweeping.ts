// Finds work without progress, and releases it for a new workflow.
import { sql } from 'kysely';
import { ago } from '../database-clock.ts';
import { insertPublishPost, isInOutbox } from '../outbox.ts';
import type { Notifier } from '../notifier.ts';
import type { Db } from '../tables.ts';
import { inTransaction } from '../transaction.ts';
import { isOpenRow } from '../posts/targets.ts';
import { lockPostAfterResults } from '../posts/changes.ts';
import { insertReplayWorkflow, lockRunningReplay, setReplay } from '../webhooks/replays.ts';
import { isUnderPause } from '../pauses.ts';
import { deliverEventsWorkflowId } from '../../workflows.ts';

/** Rows per sweep. The next sweep continues with the rest. */
export const maxPerSweep = 200;

/** True for one caller per interval. */
export async function claimSweep(db: Db, everyMs: number): Promise<boolean> {
  const taken = await db
    .updateTable('sweeps')
    .set({ swept_at: sql<Date>`now()` })
    .where('swept_at', '<', ago(everyMs))
    .returning('swept_at')
    .executeTakeFirst();
  return taken !== undefined;
}

/**
 * Batches that no relay attempts or starts, in id order, starting after `after`, where the last sweep ended.
 */
export async function listOverdueBatches(
  db: Db,
  overdueMs: number,
  after: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('deliveries')
    .select('batch_id')
    .distinct()
    .where('status', 'in', ['pending', 'retrying'])
    .where('next_attempt_at', '<', ago(overdueMs))
    .where('batch_id', '>', after)
    .where(
      sql<boolean>`not exists (
        select from outbox where outbox.workflow_id = ${sql.lit(deliverEventsWorkflowId(''))} || batch_id)`,
    )
    .orderBy('batch_id')
    .limit(maxPerSweep)
    .execute();
  return rows.map((row) => row.batch_id!);
}

/**
 * Releases the batch's unfinished deliveries, or only those with these ids. The relay claims these deliveries
 * like new ones, but their rows keep their place in the retry schedule.
 */
export async function releaseBatch(
  db: Db,
  notifier: Notifier,
  batchId: string,
  deliveryIds?: string[],
): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ batch_id: null })
    .where('batch_id', '=', batchId)
    .where('status', 'in', ['pending', 'retrying'])
    .$if(deliveryIds !== undefined, (query) =>
      query.where('id', '=', sql<string>`any(${deliveryIds})`),
    )
    .execute();
  notifier.notify('fanfare_deliveries');
}

/**
 * SQL: a pause holds targets of the post, and every other open target waits for the target that it replies
 * to. Such a post needs no workflow.
 */
const isHeldByPause = sql<boolean>`(
  exists (
    select from post_results as held
    where held.post_id = posts.id and held.is_paused and ${isOpenRow('held')}
      and ${isUnderPause('held')})
  and not exists (
    select from post_results as r left join post_results as answered on answered.id = r.answers_result_id
    where r.post_id = posts.id and ${isOpenRow('r')}
      and not (r.is_paused and ${isUnderPause('r')})
      and (answered.id is null or not ${isOpenRow('answered')})))`;

/** Posts that are long overdue and have made no progress for long, although no pause or wait holds them. */
export async function listOverduePosts(
  db: Db,
  overdueMs: number,
): Promise<{ id: string; workflow_id: string | null }[]> {
  return db
    .selectFrom('posts')
    .select(['id', 'workflow_id'])
    .where('status', 'in', ['pending', 'scheduled'])
    .where('progressed_at', '<', ago(overdueMs))
    .where((eb) => eb.or([eb('scheduled_at', 'is', null), eb('scheduled_at', '<', ago(overdueMs))]))
    .where(
      sql<boolean>`not exists (
        select from post_results where post_id = posts.id and next_attempt_at > ${ago(overdueMs)})`,
    )
    .where((eb) => eb.not(isInOutbox('posts')))
    .where((eb) => eb.not(isHeldByPause))
    .orderBy('progressed_at')
    .limit(maxPerSweep)
    .execute();
}

/**
 * Gives the post a new run. False: the post has ended, or has another workflow by now. `isRestored`: the
 * workflow may have done more than the restored row shows, so the targets are checked at their networks.
 */
export async function restartPost(
  db: Db,
  notifier: Notifier,
  postId: string,
  workflowIdBefore: string | null,
  { isRestored = false } = {},
): Promise<boolean> {
  return inTransaction(db, notifier, async (trx) => {
    const post = await lockPostAfterResults(trx, postId);
    const isOpen = post?.status === 'pending' || post?.status === 'scheduled';
    if (!isOpen || post.workflow_id !== workflowIdBefore) return false;
    const run = post.current_run + 1;
    const workflowId = await insertPublishPost(
      trx,
      post.project_id,
      { postId, run },
      post.scheduled_at,
    );
    await trx
      .updateTable('posts')
      .set({
        current_run: run,
        workflow_id: workflowId,
        progressed_at: sql<Date>`now()`,
        // A due post may already be public, so it can no longer be changed or canceled as a whole.
        status: sql`case when due_at <= now() then 'pending' else status end`,
        ...(isRestored && { restored_at: sql<Date>`now()` }),
      })
      .where('id', '=', postId)
      .execute();
    // The new run finds out itself whether a pause or a limit still holds these targets.
    await trx
      .updateTable('post_results')
      .set({ is_paused: false, clock: sql`clock - 'rateLimitedSinceMs' - 'quotaSinceMs'` })
      .where('post_id', '=', postId)
      .where(isOpenRow('post_results'))
      .execute();
    return true;
  });
}

/** Lists replays in random order, so that running replays don't hide replays whose workflow is lost. */
export function listRunningReplays(
  db: Db,
  overdueMs: number,
): Promise<{ id: string; workflow_id: string }[]> {
  return db
    .selectFrom('replays')
    .select(['id', 'workflow_id'])
    .where('status', '=', 'running')
    .where('created_at', '<', ago(overdueMs))
    .where((eb) => eb.not(isInOutbox('replays')))
    .orderBy(sql`random()`)
    .limit(maxPerSweep)
    .execute();
}

/** Continues after the lost workflow's last batch. False: the replay has ended, or has another workflow. */
export async function restartReplay(
  db: Db,
  notifier: Notifier,
  replayId: string,
  lostWorkflowId: string,
): Promise<boolean> {
  return inTransaction(db, notifier, async (trx) => {
    const replay = await lockRunningReplay(trx, replayId);
    if (replay?.workflow_id !== lostWorkflowId) return false;
    const workflow_id = await insertReplayWorkflow(trx, replay.project_id, replayId);
    await setReplay(trx, replay.project_id, replayId, { workflow_id });
    return true;
  });
}
