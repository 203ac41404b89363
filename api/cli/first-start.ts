// The first project, its API key, and two sandbox accounts. The first start creates them.
import type { Config } from '../../schema/config/config.ts';
import { newId } from '../../schema/wire/ids.ts';
import { findApiKeyByHash } from '../../schema/database/api-keys.ts';
import { insertProject } from '../../schema/database/projects.ts';
import type { Db } from '../../schema/database/tables.ts';
import { connectAccount } from '../accounts/operations.ts';
import { createKey, generateKey } from '../api-keys/key.ts';
import { readOrCreateSecret } from '../embedded/data-directory.ts';
import { hashKey, toCaller } from '../http/auth/api-keys.ts';
import type { Caller, Context } from '../http/context.ts';

/** Saved before the project exists, so that no crash leaves a project with an unknown key. */
export function readFirstKey({ secrets, dataDirectory }: Config): string {
  return (
    secrets.apiKey ?? readOrCreateSecret(dataDirectory, 'api-key', () => generateKey('production'))
  );
}

export interface FirstProject {
  keyId: string;
  /** The sandbox accounts @ada and @bob. Empty: the sandbox is off. */
  accountIds: string[];
}

/** Finds the project by its first key, or creates it. */
export async function openFirstProject(
  context: Context,
  key: string,
  progress: (line: string) => void,
): Promise<FirstProject> {
  const { db } = context;
  let row = await findApiKeyByHash(db, hashKey(key));
  if (!row) {
    const name = 'My app';
    ({ row } = await createProjectWithKey(db, name, key));
    progress(`Created the project "${name}" (${row.project_id}) and its first API key.`);
  }
  const accountIds = await connectSandboxAccounts(context, toCaller(row), progress);
  return { keyId: row.id, accountIds };
}

/** Creates a project with one key that has all scopes: the given one, or a random one. */
export async function createProjectWithKey(db: Db, name: string, key?: string) {
  return db.transaction().execute(async (trx) => {
    const project = await insertProject(trx, { id: newId('project'), name });
    return createKey(trx, { projectId: project.id, name: 'first key', ...(key ? { key } : {}) });
  });
}

async function connectSandboxAccounts(
  context: Context,
  caller: Caller,
  progress: (line: string) => void,
): Promise<string[]> {
  if (!context.platforms.has('sandbox')) return [];
  const existing = await context.db
    .selectFrom('social_accounts')
    .select(['id', 'account_name'])
    .where('project_id', '=', caller.projectId)
    .where('platform', '=', 'sandbox')
    .where('account_name', 'in', ['ada', 'bob'])
    .where('status', '=', 'active')
    .execute();
  const ids: string[] = [];
  for (const handle of ['ada', 'bob']) {
    const found = existing.find((account) => account.account_name === handle);
    if (found) {
      ids.push(found.id);
      continue;
    }
    const { data } = await connectAccount(context, caller, {
      platform: 'sandbox',
      credentials: { handle },
    });
    ids.push(data.id);
    progress(`Connected the sandbox account @${handle} (${data.id}).`);
  }
  return ids;
}
