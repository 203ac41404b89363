// Ends the logins of a user who removed the app at the network.
import { endRevokedGrants } from '../../activities/logins/end-grants.ts';
import {
  listGrantsOfNetworkUser,
  type NetworkUser,
} from '../../schema/database/accounts/network-users.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import type { Context } from '../http/context.ts';

/** A repeat finds nothing to end, and an unknown user is no error. */
export async function deauthorize(
  { db, notifier, config, log }: Context,
  user: NetworkUser,
): Promise<void> {
  const ended = await inTransaction(db, notifier, async (trx) =>
    endRevokedGrants(trx, await listGrantsOfNetworkUser(trx, user), config),
  );
  if (ended.length === 0) return;
  const fields = { account_ids: ended.map(({ id }) => id), app_id: user.app.id, reason: 'revoked' };
  log.info({ component: 'accounts', ...fields }, 'accounts must be connected again');
}
