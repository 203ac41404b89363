// Reads lists of a Graph API by their cursors.
import { z } from 'zod';
import type { ApiCall, Ask } from '../network-api.ts';

const Page = z.object({
  data: z.array(z.unknown()),
  paging: z
    .object({
      cursors: z.object({ after: z.string().optional() }).optional(),
      next: z.string().optional(),
    })
    .optional(),
});

/** Such as `2026-01-31T12:00:00+0000`. */
export const Timestamp = z.string().refine((text) => !Number.isNaN(Date.parse(text)));

const pageSize = 100;

interface ListOptions<T> {
  query: ApiCall['query'];
  /** Default: 5, which is enough for the posts of an account since a target was due. */
  maxPages?: number;
  /** Default: all items of the pages. */
  maxItems?: number;
  /**
   * For a list that begins with the newest item. After the first unwanted item, no further item is wanted.
   * Default: all items are wanted.
   */
  isWanted?: (item: T) => boolean;
  /** The network doesn't always name the next page, so only an empty page is the last one. */
  endsEmpty?: true;
}

/** Items that can't be read are left out. `isComplete`: the list has no more wanted items. */
export async function readList<T>(
  ask: Ask,
  path: string,
  item: z.ZodType<T>,
  { query, maxPages = 5, maxItems = Infinity, isWanted = () => true, endsEmpty }: ListOptions<T>,
): Promise<{ items: T[]; isComplete: boolean }> {
  const items: T[] = [];
  let isReadable = true;
  let after: string | undefined;
  for (let i = 0; i < maxPages && items.length < maxItems; i++) {
    const { body } = await ask(path, Page, { query: { ...query, limit: pageSize, after } });
    const { data, paging } = body;
    const read = data.flatMap<T>((given) => item.safeParse(given).data ?? []);
    const wanted = read.filter(isWanted);
    items.push(...wanted);
    // The item that is looked for may be one that can't be read.
    isReadable &&= read.length === data.length;
    after = paging?.cursors?.after;
    // A page without items isn't the last one if it names a next page.
    const mayEnd = !endsEmpty || after === undefined || data.length === 0;
    const isLast = paging?.next === undefined && mayEnd;
    if (isLast || wanted.length < read.length) return { items, isComplete: isReadable };
    // The address of the next page has the token, so it is not followed.
    if (after === undefined) break;
  }
  return { items, isComplete: false };
}
