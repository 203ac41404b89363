// Reads lists of an account or of a post, back to the time when a target was due.
import { z } from 'zod';
import type { Ask } from '../network-api.ts';

const pageSize = 100;
/** An account publishes at most 100 posts in 24 hours. */
const maxPages = 5;
/** Instagram's clock may be behind ours. */
const clockErrorMs = 60_000;

/** `isComplete`: nothing of that time is missing. */
export async function listSince<T extends { timestamp: string }>(
  ask: Ask,
  path: string,
  item: z.ZodType<T>,
  fields: { fields: string },
  dueAt: Date,
): Promise<{ items: T[]; isComplete: boolean }> {
  const sinceMs = dueAt.getTime() - clockErrorMs;
  const page = z.object({
    data: z.array(item),
    paging: z
      .object({
        cursors: z.object({ after: z.string().optional() }).optional(),
        next: z.string().optional(),
      })
      .optional(),
  });
  const items: T[] = [];
  let after: string | undefined;
  for (let i = 0; i < maxPages; i++) {
    const query = { ...fields, limit: pageSize, after };
    const { data, paging } = (await ask(path, page, { query })).body;
    const recent = data.filter(({ timestamp }) => Date.parse(timestamp) >= sinceMs);
    items.push(...recent);
    after = paging?.cursors?.after;
    // The newest come first. Graph APIs may give a cursor that leads to an empty page.
    const isPast = recent.length < data.length;
    if (after === undefined || paging?.next === undefined || data.length === 0 || isPast) {
      return { items, isComplete: true };
    }
  }
  return { items, isComplete: false };
}
