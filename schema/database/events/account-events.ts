// Events of an account: records them, and shows the account as they do.
import type { AccountEventData, DisconnectReason, QuotaEventData } from '../../accounts.ts';
import { recordEvent } from './record.ts';
import type { SocialAccountRow, Transaction } from '../tables.ts';

/** Call it in the transaction that makes the event true, with the account locked. */
export async function recordAccountEvent(
  trx: Transaction,
  account: SocialAccountRow,
  type: 'account.connected' | 'account.disconnected',
  options: { previewEvents: boolean },
  reason?: DisconnectReason,
): Promise<void> {
  const { id, project_id: projectId, environment } = account;
  const data = toAccountEventData(account, reason);
  await recordEvent(trx, { projectId, environment, type, data, socialAccountId: id }, options);
}

function toAccountEventData(
  account: SocialAccountRow,
  reason?: DisconnectReason,
): AccountEventData {
  return {
    social_account_id: account.id,
    platform: account.platform,
    account_name: account.account_name,
    external_user_id: account.external_user_id,
    connection_type: account.connection_type,
    ...(reason === undefined ? {} : { reason }),
  };
}

export function toQuotaEventData(
  account: SocialAccountRow,
  { month, published, limit }: Pick<QuotaEventData, 'month' | 'published' | 'limit'>,
): QuotaEventData {
  return { ...toAccountEventData(account), month, published, limit };
}
