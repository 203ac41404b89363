// Lists on the wire: `limit` and an opaque `cursor` in, a page and where the next one begins out.
import { z } from 'zod';
import { GivenTime } from './timestamp.ts';

export const maxPageSize = 100;
export const defaultPageSize = 25;

const anyId = /^[a-z]{2,8}_[0-9a-z]{1,64}$/;

/** The id that a page ended with, wrapped, so that nobody builds one by hand. */
export function toCursor(id: string): string {
  return Buffer.from(id).toString('base64url');
}

export function fromCursor(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString();
}

const Cursor = z
  .string()
  .max(128)
  .refine((cursor) => anyId.test(fromCursor(cursor)) && toCursor(fromCursor(cursor)) === cursor, {
    message: 'is not a cursor that a list gave',
    params: { code: 'invalid_cursor' },
  });

/** Plain decimal digits alone: no sign, no space, no other notation. */
function fromDigits(given: unknown): unknown {
  return typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given;
}

const paging = {
  limit: z
    .preprocess(fromDigits, z.number().int().min(1).max(maxPageSize))
    .default(defaultPageSize),
  cursor: Cursor.optional().meta({ description: 'The `next_cursor` of the page before.' }),
};

/** Filters of a list by the time its rows were made. */
export const period = {
  since: GivenTime.optional(),
  until: GivenTime.optional().meta({ description: 'Up to, not including, this.' }),
};

export interface Period {
  since?: string | undefined;
  until?: string | undefined;
}

/** Refuses a period that nothing can lie in, by the names of its bounds. */
export function ordered<Query extends z.ZodObject>(query: Query, first: string, last: string) {
  return query.refine(
    (given) => {
      const [from, to] = [given[first], given[last]];
      if (typeof from !== 'string' || typeof to !== 'string') return true;
      return Date.parse(from) < Date.parse(to);
    },
    {
      path: [first],
      message: `must be before \`${last}\``,
      params: { code: `not_before_${last}` },
      when: ({ issues }) => issues.length === 0,
    },
  );
}

/** The query of a list: its filters, `limit` and `cursor`; anything else is refused. */
export function listQuery<Filters extends z.core.$ZodLooseShape>(filters: Filters) {
  return z.strictObject({ ...filters, ...paging });
}

export interface Paging {
  limit: number;
  cursor?: string | undefined;
}

export const PageMeta = z
  .object({
    limit: z.int(),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
  })
  .meta({ id: 'PageMeta' });
export type PageMeta = z.infer<typeof PageMeta>;

export interface Page<T> {
  data: T[];
  meta: PageMeta;
}

/** What a query of a list is asked for: rows with ids below `before`, by falling id. */
export interface Slice {
  limit: number;
  before: string | undefined;
}
