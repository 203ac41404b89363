// A post whose results are counted in their accounts' usage, written without an API.
import type { Db } from '../../../schema/database/tables.ts';
import type { NewKey } from '../../../schema/database/idempotency-keys.ts';
import { insertPost, type Inserted } from '../../../schema/database/posts/insert-post.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { addProject } from './rows.ts';
import { inQuietTransaction } from './quiet-transaction.ts';

export interface CountedResults {
  projectId: string;
  accountIds: string[];
  /** The results of the first account come first. */
  resultIds: string[];
}

/** `month` null: no month counts the results. */
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
  const counted = accountIds.flatMap((id) => Array<string>(wanted.resultsOfEach).fill(id));
  if (counted.length === 0) return { projectId, accountIds, resultIds: [] };
  const { resultIds } = await addPostOf(db, projectId, counted, wanted.month);
  return { projectId, accountIds, resultIds };
}

/** A post with a target for each of these accounts. `month` null: no month counts the results. */
export async function addPostOf(
  db: Db,
  projectId: string,
  accountIds: string[],
  month: string | null,
  key?: NewKey,
): Promise<Inserted & { resultIds: string[] }> {
  const id = newId('post');
  const results = accountIds.map((accountId, position) => ({
    id: newId('result'),
    post_id: id,
    project_id: projectId,
    position,
    social_account_id: accountId,
    usage_month: month,
    ...anyResult,
  }));
  const content = { caption: 'hello', status: 'pending', created_at: new Date() } as const;
  const post = { id, project_id: projectId, ...content };
  const inserted = await inQuietTransaction(db, (trx) => insertPost(trx, post, results, { key }));
  return { ...inserted, resultIds: results.map((result) => result.id) };
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
  content_hash: '\\x00',
  status: 'pending',
  phase: 'prepare',
  phase_state: 'ready',
} as const;
