// Ends grants that no longer give access: their accounts must be connected again.
import { sql } from 'kysely';
import type { DisconnectReason } from '../../schema/accounts.ts';
import { setAccountStatus } from '../../schema/database/accounts/accounts.ts';
import { recordAccountEvent } from '../../schema/database/events/account-events.ts';
import { lockActiveAccounts } from '../../schema/database/accounts/grants.ts';
import { insertAccountChanges } from '../../schema/database/live/changes.ts';
import type { SocialAccountRow, Transaction } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import type { Access } from './credentials.ts';
import type { AdvanceDependencies } from './dependencies.ts';

/**
 * The network no longer accepts the credentials: the accounts of the grant must be reconnected, and an
 * event reports that for each. False: the account has newer credentials.
 */
export async function setReconnectRequired(
  { db, notifier, previewEvents }: Pick<AdvanceDependencies, 'db' | 'notifier' | 'previewEvents'>,
  { accountId, grantId, credentialVersion }: Access,
  reason: DisconnectReason,
): Promise<boolean> {
  return inTransaction(db, notifier, async (trx) => {
    const accounts = await lockActiveAccounts(trx, [grantId]);
    const ended = await trx
      .updateTable('grants')
      .set(noCredentials)
      .where('id', '=', grantId)
      .where('credential_version', '=', credentialVersion)
      .where('credentials', 'is not', null)
      .returning('id')
      .executeTakeFirst();
    if (!ended) return false;
    await requireReconnect(trx, accounts, reason, { previewEvents });
    return accounts.some(({ id }) => id === accountId);
  });
}

/** A refresh that is in flight then writes nothing. */
const noCredentials = {
  credentials: null,
  credentials_key_id: null,
  refresh_at: null,
  expiry_warning_at: null,
  credential_version: sql<number>`credential_version + 1`,
};

/** Ends logins whose app is deleted. */
export async function endGrants(
  trx: Transaction,
  grantIds: string[],
  options: Pick<AdvanceDependencies, 'previewEvents'>,
): Promise<void> {
  const accounts = await lockActiveAccounts(trx, grantIds);
  await trx
    .updateTable('grants')
    .set({ ...noCredentials, has_lost_app: true })
    .where('id', '=', sql<string>`any (${grantIds}::text[])`)
    .execute();
  await requireReconnect(trx, accounts, 'app_deleted', options);
}

/** The accounts, locked, can't publish until their user connects them again. */
async function requireReconnect(
  trx: Transaction,
  accounts: SocialAccountRow[],
  reason: DisconnectReason,
  options: Pick<AdvanceDependencies, 'previewEvents'>,
): Promise<void> {
  const status = 'reconnect_required';
  await setAccountStatus(trx, accounts, status);
  for (const account of accounts) {
    await recordAccountEvent(trx, account, 'account.disconnected', options, reason);
  }
  await insertAccountChanges(trx, accounts, status);
}
