// Lists on the wire. A request has `limit` and an opaque `cursor`; a page has the next cursor.
import { z } from 'zod';
import type { Text } from './names.ts';
import { GivenTime } from './timestamp.ts';

export const maxPageSize = 100;
export const defaultPageSize = 25;
/** A page ends early, before its texts have more bytes than this in all. A single post or event has fewer. */
export const maxPageBytes = 1_048_576;

const anyId = /^[a-z]{2,8}_[0-9a-z]{1,64}$/;

/** Encodes the last ID of a page, so that clients treat the cursor as opaque. */
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
    message: 'must be a cursor from a list',
    params: { code: 'invalid_cursor' },
  });

/** Accepts decimal digits only: no space or exponent. */
function fromDigits(given: unknown): unknown {
  return typeof given === 'string' && /^-?\d+$/.test(given) ? Number(given) : given;
}

const paging = (defaultLimit: number) => ({
  limit: z
    .preprocess(fromDigits, z.number().int().min(1).max(maxPageSize))
    .default(defaultLimit)
    .meta({
      description: `Page size, 1 to ${maxPageSize}. A page ends early when its texts reach 1 MB. Default: ${defaultLimit}.`,
    }),
  cursor: Cursor.optional().meta({ description: '`next_cursor` of the previous page.' }),
});

/** Filters by time of creation. */
export const period = {
  since: GivenTime.optional().meta({ description: 'Start of the period, inclusive.' }),
  until: GivenTime.optional().meta({ description: 'End of the period, exclusive.' }),
};

export interface Period {
  since?: string | undefined;
  until?: string | undefined;
}

/** Refuses a period whose end is not after its start. */
export function ordered<Query extends z.ZodObject>(query: Query, first: string, last: string) {
  return query.refine(
    (given) => {
      const [from, to] = [given[first], given[last]];
      if (typeof from !== 'string' || typeof to !== 'string') return true;
      return Date.parse(from) < Date.parse(to);
    },
    {
      path: [first],
      params: {
        code: `not_before_${last}`,
        text: (({ field }) => `must be before ${field(last)}`) satisfies Text,
      },
      when: ({ issues }) => issues.length === 0,
    },
  );
}

/** The query of a list: filters, `limit` and `cursor`. */
export function listQuery<Filters extends z.core.$ZodLooseShape>(
  filters: Filters,
  defaultLimit = defaultPageSize,
) {
  return z.strictObject({ ...filters, ...paging(defaultLimit) });
}

export interface Paging {
  limit: number;
  cursor?: string | undefined;
}

export const PageMeta = z
  .object({
    limit: z.int().meta({
      description: 'Page size. The number of entries if the whole list is a single page.',
    }),
    has_more: z.boolean().meta({ description: 'Whether there is another page.' }),
    next_cursor: z.string().nullable().meta({
      description: 'Cursor of the next page. Pass it as `cursor`. Null on the last page.',
    }),
  })
  .meta({ id: 'PageMeta', description: 'Position of a page in its list.' });
export type PageMeta = z.infer<typeof PageMeta>;

export interface Page<T> {
  data: T[];
  meta: PageMeta;
}

/** Rows to read: at most `limit`, with IDs below `before`, in descending order. */
export interface Slice {
  limit: number;
  before: string | undefined;
}
