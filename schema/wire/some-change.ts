// The rule of every PATCH body: it changes at least one field.
import type { z } from 'zod';
import type { Text } from './names.ts';

export function someChange<Changes extends z.ZodObject>(changes: Changes) {
  const text: Text = ({ field }) =>
    `must change at least one of ${Object.keys(changes.shape).map(field).join(', ')}`;
  return changes.refine((given) => Object.keys(given).length > 0, {
    params: { code: 'nothing_to_change', text },
    when: ({ issues }) => issues.length === 0,
  });
}
