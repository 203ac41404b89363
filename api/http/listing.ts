// Keyset paging of every list, newest first. One extra row shows whether a next page exists.
import { validationError, type AppError } from '../../schema/wire/errors.ts';
import { idPrefixes, type IdKind } from '../../schema/wire/ids.ts';
import type { Weight } from '../../schema/database/listing.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { Db } from '../../schema/database/tables.ts';
import {
  fromCursor,
  maxPageBytes,
  toCursor,
  type Page,
  type PageMeta,
  type Paging,
  type Slice,
} from '../../schema/wire/listing.ts';
import type { Context } from './context.ts';

type Kind = IdKind | 'attempt' | 'choice' | 'label';
type Present<Row, T> = (rows: Row[]) => T[] | Promise<T[]>;

/** `present` gets all rows of the page, so that it can read related rows in one query. */
export async function page<Row extends { id: string }, T>(
  kind: Kind,
  { limit, cursor }: Paging,
  list: (slice: Slice) => Promise<Row[]>,
  present: Present<Row, T>,
): Promise<Page<T>> {
  const rows = await list(sliceOf(kind, { limit, cursor }));
  return firstPage(limit, rows, present, toIdPosition);
}

/** The page with the first of these rows. One row more than the page takes means that there is another page. */
export async function firstPage<Row extends object, T>(
  limit: number,
  rows: Row[],
  present: Present<Row, T>,
  toPosition: (row: Row) => string,
): Promise<Page<T>> {
  const fitting = Math.min(limit, countFitting(rows));
  const data = await present(rows.slice(0, fitting));
  return { data, meta: { ...metaOf(rows, fitting, toPosition), limit } };
}

const toIdPosition = ({ id }: { id: string }) => id;

/** How many rows fit on the page by their weight. Rows without a weight all fit. */
function countFitting(rows: readonly (object & Partial<Weight>)[]): number {
  const last = rows.at(-1);
  const bytes = (last?.bytes_before ?? 0) + (last?.bytes ?? 0);
  return bytes > maxPageBytes ? Math.max(1, rows.length - 1) : rows.length;
}

/** A page for each parent that has rows, from one query. */
export async function pagesByParent<Row extends { id: string; parent_id: string }, T>(
  kind: Kind,
  paging: Paging,
  list: (slice: Slice) => Promise<Row[]>,
  present: Present<Row, T>,
): Promise<Map<string, Page<T>>> {
  const { limit } = paging;
  const lists = Map.groupBy(await list(sliceOf(kind, paging)), ({ parent_id }) => parent_id);
  const presented = await present([...lists.values()].flatMap((rows) => rows.slice(0, limit)));
  const pages = [...lists].map(([parentId, rows]) => {
    const data = presented.splice(0, Math.min(rows.length, limit));
    return [parentId, { data, meta: metaOf(rows, limit, toIdPosition) }] as const;
  });
  return new Map(pages);
}

function sliceOf(kind: Kind, { limit, cursor }: Paging): Slice {
  const before = cursor === undefined ? undefined : fromCursor(cursor);
  if (before !== undefined && !formOf(kind).test(before)) throw foreignCursor();
  return { limit: limit + 1, before };
}

function metaOf<Row>(rows: Row[], limit: number, toPosition: (row: Row) => string): PageMeta {
  const hasMore = rows.length > limit;
  const last = rows.slice(0, limit).at(-1);
  const next = hasMore && last ? toCursor(toPosition(last)) : null;
  return { limit, has_more: hasMore, next_cursor: next };
}

/** The page of a parent without rows. */
export function emptyPage({ limit }: Pick<Paging, 'limit'>): Page<never> {
  return { data: [], meta: { limit, has_more: false, next_cursor: null } };
}

/** Attempts have numbers instead of IDs. */
export const attemptPrefix = 'att_';
/** Choices have positions, since only their network knows their IDs. */
export const choicePrefix = 'cho_';

/** Labels are their own IDs, in hex. */
export const labelPrefix = 'lbl_';

/** The form of the IDs of a list's rows. */
function formOf(kind: Kind): RegExp {
  if (kind === 'attempt') return new RegExp(`^${attemptPrefix}\\d{1,9}$`);
  if (kind === 'choice') return new RegExp(`^${choicePrefix}\\d{1,9}$`);
  if (kind === 'label') return new RegExp(`^${labelPrefix}(?:(?!00)[0-9a-f]{2})+$`);
  return new RegExp(`^${idPrefixes[kind]}_`);
}

export function foreignCursor(message = 'must be a cursor from this list'): AppError {
  return validationError([{ path: ['cursor'], code: 'invalid_cursor', message }]);
}

/** Reads the resources with these ids that the scope includes, in any order. */
export function byIds<Row, T>(
  list: (db: Db, scope: RowScope, ids: string[]) => Promise<Row[]>,
  present: (row: Row) => T,
) {
  return async ({ db }: Context, scope: RowScope, ids: string[]): Promise<T[]> => {
    const rows = await list(db, scope, ids);
    return rows.map((row) => present(row));
  };
}

/** A short list as a single page. */
export function wholePage<T>(data: T[]): Page<T> {
  return { data, meta: { limit: data.length, has_more: false, next_cursor: null } };
}
