// Turns the row of an API key into its wire type, without the key or its hash.
import type { ApiKey } from '../../schema/api-keys.ts';
import type { ApiKeyRow } from '../../schema/database/tables.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';

export function presentApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    environment: row.environment,
    expires_at: toTimestamp(row.expires_at),
    revoked_at: toTimestamp(row.revoked_at),
    last_used_at: toTimestamp(row.last_used_at),
    created_at: toTimestamp(row.created_at),
  };
}
