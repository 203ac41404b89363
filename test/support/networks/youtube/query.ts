// Reads the parameters of a call to the simulated YouTube, and refuses those that the schema doesn't name.
import { z } from 'zod';
import { badRequest } from './refusals.ts';

/** A list of parts may come in several parameters of the same name, as Google's own client sends it. */
export function readQuery<T>({ url }: Request, schema: z.ZodType<T>): T {
  const query: Record<string, string> = {};
  for (const [name, value] of new URL(url).searchParams) {
    query[name] = name in query ? `${query[name]},${value}` : value;
  }
  const { data, error } = schema.safeParse(query);
  if (error) throw badRequest(z.prettifyError(error), 'invalidParameter');
  return data;
}
