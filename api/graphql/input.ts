// Converts GraphQL input to the wire's form, and the wire's paths to GraphQL's.
import {
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
} from 'graphql';
import type { z } from 'zod';
import { checkedAlone } from '../../schema/wire/checked-alone.ts';
import { writePath, type Names, type Path } from '../../schema/wire/names.ts';
import { toCamelCase, toSnakeCase } from './case-conversion.ts';

/**
 * An input value as REST would have it. GraphQL clients send null for what they omit, so a null is
 * dropped unless the resource's schema accepts it.
 */
export function toWire(value: unknown, type: GraphQLInputType, schema?: z.ZodType): unknown {
  if (isNonNullType(type)) return toWire(value, type.ofType, schema);
  if (value === null || value === undefined) return value;
  const inner = unwrap(schema);
  if (isListType(type) && Array.isArray(value)) {
    const element = inner && 'element' in inner ? (inner.element as z.ZodType) : undefined;
    const own = element && (checkedAlone.get(element)?.body ?? element);
    return value.map((item) => toWire(item, type.ofType, own));
  }
  if (!isInputObjectType(type)) return value;
  const fields = type.getFields();
  const shape = inner && 'shape' in inner ? (inner.shape as Record<string, z.ZodType>) : {};
  const wire: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const key = toSnakeCase(name);
    if (member === null && !shape[key]?.safeParse(null).success) continue;
    const field = getNamedType(fields[name]!.type);
    if (isInputObjectType(field) && field.isOneOf) Object.assign(wire, chosen(member, field, key));
    else wire[key] = toWire(member, fields[name]!.type, shape[key]);
  }
  return wire;
}

/**
 * The member of a one-of input. REST names the network in `platform`, beside the options. Options with the
 * value null are kept, because they don't get the account's defaults.
 */
function chosen(member: unknown, type: GraphQLInputObjectType, key: string) {
  const [[platform, options]] = Object.entries(member as object) as [[string, object]];
  const given = toWire(options, type.getFields()[platform]!.type) as object;
  const nulls = Object.entries(options).filter(([, option]) => option === null);
  const leftOut = nulls.map(([name]) => [toSnakeCase(name), null]);
  return { platform, [key]: { ...given, ...Object.fromEntries(leftOut) } };
}

/** The schema inside optional, default and nullable schemas. */
function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
  let inner = schema;
  while (inner && 'unwrap' in inner && !('element' in inner)) {
    inner = (inner as z.ZodOptional<z.ZodType>).unwrap();
  }
  return inner;
}

/** Where a value of the wire is in the arguments of a field. */
export interface Place {
  /** The argument that holds the whole value. */
  input?: { type: GraphQLInputType; value: unknown };
  /** Other arguments of the field, which REST has in the path. */
  beside?: readonly string[];
  /** Arguments whose names differ from REST's. */
  names?: Readonly<Record<string, string>>;
  /** Arguments that list the pairs of a map, with the keys in their order. */
  keys?: Readonly<Record<string, readonly string[]>>;
}

export const graphqlNames: Names = {
  field: (name) => `\`${toCamelCase(name)}\``,
  operation: (name) => `\`${name}\``,
  parameter: (name, value) => `\`${toCamelCase(name)}: ${value}\``,
  path: writePath,
};

export function namesAt(place: Place): Names {
  return { ...graphqlNames, path: (path) => writePath(toArgumentPath(path, place)) };
}

/**
 * `['platform_posts', 1, 'first_comment']` → `['input', 'platformPosts', 1, 'firstComment']`. Names
 * below a scalar belong to the client or a network, so they stay. A one-of input adds the member that
 * was sent: `['platform_options', 'delay_ms']` → `['platformOptions', 'sandbox', 'delayMs']`.
 */
export function toArgumentPath(path: Path, place: Place): Path {
  const { input, names = {}, beside = [], keys = {} } = place;
  const [map, key] = path;
  const listed = keys[String(map)];
  if (listed && typeof key === 'string') return [String(map), listed.indexOf(key)];
  if (beside.includes(String(path[0]))) return path;
  let { type, value } = { ...input };
  const parts: (string | number)[] = input ? ['input'] : [];
  const enter = (inner: GraphQLInputType | undefined, part: string | number) => {
    type = inner;
    value = (value as Record<string, unknown> | null | undefined)?.[part];
    parts.push(part);
  };
  for (const part of path) {
    const at = nullable(type);
    if (typeof part === 'number') {
      enter(isListType(at) ? at.ofType : at, part);
      continue;
    }
    if (at && !isInputObjectType(at)) {
      enter(at, part);
      continue;
    }
    const fields = at?.getFields() ?? {};
    const name = names[part] ?? toCamelCase(part);
    // GraphQL names the network by the member of `platformOptions`.
    const isNetwork = name === 'platform' && !fields[name] && fields['platformOptions'];
    const own = isNetwork ? 'platformOptions' : name;
    enter(fields[own]?.type, own);
    const oneOf = nullable(type);
    if (!isInputObjectType(oneOf) || !oneOf.isOneOf) continue;
    const [member] = Object.keys(value ?? {});
    if (member !== undefined) enter(oneOf.getFields()[member]?.type, member);
  }
  return parts;
}

function nullable(type: GraphQLInputType | undefined) {
  return isNonNullType(type) ? type.ofType : type;
}
