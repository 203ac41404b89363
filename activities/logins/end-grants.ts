// Ends grants that no longer give access. Their accounts must be connected again.
import type { DisconnectReason } from '../../schema/accounts.ts';
import { setAccountStatus } from '../../schema/database/accounts/accounts.ts';
import { endAllCredentials, endCredentials } from '../../schema/database/accounts/credentials.ts';
import { recordAccountEvent } from '../../schema/database/events/account-events.ts';
import { lockActiveAccounts } from '../../schema/database/accounts/grants.ts';
import { insertAccountChanges } from '../../schema/database/live/changes.ts';
import type { SocialAccountRow, Transaction } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import type { Access } from './credentials.ts';
import type { LoginDependencies } from './dependencies.ts';

/**
 * Ends logins whose credentials the network no longer accepts. The accounts of the grant must be reconnected,
 * and each account gets an event about that. False: the account has newer credentials.
 */
export async function setReconnectRequired(
  dependencies: Pick<LoginDependencies, 'db' | 'notifier' | 'previewEvents' | 'log'>,
  { accountId, grantId, credentialVersion }: Access,
  reason: DisconnectReason,
): Promise<boolean> {
  const { db, notifier, previewEvents, log } = dependencies;
  const ended = await inTransaction(db, notifier, async (trx) => {
    const accounts = await lockActiveAccounts(trx, [grantId]);
    const grant = { id: grantId, credential_version: credentialVersion };
    const ended = await endCredentials(trx, grant);
    if (!ended) return undefined;
    await requireReconnect(trx, accounts, reason, { previewEvents });
    return { ...ended, account_ids: accounts.map(({ id }) => id) };
  });
  if (!ended) return false;
  const fields = { ...ended, grant_id: grantId, reason };
  log.info({ component: 'accounts', ...fields }, 'accounts must be connected again');
  return ended.account_ids.includes(accountId);
}

/** Ends logins whose app is deleted. */
export async function endGrants(
  trx: Transaction,
  grantIds: string[],
  options: Pick<LoginDependencies, 'previewEvents'>,
): Promise<void> {
  const accounts = await lockActiveAccounts(trx, grantIds);
  await endAllCredentials(trx, grantIds, true);
  await requireReconnect(trx, accounts, 'app_deleted', options);
}

/** Ends logins that their user has ended at the network. Returns their accounts. */
export async function endRevokedGrants(
  trx: Transaction,
  grantIds: string[],
  options: Pick<LoginDependencies, 'previewEvents'>,
): Promise<SocialAccountRow[]> {
  const accounts = await lockActiveAccounts(trx, grantIds);
  await endAllCredentials(trx, grantIds, false);
  await requireReconnect(trx, accounts, 'revoked', options);
  return accounts;
}

/** Expects locked accounts. They can't publish until their user connects them again. */
async function requireReconnect(
  trx: Transaction,
  accounts: SocialAccountRow[],
  reason: DisconnectReason,
  options: Pick<LoginDependencies, 'previewEvents'>,
): Promise<void> {
  const status = 'reconnect_required';
  await setAccountStatus(trx, accounts, status);
  for (const account of accounts) {
    await recordAccountEvent(trx, account, 'account.disconnected', options, { reason });
  }
  await insertAccountChanges(trx, accounts, status);
}
