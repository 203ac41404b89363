// Reads lists of an account or of a post, back to the time when a target was due. The newest items come first.
import { z } from 'zod';
import { earliestOf, readList } from '../meta/lists.ts';
import type { Ask } from '../network-api.ts';
import type { Target } from '../platform.ts';

export const Timestamp = z.string().refine((text) => !Number.isNaN(Date.parse(text)));

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
