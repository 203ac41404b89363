// Checks the access to the account of a target or of a queue.
import type { Platform } from '../../../activities/platforms/platform.ts';
import type { AccountRow } from '../../../schema/database/accounts/accounts.ts';
import { lostAccountWords, reconnectCalls } from '../../../schema/posts/errors.ts';
import type { Issue } from '../../../schema/wire/errors.ts';
import type { Text } from '../../../schema/wire/names.ts';
import type { RequestTarget } from './request-targets.ts';
import { warning, type TargetIssue } from './target-issues.ts';

export const unknownAccount = { code: 'unknown_account', message: 'No account has this ID.' };

/** Undefined: Fanfare can publish to the account. */
export function checkAccess({ status }: AccountRow): Omit<Issue, 'path'> | undefined {
  if (status === 'active') return undefined;
  const message: Text = (names) =>
    `The account ${lostAccountWords[status]}. Connect it again: ${reconnectCalls(names)}.`;
  return { code: 'account_not_active', message, actual: status };
}

/** Warns if the access ends before the post is due and only the user can renew it. */
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
