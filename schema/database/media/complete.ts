// The outcome of media whose bytes are complete.
import { sql } from 'kysely';
import { insertChanges } from '../live/changes.ts';
import type { MediaRow, Transaction } from '../tables.ts';
import { isAttached } from './uses.ts';

export type MediaOutcome =
  | ({ status: 'uploaded' } & Pick<
      MediaRow,
      | 'kind'
      | 'content_type'
      | 'size_bytes'
      | 'sha256'
      | 'width'
      | 'height'
      | 'duration_ms'
      | 'needs_cleaning'
    >)
  | ({ status: 'failed' } & Pick<MediaRow, 'error_code' | 'error_message'>);

/**
 * Writes the outcome, unless the media already have one, their bytes have changed, or another writer has the
 * lease. Returns the media after that. Undefined: the media are gone.
 */
export async function concludeMedia(
  trx: Transaction,
  { id, received_bytes }: Pick<MediaRow, 'id' | 'received_bytes'>,
  outcome: MediaOutcome,
  writerId: string | undefined,
): Promise<MediaRow | undefined> {
  // A post that attaches the media holds this lock, so `isAttached` below sees its use.
  const row = await trx
    .selectFrom('media')
    .selectAll()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  const isCurrent =
    row?.status === 'pending' &&
    row.received_bytes === received_bytes &&
    (writerId === undefined || row.writer_id === writerId);
  if (!isCurrent) return row;
  const isUsed = await isAttached(trx, id);
  const status = outcome.status === 'uploaded' && isUsed ? 'attached' : outcome.status;
  const concluded = await trx
    .updateTable('media')
    .set({ error_message: null, ...outcome, status, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const { project_id } = row;
  await insertChanges(trx, [{ project_id, subject: 'media', subject_id: id, kind: status }]);
  return concluded;
}
