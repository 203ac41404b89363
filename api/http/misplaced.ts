// Tells of a member that an object doesn't know whether it belongs in another place of the request.
import { z } from 'zod';

/** `belongs in …`; undefined: nowhere. `path`: where the object that has it stands. */
export function findPlace(
  schema: z.core.$ZodType,
  path: readonly PropertyKey[],
  name: string,
): string | undefined {
  if (!(schema instanceof z.ZodObject)) return undefined;
  const [list] = path;
  if (typeof list === 'string') {
    return Object.hasOwn(schema.shape, name) ? `belongs beside \`${list}\`` : undefined;
  }
  const home = Object.entries(schema.shape).find(([, member]) => hasItemsWith(member, name));
  return home && `belongs in \`${home[0]}[]\``;
}

function hasItemsWith(schema: z.core.$ZodType, name: string): boolean {
  const list = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(list instanceof z.ZodArray) || !(list.element instanceof z.ZodObject)) return false;
  return Object.hasOwn(list.element.shape, name);
}
