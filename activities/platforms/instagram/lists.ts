// Reads lists of an account or of a post, back to the time when a target was due.
import { z } from 'zod';
import type { Ask } from '../network-api.ts';

const pageSize = 100;
/** An account publishes at most 100 posts in 24 hours. */
const maxPages = 5;
/** Instagram's clock may be behind ours. */
const clockErrorMs = 60_000;

export const Timestamp = z.string().refine((text) => !Number.isNaN(Date.parse(text)));

const Page = z.object({
  data: z.array(z.unknown()),
  paging: z
    .object({
      cursors: z.object({ after: z.string().optional() }).optional(),
      next: z.string().optional(),
    })
    .optional(),
});

/** `isComplete`: nothing of that time is missing. */
export async function listSince<T extends { timestamp: string }>(
  ask: Ask,
  path: string,
  item: z.ZodType<T>,
  fields: { fields: string },
  dueAt: Date,
): Promise<{ items: T[]; isComplete: boolean }> {
  const sinceMs = dueAt.getTime() - clockErrorMs;
  const items: T[] = [];
  let isReadable = true;
  let after: string | undefined;
  for (let i = 0; i < maxPages; i++) {
    const query = { ...fields, limit: pageSize, after };
    const { data, paging } = (await ask(path, Page, { query })).body;
    const read = data.flatMap<T>((given) => item.safeParse(given).data ?? []);
    const recent = read.filter(({ timestamp }) => Date.parse(timestamp) >= sinceMs);
    items.push(...recent);
    // An item that can't be read may be the one that is looked for.
    isReadable &&= read.length === data.length;
    // The newest come first. A page without items isn't the last one if it names another one.
    const isPast = recent.length < read.length;
    if (isPast || paging?.next === undefined) return { items, isComplete: isReadable };
    // The address of the next page has the token, so it is not followed.
    after = paging.cursors?.after;
    if (after === undefined) break;
  }
  return { items, isComplete: false };
}
