// Every part of both APIs has a description.
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
import { expect, test } from 'vitest';
import { toSnakeCase } from '../../../api/graphql/case-conversion.ts';
import { createSchema } from '../../../api/resources/schema.ts';
import { routes } from '../../../api/resources/routes.ts';
import { writeOpenApi } from '../../../scripts/openapi.ts';

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

const isSentence = (text: string) => /^[^a-z\s].*[.:)]$/s.test(text.trim());

function check(parts: Part[]): void {
  expect(parts.length).toBeGreaterThan(500);
  expect(parts.filter(([, text]) => !text?.trim()).map(([place]) => place)).toEqual([]);
  expect(parts.filter(([, text]) => !isSentence(text!))).toEqual([]);
  expect(parts.filter(([, text]) => /\bundefined\b/.test(text!))).toEqual([]);
}

test('the GraphQL schema describes every type, field, argument, value and input field', () => {
  check(ours.flatMap(partsOf));
});

test('the GraphQL schema names operations by their fields, not by their REST calls', () => {
  const calls = /`(GET|POST|PATCH|PUT|DELETE) /;
  expect(ours.flatMap(partsOf).filter(([, text]) => calls.test(text!))).toEqual([]);
});

test('the GraphQL schema names no status of HTTP', () => {
  expect(ours.flatMap(partsOf).filter(([, text]) => /Returns \d{3}/.test(text!))).toEqual([]);
});

test('the GraphQL schema names fields in the spelling of GraphQL', () => {
  const names = new Set(
    ours.flatMap((type) => ('getFields' in type ? Object.keys(type.getFields()) : [])),
  );
  const wireNames = [...names].map(toSnakeCase).filter((name) => name.includes('_'));
  expect(wireNames).toContain('error_code');
  const isNamed = (text: string) => wireNames.some((name) => text.includes(`\`${name}\``));
  expect(ours.flatMap(partsOf).filter(([, text]) => isNamed(text!))).toEqual([]);
});

interface JsonSchema {
  $ref?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  enum?: (string | null)[];
  'x-enumDescriptions'?: Record<string, string>;
}

/** The properties inside; a reference says what its component says. */
function propertiesOf(place: string, schema: JsonSchema): Part[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]): Part[] => {
    const at = `${place}.${name}`;
    const described: Part[] = property.$ref ? [] : [[at, property.description]];
    return [...described, ...propertiesOf(at, property)];
  });
  const inner = [schema.items ?? [], schema.allOf ?? [], schema.anyOf ?? []].flat();
  return [...own, ...inner.flatMap((part) => propertiesOf(place, part))];
}

/** Values, of an enum that describes any of them. */
function valuesOf(place: string, { enum: words, 'x-enumDescriptions': meanings }: JsonSchema) {
  return (meanings ? words! : []).map((word): Part => [`${place}.${word}`, meanings![word!]]);
}

/** Those that don't refer to a component. */
function describeEach(place: string, parts: object): Part[] {
  return Object.entries(parts as Record<string, JsonSchema>)
    .filter(([, { $ref }]) => $ref === undefined)
    .map(([name, { description }]) => [`${place} ${name}`, description]);
}

test('the OpenAPI document describes every component, property, parameter and response', () => {
  const document = writeOpenApi(routes);
  expect(JSON.stringify(document).match(/.{0,80}\bundefined\b.{0,80}/g)).toBeNull();
  const { components, paths, webhooks } = document;
  const schemas = Object.entries(components!.schemas as Record<string, JsonSchema>);
  const ofSchemas = schemas.flatMap(([name, schema]): Part[] => [
    [name, schema.description],
    ...propertiesOf(name, schema),
    ...valuesOf(name, schema),
  ]);
  const operations = Object.entries({ ...paths, ...webhooks }).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]) => [
      `${method} ${path}`,
      operation,
    ]),
  ) as [string, { parameters?: { name: string; description?: string }[]; responses: object }][];
  const ofOperations = operations.flatMap(([place, { parameters = [], responses }]) => [
    ...parameters.map(({ name, description }): Part => [`${place} ${name}`, description]),
    ...describeEach(place, responses),
  ]);
  const { responses, headers } = components!;
  check([
    ...ofSchemas,
    ...ofOperations,
    ...describeEach('response', responses!),
    ...describeEach('header', headers!),
  ]);
});
