// From GraphQL's spelling to the wire's and back: names of input fields, the paths of faults, and words.
import {
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
} from 'graphql';
import type { z } from 'zod';
import { AppError, validationError, type Issue } from '../../schema/wire/errors.ts';
import { routes } from '../http/routes.ts';

export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * An input value as REST would have it. Clients of GraphQL send null for what they leave out, so a
 * null is dropped unless the resource's schema knows what it means.
 */
export function toWire(value: unknown, type: GraphQLInputType, schema?: z.ZodType): unknown {
  if (isNonNullType(type)) return toWire(value, type.ofType, schema);
  if (value === null || value === undefined) return value;
  const inner = unwrap(schema);
  if (isListType(type) && Array.isArray(value)) {
    const element = inner && 'element' in inner ? (inner.element as z.ZodType) : undefined;
    return value.map((item) => toWire(item, type.ofType, element));
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

/** Options of one network among all: on the wire the network has a field of its own. */
function chosen(member: unknown, type: GraphQLInputObjectType, key: string) {
  const [[platform, options]] = Object.entries(member as object) as [[string, unknown]];
  return { platform, [key]: toWire(options, type.getFields()[platform]!.type) };
}

function inside(type: GraphQLInputType | undefined): GraphQLInputType | undefined {
  return isNonNullType(type) ? type.ofType : type;
}

/** The schema inside optional, default and nullable ones. */
function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
  let inner = schema;
  while (inner && 'unwrap' in inner && !('element' in inner)) {
    inner = (inner as z.ZodOptional<z.ZodType>).unwrap();
  }
  return inner;
}

/** Where a value of the wire stands in a GraphQL document. */
export interface Place {
  /** The argument that holds the whole value. */
  input?: { type: GraphQLInputType; value: unknown };
  /** Arguments that are not named as in REST. */
  names?: Readonly<Record<string, string>>;
}

/** The same refusal with its paths as a GraphQL client spells them. */
export function spellError(error: unknown, place: Place): unknown {
  if (!(error instanceof AppError) || !error.options.issues) return error;
  const issues = error.options.issues.map((issue) => spellIssue(issue, place));
  const message =
    error.code === 'validation_error' ? validationError(issues).message : error.message;
  return new AppError(error.code, message, { ...error.options, issues });
}

function spellIssue(issue: Issue, place: Place): Issue {
  return { ...issue, path: spellField(issue.path, place) };
}

/** The path of a field as a GraphQL client spells it. */
export function spellField(path: string, { input, names = {} }: Place): string {
  const inner = path === 'body' || path === 'query' ? '' : spellPath(path, names, input);
  if (!input) return inner || path;
  return inner === '' ? 'input' : `input.${inner}`;
}

/** Words for people: what stands in backticks is a field, or the call of a route. */
export function spellWords<Words extends string | null | undefined>(words: Words): Words {
  return words?.replace(/`[^`]+`/g, (quoted) => {
    const field = fieldsByCall.get(quoted.slice(1, -1));
    return field ? `\`${field}\`` : toCamelCase(quoted);
  }) as Words;
}

/** An operation has the same name in both APIs. */
const fieldsByCall = new Map(
  routes.map(({ method, path, name }) => [`${method.toUpperCase()} ${path}`, name]),
);

/**
 * `platform_posts[1].first_comment` → `platformPosts[1].firstComment`. Below a scalar, names are the
 * client's own or a network's, so they stay. An input of which one member is given names that too:
 * `platform_options.delay_ms` → `platformOptions.sandbox.delayMs`.
 */
function spellPath(path: string, names: Readonly<Record<string, string>>, input: Place['input']) {
  let { type, value } = { ...input };
  let spelled = '';
  const enter = (inner: GraphQLInputType | undefined, key: string) => {
    type = inner;
    value = (value as Record<string, unknown> | null | undefined)?.[key];
  };
  for (const part of path.match(/[A-Za-z_][\w-]*|\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g) ?? []) {
    const at = inside(type);
    if (part.startsWith('[')) {
      enter(isListType(at) ? at.ofType : at, part.slice(1, -1));
      spelled += part;
      continue;
    }
    const fields = isInputObjectType(at) ? at.getFields() : {};
    const isOpaque = at !== undefined && !isInputObjectType(at);
    let name = isOpaque ? part : (names[part] ?? toCamelCase(part));
    // GraphQL names the network by the member of its options.
    if (name === 'platform' && !fields[name] && fields['platformOptions']) name = 'platformOptions';
    spelled += spelled === '' ? name : `.${name}`;
    enter(isOpaque ? at : fields[name]?.type, name);
    const chosenOf = inside(type);
    if (isInputObjectType(chosenOf) && chosenOf.isOneOf) {
      const [member] = Object.keys(value ?? {});
      if (member === undefined) continue;
      spelled += `.${member}`;
      enter(chosenOf.getFields()[member]?.type, member);
    }
  }
  return spelled;
}
