// Reads lists of an account or of a post, back to the time when a target was due. A list begins with its
// newest item.
import type { z } from 'zod';
import { earliestOf } from '../lost-posts.ts';
import { readList } from '../meta/lists.ts';
import type { Ask } from '../network-api.ts';
import type { Target } from '../platform.ts';

export function listSince<T extends { timestamp: string }>(
  ask: Ask,
  path: string,
  item: z.ZodType<T>,
  fields: string,
  target: Target,
) {
  const isWanted = ({ timestamp }: T) => Date.parse(timestamp) >= earliestOf(target);
  return readList(ask, path, item, { query: { fields }, isWanted });
}
