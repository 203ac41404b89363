// Describes the GraphQL schema with the texts of the REST routes and the wire's schemas.
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  type GraphQLSchema,
} from 'graphql';
import { z } from 'zod';
import { checkedAlone } from '../../schema/wire/checked-alone.ts';
import { Outcome } from '../../schema/posts/posts.ts';
import type { Route } from '../http/route.ts';
import { toCamelCase, toSnakeCase } from './case-conversion.ts';

/** GraphQL types whose wire schema has another name. */
const wireNames: Readonly<Record<string, string>> = {
  CreateApiKeyPayload: 'ApiKeyWithSecret',
  Refusal: 'ErrorObject',
  ReplayPayload: 'AcceptedReplay',
  RetryDeliveryPayload: 'RetriedDelivery',
  WebhookSecretPayload: 'WebhookWithSecret',
};

interface Described {
  description?: string | null | undefined;
}

export function describeSchema(schema: GraphQLSchema, routes: readonly Route[]): GraphQLSchema {
  const types = Object.values(schema.getTypeMap());
  const composites = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const inputs = types.filter((type) => isInputObjectType(type));
  const described = [...inputs, ...composites].filter((type) => !isIntrospectionType(type));
  const operations = new Map(
    routes.map(({ method, path, name }) => [`${method.toUpperCase()} ${path}`, toFieldName(name)]),
  );
  const names = new Set(described.flatMap((type) => Object.keys(type.getFields())));
  const answers = routes.flatMap(({ answer }) => [
    answer.schema,
    answer.meta,
    ...Object.values(answer.beside ?? {}),
  ]);
  // No route answers with only an outcome, so `Outcome` is added.
  const wireSchemas = listNamed([Outcome, ...answers, ...routes.map(({ body }) => body)]);

  /**
   * Sets the description, unless the part has one. Converts the names in it to GraphQL's. Other words in
   * backticks, such as error codes, don't change.
   */
  function fill(part: Described, description?: string): void {
    part.description = (part.description || description)?.replace(/`[^`]+`/g, (quoted) => {
      const name = operations.get(quoted.slice(1, -1)) ?? toCamelCase(quoted.slice(1, -1));
      return quoted.includes(' ') || names.has(name) ? `\`${name}\`` : quoted;
    });
  }
  const operationFields = {
    ...schema.getQueryType()!.getFields(),
    ...schema.getMutationType()!.getFields(),
  };
  for (const { name, summary, description = '' } of routes) {
    const field = operationFields[toFieldName(name)];
    if (field) fill(field, `${summary}. ${description}`.trim());
  }
  for (const type of described) {
    const wire =
      wireSchemas.get(wireNames[type.name] ?? type.name) ??
      wireSchemas.get(type.name.replace(/Input$/, ''));
    fill(type, wire?.meta()?.description);
    const shape = shapeOf(wire);
    for (const [name, field] of Object.entries(type.getFields())) {
      fill(field, descriptionOf(shape[toSnakeCase(name)]));
    }
  }
  for (const value of types.flatMap((type) => (isEnumType(type) ? type.getValues() : []))) {
    fill(value);
  }
  for (const { args, extensions } of composites.flatMap((type) =>
    Object.values(type.getFields()),
  )) {
    const shape = shapeOf(extensions['query'] as z.ZodType | undefined);
    for (const arg of args) {
      const type = getNamedType(arg.type);
      fill(arg, descriptionOf(shape[toSnakeCase(arg.name)]));
      if (isInputObjectType(type)) fill(arg, type.description ?? undefined);
    }
  }
  return schema;
}

/** `listPosts` → `posts`, `getPost` → `post` */
function toFieldName(operation: string): string {
  return operation.replace(/^(?:get|list)(.)/, (_, first: string) => first.toLowerCase());
}

interface Parts {
  shape?: object;
  options?: readonly unknown[];
  element?: unknown;
  innerType?: unknown;
}

/** Collects the schemas that have an ID, among these schemas and their parts. Returns them by ID. */
function listNamed(
  schemas: readonly unknown[],
  found = new Map<string, z.ZodType>(),
): ReadonlyMap<string, z.ZodType> {
  for (const schema of schemas.filter((each) => each instanceof z.ZodType)) {
    const id = schema.meta()?.id;
    if (id !== undefined && found.has(id)) continue;
    if (id !== undefined) found.set(id, schema);
    // Each kind of schema has its parts in one of these members.
    const { shape, options, element, innerType } = schema.def as Parts;
    const body = checkedAlone.get(schema)?.body;
    listNamed([...Object.values(shape ?? {}), ...(options ?? []), element, innerType, body], found);
  }
  return found;
}

function shapeOf(wire: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> {
  return wire instanceof z.ZodObject ? wire.shape : {};
}

/** The schema's description, or else the description of the schema that it wraps. */
function descriptionOf(schema: z.ZodType | undefined): string | undefined {
  if (!schema) return undefined;
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return schema.meta()?.description ?? descriptionOf(innerType);
}
