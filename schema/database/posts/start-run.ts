// Starts new runs of posts.
import { sql } from 'kysely';
import type { PostSchedule } from '../../posts/schedule.ts';
import { insertPublishPost } from '../outbox.ts';
import type { PostRow, Transaction } from '../tables.ts';
import { setPost } from './changes.ts';

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
