// Work that should have moved by now, and how it is set free for a new workflow.
import { sql } from 'kysely';
import { ago, inMs } from '../ago.ts';
import { insertPublishPost } from './outbox.ts';
import type { Db } from '../tables.ts';
import { isOpenRow } from '../posts/open-results.ts';
import { lockPostAfterResults } from '../posts/changes.ts';
import { insertReplayWorkflow, lockRunningReplay, setReplay } from '../webhooks/replays.ts';
import { isUnderPause } from './pauses.ts';

/** A sweep looks at this much; the rest waits for the next one. */
export const maxPerSweep = 200;

/** True for one caller per interval. */
export async function takeSweep(db: Db, everyMs: number): Promise<boolean> {
  const taken = await db
    .updateTable('sweeps')
    .set({ swept_at: sql<Date>`now()` })
    .where('swept_at', '<', ago(everyMs))
    .returning('swept_at')
    .executeTakeFirst();
  return taken !== undefined;
}

/** In the order of their ids, those after `after`: a sweep goes on where the last one ended. */
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
    .orderBy('batch_id')
    .limit(maxPerSweep)
    .execute();
  return rows.map((row) => row.batch_id!);
}

/**
 * The relay then takes the batch's unfinished deliveries as new ones, or those with these ids alone;
 * their rows keep the retry schedule.
 */
export async function releaseBatch(db: Db, batchId: string, deliveryIds?: string[]): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ batch_id: null })
    .where('batch_id', '=', batchId)
    .where('status', 'in', ['pending', 'retrying'])
    .$if(deliveryIds !== undefined, (query) =>
      query.where('id', '=', sql<string>`any(${deliveryIds})`),
    )
    .execute();
}

/**
 * Targets of the post are held by a pause, and no other of its targets is on its way, but those that
 * answer one on its way: nobody carries it, rightly.
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

/** The relay has not started the post's workflow yet. */
const isAskedFor = sql<boolean>`exists (
  select from outbox where outbox.workflow_id = posts.workflow_id)`;

/** Posts whose time came, or whose last step was made, long ago, and whose targets wait for nothing. */
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
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('post_results')
            .select('id')
            .whereRef('post_id', '=', 'posts.id')
            .where('next_attempt_at', '>', ago(overdueMs)),
        ),
      ),
    )
    .where((eb) => eb.not(isAskedFor))
    .where((eb) => eb.not(isHeldByPause))
    .orderBy('progressed_at')
    .limit(maxPerSweep)
    .execute();
}

/**
 * Scheduled posts whose workflow was started and that are due within `aheadMs`, in the order of their
 * times, those after `after`. `listOverduePosts` lists those that are overdue by more than `overdueMs`.
 */
export function listComingPosts(
  db: Db,
  { aheadMs, overdueMs, after }: { aheadMs: number; overdueMs: number; after: ComingPost | null },
): Promise<ComingPost[]> {
  return (
    db
      .selectFrom('posts')
      .select(['id', 'workflow_id', 'scheduled_at'])
      // Not as a parameter: the index on scheduled posts has these words.
      .where(sql<boolean>`status = 'scheduled'`)
      .where('scheduled_at', '<', inMs(aheadMs))
      .where('scheduled_at', '>=', after?.scheduled_at ?? ago(overdueMs))
      .$if(after !== null, (query) =>
        query.where(sql<boolean>`(scheduled_at, id) > (${after!.scheduled_at}, ${after!.id})`),
      )
      .where((eb) => eb.not(isAskedFor))
      .orderBy('scheduled_at')
      .orderBy('id')
      .limit(maxPerSweep)
      .execute() as Promise<ComingPost[]>
  );
}

export interface ComingPost {
  id: string;
  workflow_id: string | null;
  scheduled_at: Date;
}

/**
 * A new run: whatever still acts for the old one finds itself superseded. False: the post has ended, or
 * another workflow carries it by now. `isRestored`: the row is older than what its workflow did, so its
 * targets are checked at their networks.
 */
export async function restartPost(
  db: Db,
  postId: string,
  workflowIdBefore: string | null,
  { isRestored = false } = {},
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const post = await lockPostAfterResults(trx, postId);
    const isOpen = post?.status === 'pending' || post?.status === 'scheduled';
    if (!isOpen || post.workflow_id !== workflowIdBefore) return false;
    const run = post.current_run + 1;
    const workflowId = await insertPublishPost(trx, { postId, run }, post.scheduled_at);
    await trx
      .updateTable('posts')
      .set({
        current_run: run,
        workflow_id: workflowId,
        progressed_at: sql<Date>`now()`,
        // What is due is on its way, and may even be public: no time to change or cancel it as a whole.
        status: sql`case when due_at <= now() then 'pending' else status end`,
        ...(isRestored && { restored_at: sql<Date>`now()` }),
      })
      .where('id', '=', postId)
      .execute();
    // Where a pause or a limit still holds one of them, the new run finds it: meanwhile nobody asked.
    await trx
      .updateTable('post_results')
      .set({ is_paused: false, clock: sql`clock - 'rateLimitedSinceMs'` })
      .where('post_id', '=', postId)
      .where(isOpenRow('post_results'))
      .execute();
    return true;
  });
}

/** Old enough to be looked at; by chance, so that those that run don't hide the lost ones. */
export function listRunningReplays(
  db: Db,
  overdueMs: number,
): Promise<{ id: string; workflow_id: string }[]> {
  return db
    .selectFrom('replays')
    .select(['id', 'workflow_id'])
    .where('status', '=', 'running')
    .where('created_at', '<', ago(overdueMs))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('outbox')
            .select('id')
            .whereRef('outbox.workflow_id', '=', 'replays.workflow_id'),
        ),
      ),
    )
    .orderBy(sql`random()`)
    .limit(maxPerSweep)
    .execute();
}

/** A new workflow goes on where the lost one's last batch ended. False: it has ended, or another carries it. */
export async function restartReplay(
  db: Db,
  replayId: string,
  lostWorkflowId: string,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const replay = await lockRunningReplay(trx, replayId);
    if (replay?.workflow_id !== lostWorkflowId) return false;
    await setReplay(trx, replayId, { workflow_id: await insertReplayWorkflow(trx, replayId) });
    return true;
  });
}
