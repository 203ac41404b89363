// A connect session's row as the wire shows it.
import type { ConnectSession, ConnectSessionStatus } from '../../schema/accounts.ts';
import type { ConnectSessionRow } from '../../schema/database/database.ts';
import { toTimestamp } from '../../schema/timestamp.ts';
import type { Context } from '../context.ts';
import { openToken } from './token.ts';

/** A session that nobody finished expires by the clock alone. */
export function statusOf({ status, expires_at }: ConnectSessionRow): ConnectSessionStatus {
  return status === 'pending' && expires_at.getTime() <= Date.now() ? 'expired' : status;
}

export function presentConnectSession(
  { publicUrl, vault }: Pick<Context, 'publicUrl' | 'vault'>,
  row: ConnectSessionRow,
): ConnectSession {
  const status = statusOf(row);
  const token = status === 'pending' ? openToken(vault, row) : null;
  return {
    id: row.id,
    url: token === null ? null : `${publicUrl}/connect/${row.id}?token=${token}`,
    platform: row.platform,
    external_user_id: row.external_user_id,
    status,
    expires_at: toTimestamp(row.expires_at),
    completed_social_account_id: row.completed_social_account_id,
    created_at: toTimestamp(row.created_at),
  };
}
