// The rule of every PATCH body: it names at least one thing to change.
import type { z } from 'zod';

export function someChange<Changes extends z.ZodObject>(changes: Changes) {
  const names = Object.keys(changes.shape).map((name) => `\`${name}\``);
  return changes.refine((given) => Object.keys(given).length > 0, {
    message: `names nothing to change: give one or more of ${names.join(', ')}`,
    params: { code: 'nothing_to_change' },
    when: ({ issues }) => issues.length === 0,
  });
}
