// Lists on the wire. A request has `limit` and an opaque `cursor`; a page has the next cursor.
import { z } from 'zod';
import { formerName } from './deprecations.ts';
import type { Text } from './names.ts';
import { GivenTime } from './timestamp.ts';

export const maxPageSize = 100;
export const defaultPageSize = 25;
/** A page ends early, before its texts have more bytes than this in all. A single post or event has fewer. */
export const maxPageBytes = 1_048_576;

/** An ID; or an order, the time by which it orders the item, if it has one, and the ID. */
const anyPosition = /^(?:-?[a-z_]{1,32}:\d{0,15}:)?[a-z]{2,8}_[0-9a-z]{1,512}$/;

/** Encodes the position of the last item of a page, so that clients treat the cursor as opaque. */
export function toCursor(position: string): string {
  return Buffer.from(position).toString('base64url');
}

export function fromCursor(cursor: string): string {
  return Buffer.from(cursor, 'base64url').toString();
}

const Cursor = z
  .string()
  .max(800)
  .refine(
    (cursor) => anyPosition.test(fromCursor(cursor)) && toCursor(fromCursor(cursor)) === cursor,
    { message: 'must be a cursor from a list', params: { code: 'invalid_cursor' } },
  );

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

/** The former names of the bounds of a period. */
export const periodNames = { since: 'from', until: 'to' } as const;

/** Filters by time of creation. */
const period = {
  from: GivenTime.optional().meta({ description: 'Start of the period, inclusive.' }),
  to: GivenTime.optional().meta({ description: 'End of the period, exclusive.' }),
  since: GivenTime.optional().meta(formerName('from', '0.2')),
  until: GivenTime.optional().meta(formerName('to', '0.2')),
};

export interface Period {
  since?: string | undefined;
  until?: string | undefined;
}

/** The period of a query that names its bounds in either way. */
export function toPeriod({ from, to, since = from, until = to }: PeriodQuery): Period {
  return { since, until };
}

export type PeriodQuery = Partial<Record<keyof typeof period, string | undefined>>;

/** The query of a list with filters by time of creation. */
export function periodQuery<Filters extends z.core.$ZodLooseShape>(filters: Filters) {
  const query = oneNameOf(listQuery({ ...filters, ...period }), periodNames);
  const bounds = [
    ['from', 'to'],
    ['since', 'until'],
    ['from', 'until'],
    ['since', 'to'],
  ] as const;
  return bounds.reduce((checked, [first, last]) => ordered(checked, first, last), query);
}

/** Refuses a parameter beside its other name. `names`: the name for each other name. */
export function oneNameOf<Query extends z.ZodObject>(
  query: Query,
  names: Readonly<Record<string, string>>,
): Query {
  return Object.entries(names).reduce(
    (checked, [other, name]) =>
      checked.refine((given) => given[other] === undefined || given[name] === undefined, {
        path: [other],
        params: {
          code: 'both_names',
          text: (({ field }) =>
            `must not be sent beside ${field(name)}, which is the same`) satisfies Text,
        },
        when: ({ issues }) => issues.length === 0,
      }),
    query,
  );
}

/** How many values a filter may list. */
const maxValues = 20;

const listParameter = <Item extends z.ZodType>(item: Item, description: string, explode: boolean) =>
  z
    .array(item)
    .min(1)
    .max(maxValues)
    .optional()
    .meta({ description, param: { style: 'form', explode } });

/** A parameter that lists values. A URL separates them by commas, or repeats the parameter. */
export const commaList = <Item extends z.ZodType>(item: Item, description: string) =>
  listParameter(item, description, false);

/** A parameter that lists values, which may have commas. A URL repeats the parameter. */
export const repeatedList = <Item extends z.ZodType>(item: Item, description: string) =>
  listParameter(item, description, true);

/** A parameter that is a map. A URL has each of its entries: `metadata[key]=value`. */
export const mapParameter = <Entries extends z.ZodType>(map: Entries, description: string) =>
  map.optional().meta({ description, param: { style: 'deepObject', explode: true } });

/** Refuses a period whose end is not after its start. */
export function ordered<Query extends z.ZodObject>(
  query: Query,
  first: string,
  last: string,
): Query {
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
