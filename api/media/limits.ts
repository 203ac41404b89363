// Conditions for accepting bytes: a store, room for them, and media that wait for an upload.
import type { MediaStorage } from '../../activities/media/store/store.ts';
import type { MediaRow } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import type { Context } from '../http/context.ts';

export function requireStorage({ media }: Context): MediaStorage {
  if (media) return media;
  throw new AppError('media_not_configured', 'This installation stores no media.', {
    hint: 'The operator sets FANFARE_MEDIA_URL.',
  });
}

/** For media that no longer wait for an upload, or never did. */
export function takesNoUpload({ status, error_message }: MediaRow): AppError {
  const reasons: Partial<Record<MediaRow['status'], string>> = {
    pending: 'Fanfare fetches their bytes.',
    failed: `They failed: ${error_message}`,
  };
  const reason = reasons[status] ?? `They are ${status}.`;
  return new AppError('conflict', `The media take no upload. ${reason}`, {
    hint: 'Create other media for other bytes.',
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

/** `bytes`: of all media of the project. */
export function checkProjectBytes(storage: MediaStorage, bytes: number): void {
  if (bytes > storage.projectMaxBytes) throw fullProject(storage);
}

export function fullProject({ projectMaxBytes }: MediaStorage): AppError {
  const message = `The media of a project have at most ${projectMaxBytes} bytes.`;
  return new AppError('quota_exceeded', message, {
    hint: 'Delete media that you no longer use, or ask the operator for more.',
    details: { limit: projectMaxBytes },
  });
}
