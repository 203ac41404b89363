// Compares the two APIs: which GraphQL field matches which REST route, and which rights each of them requires
// of a key.
import {
  execute,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  parse,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';
import type { GraphqlContext } from '../../../api/graphql/context.ts';
import type { Route } from '../../../api/http/route.ts';
import { AppError } from '../../../schema/wire/errors.ts';

/** Routes that GraphQL shows as a field of an object, not as a root field. */
export const fieldsOfTypes: Readonly<Record<string, string>> = {
  getAccountCapabilities: 'Account.capabilities',
  getAccountHealth: 'Account.health',
  getAccountUsage: 'Account.usage',
  listAttempts: 'PostResult.attemptLog',
  listDeliveries: 'Webhook.deliveries',
  listAllDeliveries: 'Query.deliveries',
};

/** `getPost` → `post`, `listPosts` → `posts`. A route that changes something has the same name in both APIs. */
export function fieldOf({ name, method }: Route): string {
  const ofType = fieldsOfTypes[name];
  if (ofType !== undefined) return ofType;
  const noun = /^(?:get|list)([A-Z])(\w*)$/.exec(name);
  if (noun) return `Query.${noun[1]!.toLowerCase()}${noun[2]}`;
  return name.startsWith('validate') && method === 'post' ? `Query.${name}` : `Mutation.${name}`;
}

export type Field = GraphQLField<unknown, unknown>;

export function findField(schema: GraphQLSchema, place: string): Field | undefined {
  const [typeName, name] = place.split('.') as [string, string];
  const type = schema.getType(typeName);
  return type && 'getFields' in type ? (type.getFields()[name] as Field | undefined) : undefined;
}

/** The error with which a GraphQL field refuses a key without any rights. Null: the field doesn't refuse the key. */
export async function findRefusal(
  schema: GraphQLSchema,
  place: string,
  caller: Partial<GraphqlContext['caller']> | undefined,
): Promise<AppError | null> {
  const [typeName] = place.split('.');
  const field = findField(schema, place)!;
  const context = { caller, requestId: 'req_test', app: nothing };
  try {
    if (typeName === 'Query' || typeName === 'Mutation') {
      const document = parse(writeOperation(schema, place));
      const result = await execute({ schema, document, contextValue: context });
      const [error] = 'errors' in result ? (result.errors ?? []) : [];
      if (error) throw error.originalError ?? error;
    } else {
      await field.resolve?.({ id: 'x_1' }, {}, context, nothing as never);
    }
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    if (error instanceof ReachedTheWork) return null;
    throw error;
  }
}

/** The smallest operation with this root field. */
export function writeOperation(schema: GraphQLSchema, place: string): string {
  const [typeName, name] = place.split('.') as [string, string];
  const field = findField(schema, place)!;
  return `${typeName.toLowerCase()} { ${name}${writeArguments(field)} ${selectionOf(field)} }`;
}

export class ReachedTheWork extends Error {}

/** The application for callers that pass the check of their key. Any use of it throws. */
const nothing: GraphqlContext['app'] = new Proxy({} as GraphqlContext['app'], {
  get() {
    throw new ReachedTheWork();
  },
});

function selectionOf({ type }: Field): string {
  return 'getFields' in getNamedType(type) ? '{ __typename }' : '';
}

function writeArguments({ args }: Field): string {
  const required = args.filter(({ type }) => isNonNullType(type));
  if (required.length === 0) return '';
  return `(${required.map(writeArgument).join(', ')})`;
}

function writeArgument({ name, type }: GraphQLArgument): string {
  return `${name}: ${writeValue(type)}`;
}

/** The smallest valid value of the type. */
function writeValue(type: GraphQLInputType): string {
  if (isNonNullType(type)) return writeValue(type.ofType);
  if (isListType(type)) return `[${writeValue(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    return `{ ${required.map((field) => `${field.name}: ${writeValue(field.type)}`).join(', ')} }`;
  }
  return exampleOf[type.name] ?? '"x_1"';
}

const exampleOf: Record<string, string> = { JSON: '{}', Int: '1', Boolean: 'true' };
