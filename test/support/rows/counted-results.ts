// A post whose results are counted in their accounts' usage, written without an API.
import type { Db } from '../../../schema/database/tables.ts';
import { addUsage } from '../../../schema/database/accounts/usage.ts';
import { insertPost } from '../../../schema/database/posts/posts.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { addProject } from './rows.ts';
import { inQuietTransaction } from './quiet-transaction.ts';

export interface CountedResults {
  projectId: string;
  accountIds: string[];
  /** Those of the first account first. */
  resultIds: string[];
}

/** `month` null: counted nowhere. */
export async function addCountedResults(
  db: Db,
  wanted: { accounts: number; resultsOfEach: number; month: string | null },
): Promise<CountedResults> {
  const projectId = await addProject(db);
  const accountIds = Array.from({ length: wanted.accounts }, () => newId('account'));
  await db
    .insertInto('social_accounts')
    .values(accountIds.map((id) => ({ id, project_id: projectId, ...anyAccount(id) })))
    .execute();
  const postId = newId('post');
  const results = accountIds
    .flatMap((id) => Array.from({ length: wanted.resultsOfEach }, () => id))
    .map((accountId, position) => ({
      id: newId('result'),
      post_id: postId,
      project_id: projectId,
      position,
      social_account_id: accountId,
      usage_month: wanted.month,
      ...anyResult,
    }));
  if (results.length > 0) {
    const post = {
      id: postId,
      project_id: projectId,
      caption: 'hello',
      status: 'pending',
    } as const;
    await inQuietTransaction(db, async (trx) => {
      await insertPost(trx, post, results);
      const counted = results.map((result) => result.social_account_id);
      if (wanted.month !== null) await addUsage(trx, projectId, counted, wanted.month);
    });
  }
  return { projectId, accountIds, resultIds: results.map(({ id }) => id) };
}

const anyAccount = (id: string) =>
  ({
    platform: 'sandbox',
    account_name: 'ada',
    external_account_id: id,
    connection_type: 'byo',
    status: 'active',
  }) as const;

const anyResult = {
  platform: 'sandbox',
  account_name: 'ada',
  status: 'pending',
  phase: 'prepare',
  phase_state: 'ready',
} as const;
