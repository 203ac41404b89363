// Keyset paging, the same for every list: newest first, one row more than asked tells of a next page.
import { validationError, type AppError } from '../schema/errors.ts';
import { idPrefixes, type IdKind } from '../schema/ids.ts';
import { fromCursor, toCursor, type Page, type Paging, type Slice } from '../schema/listing.ts';

/**
 * Rows of one kind: the cursor of another list is no place in this one. `present` gets the page's rows
 * at once, so that it may read what belongs to all of them.
 */
export async function page<Row extends { id: string }, T>(
  kind: IdKind | 'attempt',
  { limit, cursor }: Paging,
  list: (slice: Slice) => Promise<Row[]>,
  present: (rows: Row[]) => T[] | Promise<T[]>,
): Promise<Page<T>> {
  const before = cursor === undefined ? undefined : fromCursor(cursor);
  if (before !== undefined && !formOf(kind).test(before)) throw foreignCursor();
  const rows = await list({ limit: limit + 1, before });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return {
    data: await present(shown),
    meta: { limit, has_more: hasMore, next_cursor: hasMore && last ? toCursor(last.id) : null },
  };
}

/** Attempts have numbers where other rows have ids. */
export const attemptPrefix = 'att_';

/** What the ids of a list's rows look like. */
function formOf(kind: IdKind | 'attempt'): RegExp {
  return new RegExp(kind === 'attempt' ? `^${attemptPrefix}\\d{1,9}$` : `^${idPrefixes[kind]}_`);
}

function foreignCursor(): AppError {
  const message = 'is not a cursor that this list gave';
  return validationError([{ path: 'cursor', code: 'invalid_cursor', message }]);
}

/** A list that is short by nature, as its only page. */
export function wholePage<T>(data: T[]): Page<T> {
  return { data, meta: { limit: data.length, has_more: false, next_cursor: null } };
}
