// Types that generated clients get from the OpenAPI document, whichever language they are in.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { errorKinds } from '../../../schema/wire/errors.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: unknown;
}

interface Response {
  description?: string;
  headers?: Record<string, unknown>;
}

const document = JSON.parse(
  readFileSync(new URL('../../../schema/openapi.json', import.meta.url), 'utf8'),
) as {
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
};
const { schemas } = document.components;

/** Paths of the objects that match. */
function find(matches: (schema: Schema) => boolean, value: unknown = schemas, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([key, member]) =>
    find(matches, member, `${at}/${key}`),
  );
  return matches(value) ? [at, ...inside] : inside;
}

const isObject = ({ $ref }: Schema) => $ref !== undefined;

describe('generated clients', () => {
  // Some clients read a value as the first of several types, and never notice that it is another.
  test('never choose among types of objects, except by `event`', () => {
    const choices = find(({ anyOf, oneOf }) => (anyOf ?? oneOf ?? []).filter(isObject).length > 1);
    expect(choices).toEqual(['/WebhookMessage']);
    expect(schemas['CreatedPost']!.properties).toMatchObject({
      post: { $ref: '#/components/schemas/Post' },
      error: { $ref: '#/components/schemas/ErrorObject' },
    });
  });

  test('read the data of any event, with the members of all messages', () => {
    const { data } = schemas['Event']!.properties!;
    expect(data).toMatchObject({ $ref: '#/components/schemas/EventData' });
    const { properties, required } = schemas['EventData']!;
    expect(required).toBeUndefined();
    const messages = schemas['WebhookMessage']!.oneOf!.map(({ $ref }) => {
      const { $ref: ofData } = schemas[$ref!.split('/').at(-1)!]!.properties!['data']!;
      return schemas[ofData!.split('/').at(-1)!]!.properties!;
    });
    expect(properties).toEqual(Object.assign({}, ...messages));
  });

  test('get plain maps for objects with any members', () => {
    const isEmpty = ({ additionalProperties: any }: Schema) =>
      typeof any === 'object' && any !== null && Object.keys(any).length === 0;
    expect(find(isEmpty)).toEqual([]);
    expect(schemas['PlatformPost']!.properties!['platform_options']).toMatchObject({
      type: ['object', 'null'],
      additionalProperties: true,
    });
  });

  test('get 64 bits for sizes, which 32-bit types would refuse or round', () => {
    const { Limits, MediaFileRules, Issue, PostIssue, ErrorObject } = schemas;
    expect(Limits!.properties!['media_bytes_per_project']).toMatchObject({ format: 'int64' });
    expect(MediaFileRules!.properties!['max_bytes']).toMatchObject({ format: 'int64' });
    expect(ErrorObject!.properties!['limit']).toMatchObject({ format: 'double' });
    for (const { properties } of [Issue!, PostIssue!]) {
      for (const member of ['actual', 'limit']) {
        expect(properties![member]!.anyOf).toContainEqual({ type: 'number', format: 'double' });
      }
    }
  });

  test('find every error code of REST at a response that can have it', () => {
    const elsewhere = new Set([
      'account_in_use', // pages of connect sessions
      'cursor_expired', // live streams
      'slow_consumer',
      'origin_not_allowed', // /mcp
      'method_not_allowed', // no operation
      'not_acceptable', // GraphQL
    ]);
    const text = JSON.stringify([document.components.responses, document.paths]);
    const codes = Object.keys(errorKinds).filter((code) => !elsewhere.has(code));
    expect(
      codes.filter(
        (code) => !text.includes(`"\`${code}\`: `) && !text.includes(`\\n\`${code}\`: `),
      ),
    ).toEqual([]);
  });

  test('get `Retry-After` at each response whose errors name it', () => {
    const silent = Object.entries({
      ...document.components.responses,
      ...document.paths['/uploads/{id}']!['put']!.responses,
    }).filter(
      ([, { description = '', headers = {} }]) =>
        description.includes('`Retry-After`') && !headers['Retry-After'],
    );
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  // A Python client reads both into the same variable.
  test('get no type with the name of a member of another type', () => {
    const toMember = (name: string) => name.replaceAll(/\B[A-Z]/g, '_$&').toLowerCase();
    const clashes = Object.entries(schemas).filter(
      ([name, { properties }]) => properties?.[toMember(name)]?.$ref !== undefined,
    );
    expect(clashes.map(([name]) => name)).toEqual([]);
  });
});
