// What a first start leaves: a project, its first key, two sandbox accounts.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../schema/wire/ids.ts';
import { findApiKeyByHash } from '../../schema/database/api-keys.ts';
import { insertProject } from '../../schema/database/projects.ts';
import type { Db } from '../../schema/database/tables.ts';
import { connectAccount } from '../accounts/operations.ts';
import { createKey, generateKey } from '../api-keys/key.ts';
import { hashKey } from '../http/auth.ts';
import type { Caller, Context } from '../server/context.ts';

export interface FirstProject {
  caller: Caller;
  /** The key as clients send it. */
  key: string;
  /** The sandbox accounts @ada and @bob; empty where the sandbox is off. */
  accountIds: string[];
}

/** The same project at every start: found by the key in the configuration or the data directory. */
export async function openFirstProject(
  context: Context,
  progress: (line: string) => void,
): Promise<FirstProject> {
  const { config, db } = context;
  const key = config.secrets.apiKey ?? (await keptKey(config.dataDirectory));
  let row = await findApiKeyByHash(db, hashKey(key));
  if (!row) {
    ({ row } = await createProjectWithKey(db, 'default', key));
    progress(`Created the project "default" (${row.project_id}) and its first API key.`);
  }
  const caller: Caller = {
    projectId: row.project_id,
    keyId: row.id,
    scopes: row.scopes,
    environment: row.environment,
    keyExpiresAt: row.expires_at,
  };
  return { caller, key, accountIds: await connectSandboxAccounts(context, caller, progress) };
}

/** Written before its project is made, so that no crash leaves a project whose key nobody knows. */
async function keptKey(dataDirectory: string): Promise<string> {
  const path = join(dataDirectory, 'api-key');
  const kept = (await readFile(path, 'utf8').catch(() => undefined))?.trim();
  if (kept) return kept;
  const key = generateKey('production');
  await mkdir(dataDirectory, { recursive: true });
  await writeFile(path, `${key}\n`, { mode: 0o600 });
  return key;
}

/** Makes a project with one key that may do everything: a random one, or the one given. */
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
