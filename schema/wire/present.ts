// Turns a row into its wire type: the members that the schema names, with times as text.
import type { z } from 'zod';

/** The columns are named like the members. A row may have more of them, which the wire type leaves out. */
type RowOf<Wire> = {
  readonly [Name in keyof Wire]: Wire[Name] | (string extends Wire[Name] ? Date : never);
};

export function present<Schema extends z.ZodObject>(
  schema: Schema,
  row: RowOf<z.infer<Schema>>,
): z.infer<Schema> {
  const members = Object.keys(schema.shape).map((name) => {
    const value: unknown = row[name as keyof typeof row];
    return [name, value instanceof Date ? value.toISOString() : value];
  });
  return Object.fromEntries(members) as z.infer<Schema>;
}
