// The rule of every PATCH body: it names at least one thing to change.
import type { z } from 'zod';

export function someChange<Changes extends z.ZodObject>(changes: Changes) {
  return changes.refine((given) => Object.keys(given).length > 0, {
    message: 'names nothing to change',
    params: { code: 'nothing_to_change' },
    when: ({ issues }) => issues.length === 0,
  });
}
