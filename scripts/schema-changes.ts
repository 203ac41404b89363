// Compares a new GraphQL schema with the one before: breaking changes, dangerous changes, deprecations.
import {
  BreakingChangeType,
  buildASTSchema,
  DangerousChangeType,
  findSchemaChanges,
  GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  parse,
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type GraphQLArgument,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type InputValueDefinitionNode,
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
  const definitions = document.definitions.map((definition) =>
    withoutRemovedDeprecations(definition, after),
  );
  const old = withoutUnreachable(
    buildASTSchema({ ...document, definitions }, { assumeValid: true }),
  );
  const changes = findSchemaChanges(old, after);
  const ofTypes = (types: Record<string, string>) =>
    changes
      .filter(({ type }) => Object.values(types).includes(type))
      .map(({ description }) => description);
  const deprecatedBefore = new Set(listDeprecated(buildASTSchema(document, { assumeValid: true })));
  return {
    breaking: ofTypes(BreakingChangeType),
    dangerous: ofTypes(DangerousChangeType),
    deprecated: listDeprecated(after).filter((member) => !deprecatedBefore.has(member)),
  };
}

type Deprecable = GraphQLArgument | GraphQLEnumValue | GraphQLField | GraphQLInputField;

function listDeprecated(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap())
    .flatMap((type): readonly Deprecable[] => {
      if (isEnumType(type)) return type.getValues();
      if (isInputObjectType(type)) return Object.values(type.getFields());
      if (!isObjectType(type) && !isInterfaceType(type)) return [];
      return Object.values(type.getFields()).flatMap((field) => [field, ...field.args]);
    })
    .filter(({ deprecationReason }) => deprecationReason != null)
    .map(String);
}

/** Removes the deprecated members that the new schema no longer has. */
function withoutRemovedDeprecations(
  definition: DefinitionNode,
  after: GraphQLSchema,
): DefinitionNode {
  if (!('name' in definition) || definition.name === undefined) return definition;
  const type = after.getType(definition.name.value);
  if (definition.kind === 'EnumTypeDefinition') {
    const values = isEnumType(type) ? type.getValues() : [];
    return { ...definition, values: keep(definition.values, values) };
  }
  if (definition.kind === 'InputObjectTypeDefinition') {
    const fields = isInputObjectType(type) ? Object.values(type.getFields()) : [];
    return { ...definition, fields: keep(definition.fields, fields) };
  }
  if (definition.kind === 'ObjectTypeDefinition' || definition.kind === 'InterfaceTypeDefinition') {
    const fields =
      isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
    const kept = keep(definition.fields, fields).map((field): FieldDefinitionNode => {
      const args = fields.find(({ name }) => name === field.name.value)?.args ?? [];
      return { ...field, arguments: keep<InputValueDefinitionNode>(field.arguments, args) };
    });
    return { ...definition, fields: kept };
  }
  return definition;
}

interface Member {
  readonly name: { readonly value: string };
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

function keep<Node extends Member>(
  members: readonly Node[] | undefined,
  present: readonly { name: string }[],
): Node[] {
  const names = new Set(present.map(({ name }) => name));
  return (members ?? []).filter(
    (member) =>
      names.has(member.name.value) ||
      !member.directives?.some(({ name }) => name.value === 'deprecated'),
  );
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
