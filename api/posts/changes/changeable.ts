// Finds the published target that a client wants to change, and says why Fanfare can't change it.
import {
  afterPublishingOf,
  isTooLate,
  listMissingScopes,
} from '../../../activities/platforms/index.ts';
import { describeMissingScopes } from '../../../activities/platforms/wrong-credential.ts';
import { getAccountRow, type AccountRow } from '../../../schema/database/accounts/accounts.ts';
import { lockPostWithResults } from '../../../schema/database/posts/changes.ts';
import { getPostRow, type ResultRow } from '../../../schema/database/posts/posts.ts';
import {
  findFirstComment,
  isOpen,
  mediaOf,
  optionsOf,
} from '../../../schema/database/posts/targets.ts';
import type { PostRow, Transaction } from '../../../schema/database/tables.ts';
import type { ChangedPost } from '../../../schema/platforms/definition.ts';
import { lostAccountWords, postingErrors, reconnectCalls } from '../../../schema/posts/errors.ts';
import type { PostResult, ResultStatus } from '../../../schema/posts/posts.ts';
import type { ChangeType } from '../../../schema/posts/result-changes.ts';
import { AppError, notFound } from '../../../schema/wire/errors.ts';
import type { Caller, Context } from '../../http/context.ts';
import type { Effects } from '../../http/transact.ts';
import { absentPlatform } from '../../platforms/absence.ts';
import { presentPost } from '../presenter.ts';

/** A published target or first comment, without a change in progress. */
export interface Changeable {
  post: PostRow;
  result: ResultRow;
  /** All results of the post. */
  results: ResultRow[];
  account: AccountRow;
}

/** Locks the post. Throws if the result isn't published, or if a change of it is in progress. */
export async function lockChangeable(
  trx: Transaction,
  caller: Caller,
  postId: string,
  resultId: string,
): Promise<Changeable> {
  const { post, results } = await lockPostWithResults(trx, caller, postId);
  const result = results.find(({ id }) => id === resultId);
  if (!result) throw notFound('result', resultId);
  requirePublished(result);
  requireUnchanging(result);
  const account = await getAccountRow(trx, caller, result.social_account_id);
  return { post, result, results, account };
}

const notPublished: Record<Exclude<ResultStatus, 'published'>, string> = {
  pending: 'The target waits to be published. Cancel the post instead.',
  publishing: 'The target is being published. Wait until it has ended.',
  failed: 'The target has failed, so there is no post to change.',
  canceled: 'The target was canceled, so there is no post to change.',
  unpublished: 'The target is already unpublished.',
};

function requirePublished({ status }: ResultRow): void {
  if (status !== 'published') throw new AppError('conflict', notPublished[status]);
}

/** Throws if a change of the target is in progress. */
export function requireUnchanging({ operation }: Pick<ResultRow, 'operation'>): void {
  if (operation === null) return;
  throw new AppError('conflict', 'A change of the target is in progress.', {
    hint: `Wait until the change ${operation} has ended.`,
  });
}

/** Throws if a later part of the thread is or may become public, or if the first comment is being sent. */
export function requireNoReplies({ result, results }: Changeable): void {
  const parts = results.filter((row) => row.answers_result_id === result.id && row.kind === 'post');
  if (parts.some(({ status }) => status === 'published' || isOpen(status))) {
    throw new AppError('has_replies', 'A later part of the thread replies to the target.', {
      hint: 'Unpublish the thread from its last part.',
    });
  }
  const comment = findFirstComment(results, result.id);
  if (!comment || !isOpen(comment.status)) return;
  throw new AppError('conflict', 'The first comment of the target is being published.', {
    hint: 'Wait until it has ended.',
  });
}

/** Why Fanfare can't change the post of the target. Undefined: it can. */
export function findRefusal(
  { platforms }: Context,
  { post, result, account }: Omit<Changeable, 'results'>,
  type: ChangeType,
): AppError | undefined {
  const platform = platforms.get(result.platform);
  if (!platform) return absentPlatform(platforms, result.platform);
  const { title } = platform.definition;
  const after = afterPublishingOf(platform, account.traits);
  const hint = after?.byHand ?? `Use the website or the app of ${title}.`;
  const rules = after?.[type];
  if (!rules) {
    const verb = type === 'edit' ? 'edits' : 'removes';
    const message = `${title} has no API call that ${verb} a post of this account.`;
    return new AppError('not_supported_by_network', message, { hint });
  }
  const reason =
    result.external_id === null
      ? `${title} gave no ID of the post.`
      : rules.refuse?.(toChangedPost(post, result));
  if (reason !== undefined) return new AppError('not_supported_by_network', reason, { hint });
  if (account.status !== 'active') {
    const message = `${account.account_name} ${lostAccountWords[account.status]}.`;
    return new AppError('conflict', message, {
      hint: (names) =>
        `Connect the account again (${reconnectCalls(names)}), then repeat the request.`,
    });
  }
  const missing = listMissingScopes(rules, account.scope);
  if (missing.length > 0) {
    const message = describeMissingScopes(missing);
    return new AppError('conflict', message, { hint: postingErrors.permission_missing.hint });
  }
  if (!isTooLate(rules, result.published_at, new Date())) return undefined;
  const message = `${title} allows this for ${rules.withinS} seconds after the publication.`;
  return new AppError('too_late', message, { hint });
}

function toChangedPost(post: PostRow, result: ResultRow): ChangedPost {
  return {
    mediaCount: mediaOf({ ...result, post_media: post.media }).length,
    options: optionsOf(result),
    isReply: result.answers_result_id !== null || result.in_reply_to !== null,
  };
}

/** The result for the client. A first comment is shown in the result of its target. */
export async function readResult(
  context: Context,
  { trx }: Effects,
  caller: Caller,
  { post: { id }, result }: Changeable,
): Promise<PostResult> {
  const { post, results } = await getPostRow(trx, caller, id);
  const shownId = result.kind === 'comment' ? result.answers_result_id : result.id;
  return presentPost(context, post, results).results.find((row) => row.id === shownId)!;
}
