// Posts with targets as the engine finds them: written, claimed by a run, not yet begun.
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import type { Db, PostResultRow } from '../../../schema/database/tables.ts';
import { insertPost } from '../../../schema/database/posts/insert-post.ts';
import { insertProject } from '../../../schema/database/projects.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { addGrant } from './grants.ts';
import { inQuietTransaction } from './quiet-transaction.ts';

export const targetRun = 1;

export interface TestAccount {
  projectId: string;
  accountId: string;
}

/** Adds an account in its own project. The account's token is `t`. */
export async function addAccount(db: Db): Promise<TestAccount> {
  const projectId = newId('project');
  await insertProject(db, { id: projectId, name: 'test' });
  return addAccountOf(db, projectId, await addGrant(db, { projectId }));
}

/** Adds another account of the project, with this grant. */
export async function addAccountOf(
  db: Db,
  projectId: string,
  grantId: string,
  externalAccountId = 'ada',
): Promise<TestAccount> {
  const accountId = newId('account');
  await db
    .insertInto('social_accounts')
    .values({
      id: accountId,
      project_id: projectId,
      platform: 'sandbox',
      account_name: 'ada',
      external_account_id: externalAccountId,
      connection_type: 'byo',
      status: 'active',
      grant_id: grantId,
    })
    .execute();
  return { projectId, accountId };
}

interface NewTarget {
  caption?: string;
  /** Index of the target that this target replies to. */
  answers?: number;
  kind?: 'post' | 'comment';
}

/** One post of the account; returns the ids of its targets in their order. */
export async function addTargets(
  db: Db,
  { projectId, accountId }: { projectId: string; accountId: string },
  targets: NewTarget[] = [{}],
): Promise<{ postId: string; resultIds: string[] }> {
  const postId = newId('post');
  const resultIds = targets.map(() => newId('result'));
  await inQuietTransaction(db, (trx) =>
    insertPost(
      trx,
      {
        id: postId,
        project_id: projectId,
        caption: 'hello',
        status: 'pending',
        current_run: targetRun,
        created_at: new Date(),
      },
      targets.map(({ caption = null, answers, kind = 'post' }, position) => ({
        id: resultIds[position]!,
        post_id: postId,
        project_id: projectId,
        position,
        social_account_id: accountId,
        platform: 'sandbox',
        account_name: 'ada',
        caption,
        kind,
        answers_result_id: answers === undefined ? null : resultIds[answers]!,
        status: 'pending',
        phase: 'prepare',
        phase_state: 'ready',
      })),
    ),
  );
  return { postId, resultIds };
}

/** One post with one target, on an account that no other target uses. */
export async function addTarget(db: Db) {
  const account = await addAccount(db);
  const { postId, resultIds } = await addTargets(db, account);
  return { ...account, postId, resultId: resultIds[0]! };
}

/** Advances as the workflow does, without its timers. */
export async function advanceToEnd(
  dependencies: AdvanceDependencies,
  resultId: string,
): Promise<PostResultRow> {
  for (let i = 0; i < 50; i++) {
    const { waitMs } = await advanceTarget(dependencies, { resultId, run: targetRun });
    if (waitMs === null) return getResult(dependencies.db, resultId);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
  throw new Error('The target does not end.');
}

export function getResult(db: Db, resultId: string): Promise<PostResultRow> {
  return db
    .selectFrom('post_results')
    .selectAll()
    .where('id', '=', resultId)
    .executeTakeFirstOrThrow();
}
