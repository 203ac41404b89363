// The rule of every PATCH body: it changes at least one field.
import type { z } from 'zod';
import type { Text } from './names.ts';

/** `qualifiers`: fields that only say how to read another one. */
export function someChange<Changes extends z.ZodObject>(
  changes: Changes,
  qualifiers: readonly (keyof Changes['shape'])[] = [],
) {
  const names = Object.keys(changes.shape).filter((name) => !qualifiers.includes(name));
  const text: Text = ({ field }) => `must change at least one of ${names.map(field).join(', ')}`;
  return changes.refine((given) => names.some((name) => Object.hasOwn(given, name)), {
    params: { code: 'nothing_to_change', text },
    when: ({ issues }) => issues.length === 0,
  });
}
