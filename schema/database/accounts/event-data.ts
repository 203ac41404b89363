// An account as its events show it.
import type { AccountEventData, DisconnectReason, QuotaEventData } from '../../accounts.ts';
import type { SocialAccountRow } from '../tables.ts';

export function toAccountEventData(
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
