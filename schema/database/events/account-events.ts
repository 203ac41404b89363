// Records the events of accounts.
import type { AccountEventData, DisconnectReason, QuotaEventData } from '../../accounts.ts';
import type { SocialAccountRow, Transaction } from '../tables.ts';
import { recordEvent } from './record.ts';

type QuotaDetails = Pick<QuotaEventData, 'month' | 'published' | 'limit'>;

/** The members of each event's data besides the account. */
interface Details {
  'account.connected': object;
  'account.disconnected': { reason: DisconnectReason };
  'account.expiring': { token_expires_at: string };
  'account.refreshed': object;
  'account.quota_warning': QuotaDetails;
  'account.quota_exceeded': QuotaDetails;
}

/** Call it in the transaction of the change that the event reports, with the account locked. */
export async function recordAccountEvent<Type extends keyof Details>(
  trx: Transaction,
  account: SocialAccountRow,
  type: Type,
  options: { previewEvents: boolean },
  details: Details[Type],
): Promise<void> {
  const { id, project_id: projectId, environment } = account;
  const data = { ...toAccountEventData(account), ...details };
  await recordEvent(trx, { projectId, environment, type, data, socialAccountId: id }, options);
}

/** Records `account.refreshed` for each managed account of a login. `names`: new names of accounts, by ID. */
export async function recordRefreshed(
  trx: Transaction,
  accounts: readonly SocialAccountRow[],
  names: Readonly<Record<string, string | undefined>>,
  options: { previewEvents: boolean },
): Promise<void> {
  for (const account of accounts) {
    if (account.connection_type !== 'managed') continue;
    const named = { ...account, account_name: names[account.id] ?? account.account_name };
    await recordAccountEvent(trx, named, 'account.refreshed', options, {});
  }
}

function toAccountEventData(account: SocialAccountRow): AccountEventData {
  return {
    social_account_id: account.id,
    platform: account.platform,
    account_name: account.account_name,
    external_user_id: account.external_user_id,
    connection_type: account.connection_type,
  };
}
