// Items of a request that are checked and refused on their own. The check of the whole request leaves them out.
import { z } from 'zod';

/** The request that would have the item as its body. */
export interface CheckedAlone {
  body: z.ZodType;
  method: 'post' | 'patch';
}

/** By the schema of the item. */
export const checkedAlone = new WeakMap<z.core.$ZodType, CheckedAlone>();

/** An item of a list that is checked like a body of its own. `name`: the component in the OpenAPI document. */
export function itemLike(name: string, alone: CheckedAlone): z.ZodUnknown {
  const item = z
    .unknown()
    .meta({ type: 'object', allOf: [{ $ref: `#/components/schemas/${name}` }] });
  checkedAlone.set(item, alone);
  return item;
}
