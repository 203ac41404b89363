// Warns of a post that was accepted already. Often, its request is sent again without an idempotency key.
import { findSameContent } from '../../../schema/database/posts/same-content.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { warning, type TargetIssue } from './target-issues.ts';
import type { PlannedTarget } from './targets.ts';

export async function warnOfSameContent(
  db: Db,
  projectId: string,
  targets: readonly PlannedTarget[],
): Promise<TargetIssue[]> {
  const contents = targets.flatMap(({ account, contentHash: hash }) =>
    hash === null ? [] : [{ accountId: account.id, hash }],
  );
  if (contents.length === 0) return [];
  return warnOfRepeated(targets, await findSameContent(db, projectId, contents));
}

/** `accountIds`: the accounts that were given the same content lately. */
export function warnOfRepeated(
  targets: readonly PlannedTarget[],
  accountIds: readonly string[],
): TargetIssue[] {
  const message =
    'The account was given the same content within the last 24 hours. An idempotency key makes a repeat safe.';
  return targets
    .filter(({ account }) => accountIds.includes(account.id))
    .map(({ index, account, path }) =>
      warning({ path, code: 'repeated_content', message }, { index, accountId: account.id }),
    );
}
