// Compares a new GraphQL schema with the one before: breaking changes, dangerous changes, deprecations.
import {
  BreakingChangeType,
  buildASTSchema,
  DangerousChangeType,
  findSchemaChanges,
  GraphQLSchema,
  isObjectType,
  isTypeDefinitionNode,
  Kind,
  parse,
  printSchema,
  visit,
  type ConstDirectiveNode,
  type DocumentNode,
} from 'graphql';

export interface SchemaChanges {
  /** Valid documents become invalid or get different results. */
  breaking: string[];
  /** Clients may fail on values they don't know. */
  dangerous: string[];
  /** Newly deprecated members, such as `Post.url` and `Query.post(first:)`. */
  deprecated: string[];
}

/** Removing a member that was `@deprecated` before is not breaking. */
export function findChanges(before: string, after: GraphQLSchema): SchemaChanges {
  const document = parse(before);
  const known = listMembers(document);
  const present = listMembers(parse(printSchema(after)));
  const isKept = (coordinate: string) => present.has(coordinate) || !known.get(coordinate);
  const old = buildASTSchema(filterMembers(document, isKept), { assumeValid: true });
  const changes = findSchemaChanges(withoutUnreachable(old), after);
  const ofTypes = (types: Record<string, string>) =>
    changes
      .filter(({ type }) => Object.values(types).includes(type))
      .map(({ description }) => description);
  return {
    breaking: ofTypes(BreakingChangeType),
    dangerous: ofTypes(DangerousChangeType),
    deprecated: [...present.keys()].filter((name) => present.get(name) && !known.get(name)),
  };
}

/** Whether each member is deprecated, by its coordinate. */
function listMembers(document: DocumentNode): Map<string, boolean> {
  const members = new Map<string, boolean>();
  filterMembers(document, (...member) => members.set(...member) === members);
  return members;
}

/** Keeps the fields, arguments, values and input fields for which `isKept` returns true. */
function filterMembers(
  document: DocumentNode,
  isKept: (coordinate: string, isDeprecated: boolean) => boolean,
): DocumentNode {
  let type = '';
  let field = '';
  const keep = (coordinate: string, directives: readonly ConstDirectiveNode[] = []) => {
    const isDeprecated = directives.some(({ name }) => name.value === 'deprecated');
    return isKept(coordinate, isDeprecated) ? undefined : null;
  };
  return visit(document, {
    enter(node) {
      if (isTypeDefinitionNode(node)) [type, field] = [node.name.value, ''];
      switch (node.kind) {
        case Kind.FIELD_DEFINITION:
          field = `${type}.${node.name.value}`;
          return keep(field, node.directives);
        case Kind.INPUT_VALUE_DEFINITION: {
          const { value } = node.name;
          return keep(field ? `${field}(${value}:)` : `${type}.${value}`, node.directives);
        }
        case Kind.ENUM_VALUE_DEFINITION:
          return keep(`${type}.${node.name.value}`, node.directives);
        default:
          return undefined;
      }
    },
  });
}

/** Removes the types that only deprecated members used. */
function withoutUnreachable(schema: GraphQLSchema): GraphQLSchema {
  const implementers = Object.values(schema.getTypeMap()).filter(
    (type) => isObjectType(type) && type.getInterfaces().length > 0,
  );
  return new GraphQLSchema({
    query: schema.getQueryType() ?? null,
    mutation: schema.getMutationType() ?? null,
    subscription: schema.getSubscriptionType() ?? null,
    directives: schema.getDirectives(),
    types: implementers,
    assumeValid: true,
  });
}
