// Adds checks of accounts as the engine finds them: running, with no step done.
import type { Insertable } from 'kysely';
import { insertCheck } from '../../../schema/database/accounts/checks.ts';
import type { AccountCheckRow, Database, Db } from '../../../schema/database/tables.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { inQuietTransaction } from './quiet-transaction.ts';
import type { TestAccount } from './targets.ts';

/**
 * Adds a check of a sandbox account, or of an account of the given platform. Undefined: the account already
 * has a running check.
 */
export function addCheck(
  db: Db,
  { projectId, accountId }: TestAccount,
  columns: Partial<Insertable<Database['account_checks']>> = {},
): Promise<AccountCheckRow | undefined> {
  return inQuietTransaction(db, (trx) =>
    insertCheck(trx, {
      id: newId('check'),
      project_id: projectId,
      social_account_id: accountId,
      platform: 'sandbox',
      status: 'running',
      publishes: false,
      steps: '[]',
      result_id: newId('result'),
      ...columns,
    }),
  );
}
