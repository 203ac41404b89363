// Writes a checked post, its targets and what asks for its workflow, in a transaction that is open.
import { monthOf } from '../../schema/database/accounts/usage.ts';
import { publishPostRow } from '../../schema/database/dispatch/outbox.ts';
import { insertPost, type PostWithResults } from '../../schema/database/posts/posts.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { CreatePost, PostStatus } from '../../schema/posts/posts.ts';
import type { Caller, Context } from '../server/context.ts';
import type { Effects } from '../http/transact.ts';
import { countNewTargets } from './count-usage.ts';
import { toResultRows } from './result-rows.ts';
import type { PlannedTarget } from './checks/targets.ts';

/** A post whose every part has been checked. */
export interface PlannedPost extends Pick<CreatePost, 'caption' | 'metadata'> {
  mediaUrls: string[];
  status: Extract<PostStatus, 'draft' | 'scheduled' | 'pending'>;
  scheduledAt: Date | null;
  targets: PlannedTarget[];
}

/** Throws when an account's monthly limit does not hold its targets. */
export async function writePost(
  context: Context,
  effects: Effects,
  { projectId }: Pick<Caller, 'projectId'>,
  { caption, mediaUrls, metadata, status, scheduledAt, targets }: PlannedPost,
): Promise<PostWithResults> {
  const { trx, notify } = effects;
  const id = newId('post');
  const run = status === 'draft' ? 0 : 1;
  const asked = run === 0 ? undefined : publishPostRow({ postId: id, run }, scheduledAt);
  const usageMonth = run === 0 ? null : monthOf(scheduledAt ?? new Date());
  const written = await insertPost(
    trx,
    {
      id,
      project_id: projectId,
      caption,
      status,
      scheduled_at: scheduledAt,
      media_urls: mediaUrls,
      metadata: JSON.stringify(metadata),
      current_run: run,
      workflow_id: asked?.workflow_id ?? null,
    },
    toResultRows({ id, projectId, usageMonth }, targets),
    asked,
  );
  notify('fanfare_changes');
  if (asked) notify('fanfare_outbox');
  if (usageMonth !== null) {
    await countNewTargets(context, effects, { projectId }, targets, usageMonth);
  }
  return written;
}
