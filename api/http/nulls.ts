// Which nulls of a request body count as left out.
import { z } from 'zod';
import type { Route } from './route.ts';

/**
 * Removes the nulls that count as left out. In a request that creates something, every null counts as left
 * out. In a change, a null clears its member, except that a null for a list or map counts as left out, and so
 * does a null in the objects of a list. An optional body that is null becomes empty.
 */
export function withoutNulls(
  json: unknown,
  { method, body, isBodyOptional }: Pick<Route, 'method' | 'body' | 'isBodyOptional'>,
) {
  if (json === null && isBodyOptional) return {};
  if (!isObject(json)) return json;
  const shape = body instanceof z.ZodObject ? body.shape : {};
  const isLeftOut = (name: string) =>
    method === 'post' || (Object.hasOwn(shape, name) && isListOrMap(shape[name]));
  return withoutMembers(json, isLeftOut);
}

/**
 * Removes the nulls that `isLeftOut` names, and all nulls from the objects in the object's lists. Leaves
 * other objects as they are.
 */
function withoutMembers(object: object, isLeftOut: (name: string) => boolean): object {
  const members = Object.entries(object).filter(
    ([name, value]) => value !== null || !isLeftOut(name),
  );
  return Object.fromEntries(
    members.map(([name, value]) => [name, Array.isArray(value) ? value.map(complete) : value]),
  );
}

const complete = (item: unknown) => (isObject(item) ? withoutMembers(item, () => true) : item);

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isListOrMap(schema: z.core.$ZodType): boolean {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault) inner = inner.unwrap();
  return inner instanceof z.ZodArray || inner instanceof z.ZodRecord;
}
