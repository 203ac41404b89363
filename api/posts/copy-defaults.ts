// Copies the defaults of accounts into the targets of a draft that is scheduled or published, and removes the
// copies.
import {
  clearDefaultOptions,
  setDefaultOptions,
  type CopiedOptions,
} from '../../schema/database/posts/changes.ts';
import type { PostWithResults } from '../../schema/database/posts/posts.ts';
import type { Transaction } from '../../schema/database/tables.ts';
import type { PlannedTarget } from './checks/targets.ts';
import { listTargetRows } from './stored-post.ts';

/** Targets that already have copies keep them. `targets`: planned from the post's rows. */
export async function copyDefaults(
  trx: Transaction,
  { post, results }: PostWithResults,
  targets: readonly PlannedTarget[],
): Promise<void> {
  const copies = listTargetRows(results).flatMap(({ id, default_options }, i): CopiedOptions[] =>
    default_options === null ? [{ id, options: targets[i]!.defaultOptions }] : [],
  );
  if (copies.length > 0) await setDefaultOptions(trx, post.project_id, copies);
}

/** Removes the copies from a post that becomes a draft again. */
export async function takeBackDefaults(
  trx: Transaction,
  { post, results }: PostWithResults,
): Promise<void> {
  if (listTargetRows(results).every((row) => row.default_options === null)) return;
  await clearDefaultOptions(trx, post.project_id, post.id);
}
