// Writes a checked post, its targets and what asks for its workflow, in a transaction that is open.
import type { Insertable } from 'kysely';
import type { Database } from '../../schema/database/database.ts';
import { insertPublishPost } from '../../schema/database/outbox.ts';
import { getPostRow, insertPost, type PostWithResults } from '../../schema/database/posts.ts';
import { newId } from '../../schema/ids.ts';
import type { CreatePost, PostStatus } from '../../schema/posts.ts';
import type { Caller } from '../context.ts';
import type { Effects } from '../transact.ts';
import type { PlannedTarget } from './targets.ts';

/** A post whose every part has been checked. */
export interface PlannedPost extends Pick<CreatePost, 'caption' | 'metadata'> {
  status: Extract<PostStatus, 'draft' | 'scheduled' | 'pending'>;
  scheduledAt: Date | null;
  targets: PlannedTarget[];
}

export async function writePost(
  { trx, change, ring }: Effects,
  { projectId }: Pick<Caller, 'projectId'>,
  { caption, metadata, status, scheduledAt, targets }: PlannedPost,
): Promise<PostWithResults> {
  const id = newId('post');
  const run = status === 'draft' ? 0 : 1;
  const workflowId =
    run === 0 ? null : await insertPublishPost(trx, { postId: id, run }, scheduledAt);
  await insertPost(
    trx,
    {
      id,
      project_id: projectId,
      caption,
      status,
      scheduled_at: scheduledAt,
      metadata: JSON.stringify(metadata),
      current_run: run,
      workflow_id: workflowId,
    },
    toResultRows({ id, projectId }, targets),
  );
  change({ subject: 'post', subject_id: id, kind: 'created' });
  if (run > 0) ring('fanfare_outbox');
  return getPostRow(trx, projectId, id);
}

/** The rows of a post's targets, in their order. */
export function toResultRows(
  post: { id: string; projectId: string },
  targets: PlannedTarget[],
): Insertable<Database['post_results']>[] {
  return targets.map(({ account, caption, platformOptions }, position) => ({
    id: newId('result'),
    post_id: post.id,
    project_id: post.projectId,
    position,
    social_account_id: account.id,
    platform: account.platform,
    account_name: account.account_name,
    caption,
    platform_options: JSON.stringify(platformOptions),
    status: 'pending',
    phase: 'prepare',
    phase_state: 'ready',
  }));
}
