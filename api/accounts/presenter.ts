// Turns the row of an account into its wire type.
import type { Account } from '../../schema/accounts.ts';
import type { AccountRow } from '../../schema/database/accounts/accounts.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';

export function presentAccount(row: AccountRow): Account {
  return {
    id: row.id,
    platform: row.platform,
    account_name: row.account_name,
    external_account_id: row.external_account_id,
    external_user_id: row.external_user_id,
    external_user_email: row.external_user_email,
    connection_type: row.connection_type,
    status: row.status,
    scope: row.scope,
    connected_at: toTimestamp(row.connected_at),
    token_expires_at: toTimestamp(row.token_expires_at),
  };
}
