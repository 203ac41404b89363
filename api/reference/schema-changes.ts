// What a new GraphQL schema does to clients of the one before: what breaks them, what may, and what will.
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
  /** Documents that were valid are not any more, or get something else. */
  breaking: string[];
  /** A client that meets what it doesn't know may stumble. */
  dangerous: string[];
  /** What clients have to leave before it goes: `Post.url`, `Query.post(first:)`. */
  deprecated: string[];
}

/** What was `@deprecated` before may go: its clients have been told. */
export function findChanges(before: string, after: GraphQLSchema): SchemaChanges {
  const document = parse(before);
  const definitions = document.definitions.map((definition) => forgetDeprecated(definition, after));
  const old = withoutUnreachable(
    buildASTSchema({ ...document, definitions }, { assumeValid: true }),
  );
  const changes = findSchemaChanges(old, after);
  const ofKind = (kinds: Record<string, string>) =>
    changes
      .filter(({ type }) => Object.values(kinds).includes(type))
      .map(({ description }) => description);
  const told = new Set(listDeprecated(buildASTSchema(document, { assumeValid: true })));
  return {
    breaking: ofKind(BreakingChangeType),
    dangerous: ofKind(DangerousChangeType),
    deprecated: listDeprecated(after).filter((member) => !told.has(member)),
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

/** A type without those of its deprecated members that the new schema lacks. */
function forgetDeprecated(definition: DefinitionNode, after: GraphQLSchema): DefinitionNode {
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

/** A type that only deprecated members led to goes with them. */
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
