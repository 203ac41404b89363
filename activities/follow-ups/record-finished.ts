// Records what a network has finished since it published a target, with a change for the live feed and an event.
import { insertChanges } from '../../schema/database/live/changes.ts';
import { lockPostAfterResults } from '../../schema/database/posts/changes.ts';
import {
  setFinished,
  type FinishedColumns,
  type FollowedTarget,
} from '../../schema/database/posts/after-publishing/follow-ups.ts';
import { listResults } from '../../schema/database/posts/posts.ts';
import { setChanged } from '../../schema/database/posts/after-publishing/result-changes.ts';
import type { PostResultRow, Transaction } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { recordTargetEvent } from '../changes/record-change.ts';
import type { Finished } from '../platforms/platform.ts';
import type { FollowDependencies } from './dependencies.ts';

/** Writes what has changed. An ID is never replaced, since replies may name it. */
export async function recordFinished(
  { db, notifier, previewEvents }: FollowDependencies,
  row: FollowedTarget,
  finished: Finished,
): Promise<void> {
  if (namesOf(changesOf(row, finished)).length === 0) return;
  const { id, post_id, project_id: projectId } = row;
  await inTransaction(db, notifier, async (trx) => {
    const found = await lockPublished(trx, row);
    if (!found) return;
    const { post, result } = found;
    const changes = changesOf(result, finished);
    const changed = namesOf(changes);
    if (changed.length === 0) return;
    await setFinished(trx, id, changes);
    const change = { subject: 'post', subject_id: post_id, result_id: id } as const;
    await insertChanges(trx, [{ project_id: projectId, ...change, kind: 'result.updated' }]);
    if (row.kind !== 'post') return;
    await recordTargetEvent(trx, post, { result_id: id, changed }, 'post.updated', {
      previewEvents,
    });
  });
}

/** Locks the post. Undefined: the target is no longer published. */
async function lockPublished(trx: Transaction, { id, post_id, project_id }: FollowedTarget) {
  const post = await lockPostAfterResults(trx, post_id);
  if (!post) return undefined;
  const result = (await listResults(trx, project_id, [post_id])).find((each) => each.id === id);
  return result?.status === 'published' ? { post, result } : undefined;
}

function changesOf(
  row: Pick<PostResultRow, 'external_id' | 'url' | 'visibility'>,
  { externalId, url, visibility }: Finished,
): FinishedColumns {
  return {
    ...(externalId && row.external_id === null && { external_id: externalId }),
    ...(url && url !== row.url && { url }),
    ...(visibility && visibility !== row.visibility && { visibility }),
  };
}

const namesOf = (changes: FinishedColumns) => Object.keys(changes) as (keyof FinishedColumns)[];

/** The network has removed the post. A change in progress finds that out itself. */
export async function recordRemoved(
  { db, notifier, previewEvents }: FollowDependencies,
  row: FollowedTarget,
): Promise<void> {
  const { id, post_id, project_id } = row;
  await inTransaction(db, notifier, async (trx) => {
    const found = await lockPublished(trx, row);
    if (!found || found.result.operation !== null) return;
    await setChanged(trx, id, { status: 'unpublished' });
    const change = { subject: 'post', subject_id: post_id, result_id: id } as const;
    await insertChanges(trx, [{ project_id, ...change, kind: 'result.unpublished' }]);
    if (row.kind === 'post') {
      const about = { result_id: id };
      await recordTargetEvent(trx, found.post, about, 'post.unpublished', { previewEvents });
    }
  });
}
