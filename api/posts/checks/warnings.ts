// Warnings: problems of a post that don't refuse it.
import type { Platform } from '../../../activities/platforms/platform.ts';
import type { AccountRow } from '../../../schema/database/accounts/accounts.ts';
import { warning, type TargetIssue } from './target-issues.ts';
import type { RequestTarget, TargetInput } from './request-targets.ts';

/** The access ends before the post is due, and only the user can renew it. */
export function warnOfAccess(
  { definition, refresh }: Platform,
  { token_expires_at }: AccountRow,
  target: RequestTarget,
  publishAt: Date,
): TargetIssue[] {
  if (refresh || !token_expires_at || token_expires_at > publishAt) return [];
  const ends = token_expires_at.toISOString();
  const issue = {
    path: target.path,
    code: 'access_expires_first',
    message: `The access to this account ends at ${ends}, before the post is published. Only the user can renew it at ${definition.title}, by connecting the account again.`,
    actual: ends,
    limit: publishAt.toISOString(),
  };
  return [warning(issue, target)];
}

/** Two parts of a thread with the same text: often a forgotten caption, and refused by many networks. */
export function warnOfRepeats(named: RequestTarget[], input: TargetInput): TargetIssue[] {
  const seen = new Set<string>();
  return named.flatMap((target) => {
    if (target.own.thread_position === undefined) return [];
    const caption = target.own.caption ?? input.caption;
    const key = `${target.accountId} ${caption}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const message = 'Another part of this thread has the same text.';
    return [warning({ path: [...target.at, 'caption'], code: 'repeated_text', message }, target)];
  });
}
