// Enums in the OpenAPI document. Request bodies refer to one component for each enum. Parameters contain the
// enum itself, because generators for Go name the constants of a component after their words alone, and
// filters have words in common. Answers have strings, so that generated clients accept the values of later
// versions.
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { EnumIdentity } from '../schema/wire/described-enum.ts';

export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;
type Json = Record<string, unknown>;

interface EnumSchema extends Json {
  type: string | string[];
  enum: (string | null)[];
  description: string;
  'x-enum': EnumIdentity;
  'x-enumDescriptions': Record<string, string>;
}

const prefix = '#/components/schemas/';

/**
 * Replaces each copy of an enum in a request body by a reference, since clients would get a type for each
 * copy. Removes the defaults of requests, since clients would require members with a default. Makes optional
 * lists and maps of request bodies nullable.
 */
export function rewriteEnums(document: OpenApiDocument): OpenApiDocument {
  const { paths = {}, webhooks, components } = document;
  const schemas = components!.schemas as Record<string, Json>;
  const enums: Record<string, Json> = {};

  function referTo({ type, enum: words, 'x-enum': own, ...rest }: EnumSchema): Json {
    const { 'x-enumDescriptions': meanings, ...siblings } = rest;
    enums[own.name] = {
      type: 'string',
      enum: words.filter((word) => word !== null),
      description: own.description,
      'x-enumDescriptions': meanings,
    };
    const reference = { $ref: `${prefix}${own.name}` };
    const isNullable = type.includes('null');
    return { ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference), ...siblings };
  }

  function forParameter(object: Json): Json {
    const named = enumOf(object) ?? object;
    if ('x-enum' in named) return without({ ...named, ...object }, '$ref', 'x-enum');
    return mapMembers(withoutDefaults(object), forParameter);
  }

  function forRequest(object: Json): Json {
    if ('x-enum' in object) return referTo(object as EnumSchema);
    const named = enumOf(object);
    if (named) return { ...referTo(named), ...object };
    return mapMembers(withNullableLists(withoutDefaults(object)), forRequest);
  }

  function forAnswer(object: Json): Json {
    const named = enumOf(object);
    if (named) return openEnum({ ...named, ...object });
    if (hasManyWords(object)) return openEnum(object);
    return mapMembers(object, forAnswer);
  }

  /** The enum that the object refers to. */
  function enumOf({ $ref }: Json): EnumSchema | undefined {
    if (typeof $ref !== 'string') return undefined;
    const component = schemas[$ref.slice(prefix.length)];
    return component && 'x-enum' in component ? (component as EnumSchema) : undefined;
  }

  const requested = listReferences(
    Object.values(paths).flatMap((path) =>
      Object.values(path as Json).map((operation) => ({
        ...(operation as Json),
        responses: {},
        callbacks: {},
      })),
    ),
    schemas,
  );
  const named = Object.entries(schemas)
    .filter(([, schema]) => !('x-enum' in schema))
    .map(([name, schema]) => [name, (requested.has(name) ? forRequest : forAnswer)(schema)]);
  const rewrittenPaths = mapMembers(paths, (path) =>
    mapMembers(path, (operation) => {
      const { responses, parameters, requestBody, ...rest } = operation;
      return {
        ...rest,
        ...(parameters
          ? { parameters: mapMembers({ parameters }, forParameter)['parameters'] }
          : {}),
        ...(requestBody ? { requestBody: forRequest(requestBody as Json) } : {}),
        responses: forAnswer(responses as Json),
      };
    }),
  );
  return {
    ...document,
    components: {
      ...components,
      schemas: { ...Object.fromEntries(named), ...enums },
    },
    paths: rewrittenPaths,
    webhooks: forAnswer(webhooks as Json),
  } as OpenApiDocument;
}

/** False for a single word, which is a constant that identifies its object. */
function hasManyWords({ enum: words }: Json): boolean {
  return Array.isArray(words) && words.length > 1;
}

function openEnum(schema: Json): Json {
  const { description } = schema;
  return {
    ...without(schema, '$ref', 'enum', 'x-enum', 'x-enumDescriptions'),
    description: [description, listWords(schema)].filter(Boolean).join('\n\n'),
  };
}

/** A list if the words have meanings, otherwise a sentence. */
function listWords({ enum: nullable, 'x-enumDescriptions': meanings }: Partial<EnumSchema>) {
  const words = nullable!.filter((word) => word !== null);
  if (!meanings) return `Known values: ${words.map((word) => `\`${word}\``).join(', ')}.`;
  return `Known values:\n\n${words.map((word) => `- \`${word}\`: ${meanings[word]}`).join('\n')}`;
}

function withoutDefaults(object: Json): Json {
  const { properties } = object;
  if (!isObject(properties)) return object;
  return { ...object, properties: mapMembers(properties, (each) => without(each, 'default')) };
}

/** Allows null, which leaves out an optional list or map. Some clients would otherwise send an empty one. */
function withNullableLists(object: Json): Json {
  const { properties, required = [] } = object;
  if (!isObject(properties)) return object;
  const isLeftOut = (name: string, { type, additionalProperties }: Json) =>
    !(required as string[]).includes(name) &&
    (type === 'array' || (type === 'object' && Boolean(additionalProperties)));
  const members = Object.entries(properties as Record<string, Json>).map(([name, member]) => [
    name,
    isLeftOut(name, member) ? { ...member, type: [member['type'], 'null'] } : member,
  ]);
  return { ...object, properties: Object.fromEntries(members) };
}

function without(object: Json, ...names: string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Applies `rewrite` to each object among the members and in their lists. */
function mapMembers(object: Json, rewrite: (member: Json) => Json): Json {
  const map = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(map);
    return isObject(value) ? rewrite(value) : value;
  };
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}

/** Names of the components that the value needs, directly or not. */
function listReferences(
  value: unknown,
  schemas: Record<string, Json>,
  found = new Set<string>(),
): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, member] of Object.entries(value)) {
    if (key === '$ref' && typeof member === 'string') {
      const name = member.slice(prefix.length);
      if (found.has(name)) continue;
      found.add(name);
      listReferences(schemas[name], schemas, found);
    } else {
      listReferences(member, schemas, found);
    }
  }
  return found;
}
