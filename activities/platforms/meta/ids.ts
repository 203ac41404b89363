// IDs of Meta's objects: a text, or a number. `parseJson` keeps the digits of numbers that JavaScript would round.
import { z } from 'zod';

export const GraphId = z
  .union([z.string(), z.int()])
  .transform(String)
  .pipe(z.string().regex(/^\d{1,30}$/));

/** The answer to a call that made an object. */
export const Made = z.object({ id: GraphId });
