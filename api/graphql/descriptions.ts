// Gives every part of the GraphQL schema its description, from where the wire has it.
import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { z } from 'zod';
import { members, membersOf } from '../../schema/wire/glossary.ts';
import { types, words } from '../../schema/wire/glossary-words.ts';
import { toSnakeCase } from './case-conversion.ts';

interface Described {
  description?: string | null | undefined;
}

/** What a type, a field or a value says of itself stays. */
function fill(part: Described, description: string | undefined): void {
  if (!part.description && description) part.description = description;
}

type JsonSchemas = Record<string, { properties?: Record<string, unknown> }>;

export function describeSchema(schema: GraphQLSchema): GraphQLSchema {
  const registered: JsonSchemas = z.toJSONSchema(z.globalRegistry, {
    unrepresentable: 'any',
    io: 'input',
  }).schemas;
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || isSpecifiedScalarType(type)) continue;
    fill(type, types[type.name] ?? describeList(type));
    describeMembers(type, registered);
  }
  return schema;
}

function describeMembers(type: GraphQLNamedType, registered: JsonSchemas): void {
  if (isEnumType(type)) {
    for (const value of type.getValues()) fill(value, words[type.name]?.[String(value.value)]);
  }
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      fill(field, describeMember(type.name.replace(/Input$/, ''), field.name, registered));
    }
  }
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const field of Object.values(type.getFields())) {
      fill(field, describeMember(type.name, field.name, registered));
      for (const arg of field.args)
        fill(arg, ofArguments[arg.name] ?? members[toSnakeCase(arg.name)]);
    }
  }
}

function describeMember(type: string, name: string, registered: JsonSchemas): string | undefined {
  const member = toSnakeCase(name);
  const own = registered[type]?.properties?.[member] as Described | undefined;
  return membersOf[type]?.[member] ?? own?.description ?? ofList[name] ?? members[member];
}

const ofArguments: Readonly<Record<string, string>> = {
  id: 'Which one.',
  webhookId: 'Of which webhook.',
};

const ofList: Readonly<Record<string, string>> = {
  edges: 'What the page holds, each with its cursor.',
  nodes: 'What the page holds.',
  node: 'The item itself.',
  pageInfo: 'Where the page stands in its list.',
  hasNextPage: 'Whether there is more behind it.',
  hasPreviousPage: 'Whether the page was asked for with `after`.',
  startCursor: 'The cursor of its first item. Null: an empty page.',
};

/** The types that lists are made of. */
function describeList({ name }: GraphQLNamedType): string | undefined {
  if (name.endsWith('Connection')) return 'A page of a list.';
  if (name.endsWith('Edge')) return 'An item of a page, with its cursor.';
  return undefined;
}
