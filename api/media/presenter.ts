// Turns the row of media into its wire type. Only the operation that made the upload URL adds it.
import type { MediaRow } from '../../schema/database/tables.ts';
import type { Media } from '../../schema/media.ts';
import { toTimestamp } from '../../schema/wire/timestamp.ts';

export function presentMedia(row: MediaRow): Media {
  return {
    id: row.id,
    status: row.status,
    filename: row.filename,
    url: row.url,
    upload_url: null,
    expires_at: row.status === 'pending' ? toTimestamp(row.upload_expires_at) : null,
    received_bytes: row.received_bytes,
    kind: row.kind,
    content_type: row.content_type,
    size_bytes: row.size_bytes ?? row.declared_bytes,
    width: row.width,
    height: row.height,
    duration_ms: row.duration_ms,
    error_code: row.error_code,
    error_message: row.error_message,
    created_at: toTimestamp(row.created_at),
  };
}
