// Every part of the GraphQL schema says what it is.
import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  type GraphQLArgument,
  type GraphQLNamedType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { generated } from '../../../api/reference/generated.ts';
import { createSchema } from '../../../api/graphql/schema.ts';
import { members, membersOf } from '../../../schema/wire/glossary.ts';
import { types, words } from '../../../schema/wire/glossary-words.ts';

const schema = createSchema();
const ours = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

type Part = [place: string, description: string | null | undefined];

function partsOf(type: GraphQLNamedType): Part[] {
  const parts: Part[] = [[type.name, type.description]];
  if (isEnumType(type)) {
    parts.push(...type.getValues().map((v): Part => [`${type.name}.${v.name}`, v.description]));
  }
  if (isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      const place = `${type.name}.${field.name}`;
      parts.push([place, field.description]);
      if ('args' in field) {
        parts.push(
          ...(field.args as GraphQLArgument[]).map((arg): Part => [
            `${place}(${arg.name}:)`,
            arg.description,
          ]),
        );
      }
    }
  }
  return parts;
}

describe('the GraphQL schema', () => {
  const parts = ours.flatMap(partsOf);

  test('describes every type, field, argument, value and input field', () => {
    expect(parts.length).toBeGreaterThan(500);
    expect(parts.filter(([, text]) => !text?.trim()).map(([place]) => place)).toEqual([]);
  });

  test('writes them as sentences', () => {
    const odd = parts.filter(([, text]) => !/^[^a-z\s].*[.:)]$/s.test(text?.trim() ?? ''));
    expect(odd).toEqual([]);
  });
});

describe('the glossary', () => {
  test('explains nothing that is not there', () => {
    const names = new Set(ours.map(({ name }) => name));
    const known = (name: string) => names.has(name) || names.has(`${name}Input`);
    const told = [...Object.keys(types), ...Object.keys(words), ...Object.keys(membersOf)];
    expect(told.filter((name) => !known(name))).toEqual([]);
  });

  test('says nothing that neither face shows', () => {
    const documents = Object.values(generated()).join('\n').replaceAll('\\"', '"');
    const texts = [members, types, ...Object.values(membersOf), ...Object.values(words)].flatMap(
      Object.values<string>,
    );
    expect(texts.filter((text) => !documents.includes(text))).toEqual([]);
  });
});
