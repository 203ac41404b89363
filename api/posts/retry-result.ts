// Publishes one failed target again, or its first comment and its steps if only those failed.
import { monthOf } from '../../schema/database/accounts/usage.ts';
import { getAccountRow } from '../../schema/database/accounts/accounts.ts';
import { refetchMedia } from '../../schema/database/media/fetching.ts';
import { idsOf } from '../../schema/database/media/uses.ts';
import type { PostResultRow, PostRow, Transaction } from '../../schema/database/tables.ts';
import {
  hasPassedDeadline,
  lockPostWithResults,
  reopenResult,
} from '../../schema/database/posts/changes.ts';
import { getPostRow } from '../../schema/database/posts/posts.ts';
import { startRun } from '../../schema/database/posts/runs.ts';
import { AppError, notFound } from '../../schema/wire/errors.ts';
import { lostAccountWords, postingErrors } from '../../schema/posts/errors.ts';
import type { PostResult, ResultStatus } from '../../schema/posts/posts.ts';
import type { Caller, Context } from '../http/context.ts';
import { transact, type Answer } from '../http/transact.ts';
import { requireUnchanging } from './changes/changeable.ts';
import { countResults } from './count-usage.ts';
import { presentPost } from './presenter.ts';
import { deadlinePassed } from './publish-post.ts';
import { findFirstComment, findSteps } from '../../schema/database/posts/targets.ts';

/** The post is `pending` until the target has ended. Then the post gets a new event. */
export function retryResult(
  context: Context,
  caller: Caller,
  id: string,
  resultId: string,
): Promise<Answer<PostResult>> {
  return transact(context, caller, async (effects) => {
    const { trx, change } = effects;
    const { post, results } = await lockPostWithResults(trx, caller, id);
    const result = results.find((row) => row.id === resultId && row.kind === 'post');
    if (!result) throw notFound('result', resultId);
    const failed = failedRows(result, results);
    requireKept(post);
    requireUnchanging(result);
    requireAnswered(result, results);
    if (failed.some(isUnsent) && (await hasPassedDeadline(trx, post))) throw deadlinePassed();
    const account = await getAccountRow(trx, caller, result.social_account_id);
    if (account.status !== 'active') {
      const message = `${account.account_name} ${lostAccountWords[account.status]}.`;
      const { hint } = postingErrors.account_disconnected;
      throw new AppError('conflict', message, { hint });
    }
    await renewMedia(trx, post, failed);
    for (const row of failed) await reopenResult(trx, caller.projectId, row);
    // Searches at the network start at `due_at`, which stays the same, because an earlier run may have sent
    // the post.
    const { scheduled_at: scheduledAt, schedule, due_at: dueAt } = post;
    await startRun(trx, post, { status: 'pending', scheduledAt, schedule, dueAt });
    change({ subject: 'post', subject_id: id, result_id: resultId, kind: 'result.retried' });
    const written = await getPostRow(trx, caller, id);
    // A target with an unknown outcome is still counted.
    const uncounted = failed.filter(({ usage_month }) => usage_month === null);
    await countResults(context, effects, caller, uncounted, { month: monthOf(new Date()) });
    const shown = presentPost(context, written.post, written.results);
    return { status: 202, data: shown.results.find((row) => row.id === resultId)! };
  });
}

/** Fetches media again that could not be fetched. Throws if media were deleted. */
async function renewMedia(trx: Transaction, post: PostRow, rows: PostResultRow[]): Promise<void> {
  const ids = idsOf(rows.flatMap(({ media }) => media ?? post.media));
  const missing = await refetchMedia(trx, ids);
  if (missing.length === 0) return;
  throw new AppError('media_expired', `The media were deleted: ${missing.join(', ')}.`, {
    hint: postingErrors.media_expired.hint,
  });
}

/**
 * Whether the deadline applies. A reply has no deadline, and an unknown outcome can be checked at any time.
 */
const isUnsent = ({ answers_result_id, error_code }: PostResultRow) =>
  answers_result_id === null && error_code !== 'outcome_unknown';

const refusals: Record<Exclude<ResultStatus, 'failed'>, string> = {
  pending: 'The target waits to be published: only a failed one can be retried.',
  publishing: 'The target is being published: only a failed one can be retried.',
  published: 'The target is published: a retry would be a second post.',
  canceled: 'The target was canceled: only a failed one can be retried.',
  unpublished: 'The target was published and removed. Create a new post to publish it again.',
};

/** The rows that failed: the target, its first comment, its steps. Throws if none failed. */
function failedRows(result: PostResultRow, results: PostResultRow[]): PostResultRow[] {
  const comment = findFirstComment(results, result.id);
  const canRetry = result.status === 'failed' || result.status === 'published';
  const rows = [result, ...(comment ? [comment] : []), ...findSteps(results, result.id)];
  const failed = rows.filter((row) => row.status === 'failed');
  if (canRetry && failed.length > 0) return failed;
  throw new AppError('conflict', refusals[result.status as keyof typeof refusals]);
}

/** Throws if the record is deleted with its last removal, so that a retried target could be public without it. */
function requireKept({ is_removing }: PostRow): void {
  if (!is_removing) return;
  throw new AppError('conflict', 'The post is being removed, and its record is deleted then.', {
    hint: 'Create a new post. If a removal fails, the record stays, and the target can be retried.',
  });
}

const lostAnswered: Partial<Record<ResultStatus, string>> = {
  failed: 'has failed: retry that one first',
  canceled: 'was canceled',
  unpublished: 'was unpublished',
};

/** Throws if the part of the thread before this one is not public. */
function requireAnswered({ answers_result_id }: PostResultRow, results: PostResultRow[]): void {
  const answered = results.find((row) => row.id === answers_result_id);
  if (answered) requireUnchanging(answered);
  const reason = answered && lostAnswered[answered.status];
  if (!reason) return;
  throw new AppError('conflict', `The part of the thread before this one ${reason}.`);
}
