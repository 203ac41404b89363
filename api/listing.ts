// Keyset paging, the same for every list: newest first, one row more than asked tells of a next page.
import { fromCursor, toCursor, type Page, type Paging, type Slice } from '../schema/listing.ts';

/** `present` gets the page's rows at once, so that it may read what belongs to all of them. */
export async function page<Row extends { id: string }, T>(
  { limit, cursor }: Paging,
  list: (slice: Slice) => Promise<Row[]>,
  present: (rows: Row[]) => T[] | Promise<T[]>,
): Promise<Page<T>> {
  const before = cursor === undefined ? undefined : fromCursor(cursor);
  const rows = await list({ limit: limit + 1, before });
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return {
    data: await present(shown),
    meta: { limit, has_more: hasMore, next_cursor: hasMore && last ? toCursor(last.id) : null },
  };
}

/** A list that is short by nature, as its only page. */
export function wholePage<T>(data: T[]): Page<T> {
  return { data, meta: { limit: data.length, has_more: false, next_cursor: null } };
}
