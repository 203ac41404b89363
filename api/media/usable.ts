// Whether media that a request names by ID can be used.
import type { MediaRow } from '../../schema/database/tables.ts';
import { mediaErrors } from '../../schema/media.ts';
import type { Issue } from '../../schema/wire/errors.ts';
import type { Path } from '../../schema/wire/names.ts';

/** What is wrong with the media that a field names. */
export function checkId(row: MediaRow | undefined, path: Path): Issue[] {
  if (!row) return [{ path, code: 'unknown_media', message: 'No media has this ID.' }];
  switch (row.status) {
    case 'deleted':
      return [{ path, code: 'media_deleted', message: 'The media were deleted.' }];
    case 'failed': {
      const message = `The media can't be used: ${row.error_message ?? mediaErrors[row.error_code!]}`;
      return [{ path, code: 'media_failed', message, actual: row.error_code! }];
    }
    case 'pending': {
      const message = 'The upload of the media is not finished.';
      return row.url === null ? [{ path, code: 'media_not_ready', message }] : [];
    }
    case 'uploaded':
    case 'attached':
      return [];
  }
}
