// Starts runs of posts, claims them for their workflow, and lists their open targets.
import { sql } from 'kysely';
import type { PostSchedule } from '../../posts/schedule.ts';
import type { PublishPostInput } from '../../workflows.ts';
import { msUntil } from '../database-clock.ts';
import { insertionOf } from '../live/changes.ts';
import type { Notifier } from '../notifier.ts';
import { insertPublishPost } from '../outbox.ts';
import { executePrepared } from '../prepared.ts';
import type { Db, PostResultRow, PostRow, Transaction, Writer } from '../tables.ts';
import { inStatement } from '../transaction.ts';
import { setPost } from './changes.ts';
import { isOpenRow } from './targets.ts';

interface RunStart {
  status: 'scheduled' | 'pending';
  /** Start of a scheduled post's run. Null: now. */
  scheduledAt: Date | null;
  /** The local time of `scheduledAt`. */
  schedule: PostSchedule | null;
  /** Default: the start of the run. */
  dueAt?: Date | null;
}

/** Starts a new run of a post that `trx` has locked. The run before it is superseded. */
export async function startRun(
  trx: Transaction,
  post: PostRow,
  { status, scheduledAt, schedule, dueAt }: RunStart,
): Promise<void> {
  const run = post.current_run + 1;
  const startAt = status === 'scheduled' ? scheduledAt : null;
  const workflowId = await insertPublishPost(
    trx,
    post.project_id,
    { postId: post.id, run },
    startAt,
  );
  await setPost(trx, post.project_id, post.id, {
    status,
    scheduled_at: scheduledAt,
    schedule: schedule && JSON.stringify(schedule),
    due_at: dueAt ?? startAt ?? sql<Date>`now()`,
    run_due_at: startAt ?? sql<Date>`now()`,
    current_run: run,
    workflow_id: workflowId,
  });
}

const lockedWaitMs = 500;

/** A run that belongs to the workflow that claims it. */
export interface ClaimedRun extends PublishPostInput {
  projectId: string;
  /**
   * `early`: the post is scheduled, and can be claimed in `waitMs`. `locked`: another transaction has locked the
   * post. `over`: the run has ended.
   */
  state: 'claimed' | 'early' | 'locked' | 'over';
  /** When to claim again. 0 for `claimed` and `over`. */
  waitMs: number;
}

/**
 * Claims the runs for their workflow. Leaves out runs that no longer belong to the workflow. The same workflow
 * may claim a run again, because the first answer may have been lost. A single run waits for a locked post; of
 * several runs, none waits.
 */
export async function claimRuns(
  db: Db,
  notifier: Notifier,
  posts: readonly PublishPostInput[],
  workflowId: string,
): Promise<ClaimedRun[]> {
  const from = sql`claimed where started_run < current_run`;
  const isGroup = posts.length > 1;
  const statement = (writer: Writer) => sql<ClaimedRun>`
    with asked as materialized (
      select id, run from unnest(${posts.map(({ postId }) => postId)}::text[],
        ${posts.map(({ run }) => run)}::int[]) as t (id, run)
    ), own as materialized (
      select posts.id, project_id, run from posts
      join asked on asked.id = posts.id and run = current_run
      where workflow_id = ${workflowId}
    ), locked as (
      select posts.id, project_id, current_run, started_run, concluded_run, status, scheduled_at
      from posts join asked on asked.id = posts.id and run = current_run
      where workflow_id = ${workflowId}
      order by posts.id for update of posts ${isGroup ? sql`skip locked` : sql``}
    ), found as (
      select id, project_id, current_run, started_run,
        case when concluded_run >= current_run or status not in ('scheduled', 'pending') then 'over'
          when scheduled_at > now() then 'early' else 'claimed' end as state,
        ceil(greatest(${msUntil(sql.ref('scheduled_at'))}, 0)) as wait_ms
      from locked
    ), claimed as (
      select * from found where state = 'claimed'
    ), change as (
      ${insertionOf(writer, { subject: 'post', kind: 'started', from })}
    ), begun as (
      update posts set status = 'pending', started_run = claimed.current_run, progressed_at = now()
      from claimed where posts.id = claimed.id
    )
    select id as "postId", current_run as run, project_id as "projectId", state,
      coalesce(wait_ms, 0) as "waitMs"
    from found
    union all
    select id, run, project_id, 'locked', ${lockedWaitMs}::float8
    from own where id <> all (array(select id from locked))`;
  return inStatement(db, notifier, (writer) =>
    executePrepared(writer, isGroup ? 'claim_runs' : 'claim_run', statement(writer)),
  );
}

export type OpenTarget = Pick<PostResultRow, 'id' | 'post_id' | 'answers_result_id'>;

/** Targets and comments of these posts that have not ended. */
export async function listOpenTargets(db: Db, postIds: readonly string[]): Promise<OpenTarget[]> {
  if (postIds.length === 0) return [];
  const targets = db
    .selectFrom('post_results')
    .select(['id', 'post_id', 'answers_result_id'])
    .where('post_id', '=', sql<string>`any(${postIds}::text[])`)
    .where(isOpenRow('post_results'))
    .orderBy('post_id')
    .orderBy('position');
  return executePrepared(db, 'list_open_targets', targets);
}
