// Erases the accounts of a user who asked the network to have their data deleted.
import {
  addDataDeletion,
  endDataDeletions,
} from '../../schema/database/accounts/data-deletions.ts';
import {
  listOwnersOfNetworkUser,
  lockAccountsOfNetworkUser,
  setAccountsDue,
  type NetworkUser,
} from '../../schema/database/accounts/network-users.ts';
import type { Transaction } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { eraseAllAccounts } from '../accounts/operations.ts';
import { eraseSessionsOfUser } from '../connect/operations.ts';
import type { Context } from '../http/context.ts';

/**
 * Erases the connect sessions first, so that none of them can connect another account. Once the code is
 * stored, pruning erases what this call doesn't. A repeat with the same code continues with what is left. An
 * unknown user is no error.
 */
export async function deleteUserData(
  context: Context,
  user: NetworkUser,
  code: string,
): Promise<void> {
  const { db, notifier } = context;
  const owners = await listOwnersOfNetworkUser(db, user);
  for (const { project_id: projectId, external_user_id: userId, platform } of owners) {
    const scope = { projectId, environment: 'production' } as const;
    if (userId !== null) await eraseSessionsOfUser(context, scope, userId, platform);
  }
  await inTransaction(db, notifier, async (trx) => {
    await addDataDeletion(trx, code, user.app, await setAccountsDue(trx, user));
  });
  for (const projectId of new Set(owners.map((owner) => owner.project_id))) {
    const lock = (trx: Transaction, limit: number) =>
      lockAccountsOfNetworkUser(trx, projectId, user, limit);
    await eraseAllAccounts(context, { projectId }, lock, 'revoked');
  }
  // Ends the deletion if everything is erased. If not, pruning ends it later.
  await endDataDeletions(db, code);
}
