// Which nulls of a request body count as left out.
import { z } from 'zod';
import { checkedAlone } from '../../schema/wire/checked-alone.ts';
import type { Route } from './route.ts';

/**
 * Removes the nulls that count as left out. In a request that creates something, every null counts as left
 * out. In a change, a null clears its member, except that a null for a list or map counts as left out, and so
 * does a null in the objects of a list. Items that are checked alone are handled like the bodies that they could
 * be. An optional body that is null becomes empty.
 */
export function withoutNulls(
  json: unknown,
  { method, body, isBodyOptional = false }: Pick<Route, 'method' | 'body' | 'isBodyOptional'>,
): unknown {
  if (json === null && isBodyOptional) return {};
  if (!isObject(json)) return json;
  const shape = body instanceof z.ZodObject ? body.shape : {};
  const isLeftOut = (name: string) =>
    method === 'post' || (Object.hasOwn(shape, name) && isListOrMap(shape[name]));
  const completeItem = (name: string, item: unknown) => {
    const list = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const alone = list instanceof z.ZodArray && checkedAlone.get(list.element);
    return alone ? withoutNulls(item, alone) : complete(item);
  };
  return withoutMembers(json, isLeftOut, completeItem);
}

/**
 * Removes the nulls that `isLeftOut` names, and completes the items of the object's lists. Leaves other
 * objects as they are.
 */
function withoutMembers(
  object: object,
  isLeftOut: (name: string) => boolean,
  completeItem: (name: string, item: unknown) => unknown,
): object {
  const members = Object.entries(object).filter(
    ([name, value]) => value !== null || !isLeftOut(name),
  );
  return Object.fromEntries(
    members.map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map((item) => completeItem(name, item)) : value,
    ]),
  );
}

const complete = (item: unknown): unknown =>
  isObject(item)
    ? withoutMembers(
        item,
        () => true,
        (_, inner) => complete(inner),
      )
    : item;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isListOrMap(schema: z.core.$ZodType): boolean {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault) inner = inner.unwrap();
  return inner instanceof z.ZodArray || inner instanceof z.ZodRecord;
}
