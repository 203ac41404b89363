// Records the next step of a change, or its end: in its row, its result and the events. Also deletes a post that
// waits for the end.
import {
  setChanged,
  setChangeEnded,
  setChangeStep,
  type ChangedColumns,
  type ChangeEnd,
  type ChangingTarget,
} from '../../schema/database/posts/after-publishing/result-changes.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import { insertChanges } from '../../schema/database/live/changes.ts';
import {
  deletePostRow,
  lockPostAfterResults,
  setPost,
} from '../../schema/database/posts/changes.ts';
import { toPostEventData } from '../../schema/database/posts/outcome-event.ts';
import { listResults } from '../../schema/database/posts/posts.ts';
import type { PostRow, Transaction } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { postingErrors, type PostingErrorCode } from '../../schema/posts/errors.ts';
import type { NextStep } from '../publishing/backoff.ts';
import type { ChangeDependencies } from './dependencies.ts';

/** The network has the change. `visibility`: who can see the edited post. Undefined: the same people as before. */
export function recordMade(
  dependencies: ChangeDependencies,
  row: ChangingTarget,
  visibility?: string,
): Promise<0> {
  const { type, content } = row.change;
  const columns: ChangedColumns =
    type === 'edit' ? { content: content!, visibility } : { status: 'unpublished' };
  return recordEnd(dependencies, row, { status: 'succeeded' }, columns);
}

/** The network no longer has the post, so a removal has succeeded and an edit has failed. */
export function recordGone(dependencies: ChangeDependencies, row: ChangingTarget): Promise<0> {
  const end =
    row.change.type === 'unpublish'
      ? ({ status: 'succeeded' } as const)
      : failureOf('post_gone', postingErrors.post_gone.message);
  return recordEnd(dependencies, row, end, { status: 'unpublished' });
}

/** Waits for the next step, or ends the change. Returns 0, because the row must be read again. */
export async function applyStep(
  dependencies: ChangeDependencies,
  row: ChangingTarget,
  step: NextStep,
  message: string,
): Promise<0> {
  if ('fail' in step) {
    // A refusal of a repeated call says nothing about the call whose answer was lost.
    const code = row.clock.hasLostCommit ? 'outcome_unknown' : step.fail;
    return recordEnd(dependencies, row, failureOf(code, message), {});
  }
  const { next, waitMs, clock } = step;
  const phase = next === 'reconcile' ? next : 'commit';
  await setChangeStep(dependencies.db, row.change, { phase, clock, waitMs });
  return 0;
}

function failureOf(errorCode: PostingErrorCode, message: string): ChangeEnd {
  return {
    status: errorCode === 'outcome_unknown' ? 'outcome_unknown' : 'failed',
    errorCode,
    errorMessage: message.trim() || postingErrors[errorCode].message,
  };
}

async function recordEnd(
  dependencies: ChangeDependencies,
  row: ChangingTarget,
  end: ChangeEnd,
  columns: ChangedColumns,
): Promise<0> {
  const { db, notifier, previewEvents, log } = dependencies;
  const isWritten = await inTransaction(db, notifier, async (trx) => {
    const post = await lockPostAfterResults(trx, row.post_id);
    if (!post || !(await setChangeEnded(trx, row.change, end))) return false;
    await setChanged(trx, row.id, columns);
    await report(trx, post, row, columns, { previewEvents });
    await settleRemoval(trx, post, end);
    return true;
  });
  if (!isWritten) return 0;
  const { id: change_id, type } = row.change;
  const { post_id, id: result_id, project_id, platform } = row;
  const fields = { component: 'changes', change_id, post_id, result_id, project_id, platform };
  log.info({ ...fields, error_code: end.errorCode }, `${type} ${end.status}`);
  return 0;
}

/** Records what clients see: a change for the live feed, and an event about a target. */
async function report(
  trx: Transaction,
  post: PostRow,
  row: ChangingTarget,
  { status, content }: ChangedColumns,
  options: { previewEvents: boolean },
): Promise<void> {
  const { id: result_id, project_id, post_id: subject_id } = row;
  const what = status ?? (content ? ('edited' as const) : undefined);
  const kind = what ? (`result.${what}` as const) : 'result.change_failed';
  await insertChanges(trx, [{ project_id, subject: 'post', subject_id, result_id, kind }]);
  if (!what || row.kind !== 'post') return;
  await recordTargetEvent(trx, post, { result_id }, `post.${what}`, options);
}

/** Records an event about one target of a post, with `about` beside the post's data. The caller has locked the post. */
export async function recordTargetEvent(
  trx: Transaction,
  post: PostRow,
  about: { result_id: string; changed?: string[] },
  type: 'post.edited' | 'post.unpublished' | 'post.updated',
  options: { previewEvents: boolean },
): Promise<void> {
  const { id: postId, project_id: projectId, environment } = post;
  const results = await listResults(trx, projectId, [postId]);
  const data = { ...toPostEventData(post, results), ...about };
  const event = { projectId, environment, type, data, postId } as const;
  await recordEvent(trx, event, options);
}

/**
 * Deletes the record of a post that waits for the removal of its targets, once none is public. A failed
 * removal ends the wait, and the record stays.
 */
async function settleRemoval(trx: Transaction, post: PostRow, end: ChangeEnd): Promise<void> {
  if (!post.is_removing) return;
  const { id, project_id, environment } = post;
  if (end.status !== 'succeeded') return setPost(trx, project_id, id, { is_removing: false });
  const results = await listResults(trx, project_id, [id]);
  // A step that was taken stays `published`, although its target is removed.
  if (results.some(({ kind, status }) => kind !== 'step' && status === 'published')) return;
  await deletePostRow(trx, project_id, id);
  const deleted = { subject: 'post', subject_id: id, kind: 'deleted', environment } as const;
  await insertChanges(trx, [{ project_id, ...deleted }]);
}
