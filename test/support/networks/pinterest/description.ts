// Checks requests and answers with Pinterest's own OpenAPI description, as the README of this folder names it.
import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { z } from 'zod';
import document from './openapi.json' with { type: 'json' };

interface Parameter {
  name: string;
  in: 'query' | 'path';
  required?: boolean;
  schema: AnySchemaObject;
}

type Contents = Record<string, { schema: AnySchemaObject }>;

export interface Operation {
  operationId: string;
  parameters?: readonly object[];
  requestBody?: { content: Contents };
  responses: Record<string, { content?: Contents }>;
  security: readonly Record<string, readonly string[]>[];
}

interface Found {
  operation: Operation;
  parameters: Record<string, string>;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const refsOf = (schema: AnySchemaObject): string[] =>
  ((schema['allOf'] ?? []) as AnySchemaObject[]).flatMap(({ $ref }) => ($ref as string) ?? []);

/** The schemas that others extend, so that they can't refuse members that they don't know. */
const extended = new Set(Object.values(document.components.schemas).flatMap(refsOf));

/**
 * Replaces what JSON Schema doesn't know. `isClosed`: an object with a member that it doesn't describe is refused,
 * although OpenAPI allows such members.
 */
function toJsonSchema(value: unknown, isClosed = true): unknown {
  if (Array.isArray(value)) return value.map((each) => toJsonSchema(each, isClosed));
  if (!isObject(value)) return value;
  const { nullable, allOf, discriminator: _, example: __, ...rest } = value;
  const schema: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, toJsonSchema(each)])),
    ...(allOf !== undefined && { allOf: toJsonSchema(allOf, false) }),
    ...(isClosed && isObject(value['properties']) && { unevaluatedProperties: false }),
  };
  return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
}

const schemas = Object.fromEntries(
  Object.entries(document.components.schemas).map(([name, schema]) => [
    name,
    toJsonSchema(schema, !extended.has(`#/components/schemas/${name}`)),
  ]),
);

const hasZone = z.iso.datetime({ offset: true });
const ajv = new Ajv2020({ strict: false, allErrors: true })
  .addFormat('date-time', (text: string) => hasZone.safeParse(text).success)
  .addSchema({ $id: 'pinterest', components: { schemas } });
const validators = new Map<unknown, ValidateFunction>();

/** Throws the reason why the value doesn't match the schema of the description. */
function check(what: string, schema: AnySchemaObject, value: unknown): void {
  const chosen = choose(schema, value);
  const validate = validators.get(chosen) ?? ajv.compile(absolute(toJsonSchema(chosen)));
  validators.set(chosen, validate);
  if (!validate(value)) throw new Error(`${what}: ${ajv.errorsText(validate.errors)}`);
}

/** The schemas of the token endpoint have no `oneOf`, but a discriminator that names the schema of each kind. */
function choose(schema: AnySchemaObject, value: unknown): AnySchemaObject {
  const { $ref } = schema;
  const named = $ref === undefined ? schema : (resolve($ref as string) as AnySchemaObject);
  const { discriminator, oneOf } = named as {
    discriminator?: { propertyName: string; mapping: Record<string, string> };
    oneOf?: unknown;
  };
  if (!discriminator || oneOf !== undefined) return schema;
  const kind = isObject(value) ? String(value[discriminator.propertyName]) : '';
  const chosen = discriminator.mapping[kind];
  if (chosen === undefined) throw new Error(`${discriminator.propertyName} is ${kind}.`);
  return refOf(chosen);
}

const refs = new Map<string, AnySchemaObject>();
/** The same object for the same reference, so that its validator is found again. */
function refOf($ref: string): AnySchemaObject {
  const known = refs.get($ref) ?? { $ref };
  refs.set($ref, known);
  return known;
}

const absolute = (schema: unknown): AnySchemaObject =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"pinterest#/')) as AnySchemaObject;

function resolve(ref: string): unknown {
  const [, ...path] = ref.split('/');
  return path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document);
}

const operations = Object.entries(document.paths).flatMap(([template, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path: new RegExp(`^/v5${template.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    operation: operation as Operation,
  })),
);

/** Undefined: the part of the description has no such operation. */
export function findOperation(method: string, pathname: string): Found | undefined {
  for (const { path, operation, ...each } of operations) {
    const match = each.method === method ? path.exec(pathname) : null;
    if (match) return { operation, parameters: { ...match.groups } };
  }
  return undefined;
}

/** Throws the reason why the request doesn't match the description. Returns its body. */
export async function checkRequest(request: Request, found: Found): Promise<unknown> {
  const { operation, parameters } = found;
  const { searchParams } = new URL(request.url);
  const given = new Map([...searchParams].map(([name, value]) => [`query ${name}`, value]));
  for (const [name, value] of Object.entries(parameters)) given.set(`path ${name}`, value);
  for (const described of operation.parameters ?? []) {
    const parameter = '$ref' in described ? resolve(String(described.$ref)) : described;
    const { name, in: place, required = false, schema } = parameter as Parameter;
    const value = given.get(`${place} ${name}`);
    given.delete(`${place} ${name}`);
    if (value !== undefined) check(name, schema, toNumber(schema, value));
    else if (required) throw new Error(`${name} is missing.`);
  }
  if (given.size > 0) throw new Error(`Unknown parameters: ${[...given.keys()].join(', ')}.`);
  const content = operation.requestBody?.content;
  if (!content) {
    if ((await request.text()) !== '') throw new Error('The request has a body.');
    return undefined;
  }
  const type = request.headers.get('content-type')?.split(';')[0] ?? '';
  if (!content[type]) throw new Error(`The body is ${type}.`);
  const body = await readBody(request, type);
  check(operation.operationId, content[type].schema, withoutProse(operation, body));
  return body;
}

const toNumber = ({ type }: AnySchemaObject, value: string) =>
  type === 'integer' && /^\d+$/.test(value) ? Number(value) : value;

const readBody = async (request: Request, type: string): Promise<unknown> =>
  type === 'application/json'
    ? request.json()
    : Object.fromEntries(new URLSearchParams(await request.text()));

/** Only the prose of the description has this parameter: "make sure to set the `continuous_refresh` parameter". */
function withoutProse({ operationId }: Operation, body: unknown): unknown {
  if (operationId !== 'oauth/token' || !isObject(body)) return body;
  const { continuous_refresh: _, ...rest } = body;
  return rest;
}

/** Throws the reason why the answer doesn't match the description. */
export async function checkAnswer(answer: Response, { operation }: Found): Promise<void> {
  const { status } = answer;
  const described = operation.responses[status] ?? operation.responses['default'];
  if (!described) throw new Error(`No answer ${status} is described.`);
  const text = await answer.clone().text();
  const schema = described.content?.['application/json']?.schema;
  if (schema) return check(`answer ${status}`, schema, JSON.parse(text));
  if (text !== '') throw new Error(`An answer ${status} has no body.`);
}
