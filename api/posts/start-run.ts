// Asks for a new run of a post that is locked: whatever acts for the run before finds itself superseded.
import { sql } from 'kysely';
import type { PostRow } from '../../schema/database/tables.ts';
import { insertPublishPost } from '../../schema/database/dispatch/outbox.ts';
import { setPost } from '../../schema/database/posts/changes.ts';
import type { Effects } from '../http/transact.ts';

export interface RunStart {
  status: 'scheduled' | 'pending';
  /** Of a scheduled post: the run begins then. Null: at once, and there is no such time any more. */
  scheduledAt: Date | null;
  /** Default: when the run begins. */
  dueAt?: Date | null;
}

export async function startRun(
  { trx, notify }: Effects,
  post: PostRow,
  { status, scheduledAt, dueAt }: RunStart,
): Promise<void> {
  const run = post.current_run + 1;
  const startAt = status === 'scheduled' ? scheduledAt : null;
  const workflowId = await insertPublishPost(trx, { postId: post.id, run }, startAt);
  await setPost(trx, post.id, {
    status,
    scheduled_at: scheduledAt,
    due_at: dueAt ?? startAt ?? sql<Date>`now()`,
    current_run: run,
    workflow_id: workflowId,
  });
  notify('fanfare_outbox');
}
