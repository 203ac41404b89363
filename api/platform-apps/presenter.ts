// Turns the row of an app into its wire type.
import type { PlatformAppRow } from '../../schema/database/tables.ts';
import type { PlatformApp } from '../../schema/platform-apps.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';

export function presentPlatformApp(row: PlatformAppRow): PlatformApp {
  return {
    platform: row.platform,
    client_id: row.client_id,
    has_client_secret: row.client_secret !== null,
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
  };
}
