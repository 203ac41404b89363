// Objects in the OpenAPI document. A field that describes an object in its own words has a copy of the
// object's schema, for which clients would get a type of its own. It refers to the component instead.
import { isDeepStrictEqual } from 'node:util';

type Json = Record<string, unknown>;

/** Replaces each copy of a component inside the others. */
export function referToObjects(schemas: Record<string, Json>): Record<string, Json> {
  const components = Object.entries(schemas).filter(([, { properties }]) => properties);

  function refer(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(refer);
    if (typeof value !== 'object' || value === null) return value;
    return findReference(value as Json) ?? referInside(value as Json);
  }

  function referInside(object: Json): Json {
    return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, refer(value)]));
  }

  function findReference({ description, type, ...rest }: Json): Json | undefined {
    if (!rest['properties']) return undefined;
    const found = components.find(([, component]) => {
      const { description: _, type: __, ...others } = component;
      return isDeepStrictEqual(others, rest);
    });
    if (!found) return undefined;
    const reference = { $ref: `#/components/schemas/${found[0]}` };
    const isNullable = [type].flat().includes('null');
    return { ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference), description };
  }

  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, referInside(schema)]),
  );
}
