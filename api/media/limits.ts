// Conditions for accepting bytes: a store, room for them, and media that wait for an upload.
import type { MediaStorage } from '../../activities/media/store/store.ts';
import type { MediaRow } from '../../schema/database/tables.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import type { Context } from '../http/context.ts';

export function requireStorage({ media }: Pick<Context, 'media'>): MediaStorage {
  if (media) return media;
  throw new AppError('media_not_configured', 'This installation stores no media.', {
    hint: 'Ask the operator to set FANFARE_MEDIA_URL.',
  });
}

/**
 * Makes the error for an upload to media that no longer wait for one, or never did. `row` is undefined if the
 * media are gone.
 */
export function uploadRefused(row: MediaRow | undefined): AppError {
  const { status, error_message } = row ?? { status: 'deleted', error_message: null };
  const reasons: Partial<Record<MediaRow['status'], string>> = {
    pending: 'Fanfare fetches them from their URL.',
    failed: `they failed. ${error_message}`,
    deleted: 'they were deleted.',
  };
  const reason = reasons[status] ?? `they are ${status}.`;
  return new AppError('conflict', `These media can't be uploaded: ${reason}`, {
    hint: 'To upload a different file, create new media.',
    details: { media_status: status },
  });
}

/** `bytes`: of the whole file. */
export function checkSize({ maxBytes }: MediaStorage, bytes: number): void {
  if (bytes <= maxBytes) return;
  throw new AppError('payload_too_large', `The file must have at most ${maxBytes} bytes.`, {
    details: { limit: maxBytes },
  });
}

export function fullProject({ projectMaxBytes }: MediaStorage): AppError {
  const message = `The media of a project have at most ${projectMaxBytes} bytes.`;
  return new AppError('quota_exceeded', message, {
    hint: 'Delete media that you no longer use, or ask the operator for more.',
    details: { limit: projectMaxBytes },
  });
}

/** `total`: bytes of the whole file, as the request announces them. */
export function checkTotal(storage: MediaStorage, row: MediaRow, total: number): void {
  if (total === 0) throw emptyFile();
  checkSize(storage, total);
  if (row.declared_bytes !== null && row.declared_bytes !== total) {
    const message = `has ${total} bytes, but ${row.declared_bytes} were declared`;
    throw wrongSize(message, { actual: total, limit: row.declared_bytes });
  }
}

/** Throws if a request that continues an upload names another total than the first request did. */
export function checkSameTotal({ received_bytes, upload_total }: MediaRow, total: number): void {
  if (received_bytes === 0 || upload_total === null || upload_total === total) return;
  const message = `names ${total} bytes in all, but the upload began with ${upload_total}`;
  const sizes = { actual: total, limit: upload_total };
  throw validationError([{ path: ['Content-Range'], code: 'total_mismatch', message, ...sizes }]);
}

export function wrongSize(message: string, sizes: { actual?: number; limit: number }): AppError {
  return validationError([{ path: [], code: 'size_mismatch', message, ...sizes }]);
}

export function emptyFile(): AppError {
  return validationError([{ path: [], code: 'media_invalid', message: 'The file is empty.' }]);
}
