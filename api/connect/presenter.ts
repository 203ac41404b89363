// Presents a connect session's row as its wire type.
import type { ConnectSession, ConnectSessionStatus } from '../../schema/accounts.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';

/** A pending session expires without a write. */
export function statusOf({ status, expires_at }: ConnectSessionRow): ConnectSessionStatus {
  return status === 'pending' && expires_at.getTime() <= Date.now() ? 'expired' : status;
}

/** Only the response of `createConnectSession` includes the URL. */
export function presentConnectSession(row: ConnectSessionRow): ConnectSession {
  return {
    id: row.id,
    url: null,
    platform: row.platform,
    environment: row.environment,
    external_user_id: row.external_user_id,
    social_account_id: row.social_account_id,
    return_url: row.return_url,
    status: statusOf(row),
    expires_at: toTimestamp(row.expires_at),
    completed_social_account_id: row.completed_social_account_ids[0] ?? null,
    completed_social_account_ids: row.completed_social_account_ids,
    created_at: toTimestamp(row.created_at),
  };
}
