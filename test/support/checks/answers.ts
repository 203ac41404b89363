// Compares the answers of a running Fanfare with the OpenAPI document.
import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

export interface CheckedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined: the answer has no body. */
  readonly body: unknown;
}

interface Reference {
  readonly $ref: string;
}

interface Declared {
  readonly headers?: Record<string, Reference | DeclaredHeader>;
  readonly content?: Record<string, { schema: object }>;
}

interface DeclaredHeader {
  readonly required?: boolean;
  readonly schema: object;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, Reference | Declared>;
}

const document = JSON.parse(
  readFileSync(new URL('../../../schema/openapi.json', import.meta.url), 'utf8'),
) as { paths: Record<string, Record<string, Operation>>; components: object };

/** Fixed paths first: `/v1/posts/{id}` matches `/v1/posts/bulk` too. */
const paths = Object.entries(document.paths)
  .map(([path, operations]) => ({
    path,
    operations,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  .toSorted((a, b) => Number(a.path.includes('{')) - Number(b.path.includes('{')));

const ajv = new Ajv2020({ strict: false })
  .addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)))
  // These formats are the sizes of numbers in other languages.
  .addFormat('int64', true)
  .addFormat('double', true)
  .addSchema({ $id: 'document', ...(closed(document) as object) });
const headerAjv = new Ajv2020({ strict: false, coerceTypes: true });
const validators = new Map<string, ValidateFunction>();

/** Throws unless the document declares the answer. Answers of other paths pass. */
export function checkAnswer(method: string, url: string, answer: CheckedAnswer): void {
  const { pathname } = new URL(url, 'http://fanfare.test');
  const found = paths.find(({ pattern }) => pattern.test(pathname));
  const operation = found?.operations[method.toLowerCase()];
  if (!found || !operation) return;
  const { status, headers, body } = answer;
  const name = `${operation.operationId} ${status}`;
  const key = operation.responses[status] || status < 500 ? String(status) : 'default';
  const response = operation.responses[key];
  if (!response) throw new Error(`${name} is not declared: ${JSON.stringify(body)}`);
  const { value: declared, at } = resolve(response, [
    'paths',
    found.path,
    method.toLowerCase(),
    'responses',
    key,
  ]);
  for (const [header, given] of Object.entries(declared.headers ?? {})) {
    checkHeader(`${name} ${header}`, resolve(given, []).value, headers.get(header));
  }
  if (!declared.content) {
    if (body !== undefined) throw new Error(`${name} declares no body.`);
    return;
  }
  if (!declared.content['application/json']) {
    if (typeof body !== 'string') throw new Error(`${name} declares a text.`);
    return;
  }
  const pointer = [...at, 'content', 'application/json', 'schema'].map(escape).join('/');
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `document#/${pointer}` });
  validators.set(pointer, validate);
  if (!validate(body)) {
    throw new Error(`${name}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
  }
}

function checkHeader(name: string, { required, schema }: DeclaredHeader, value: string | null) {
  if (value === null && required) throw new Error(`${name} is missing.`);
  const isValid = value === null || headerAjv.validate(schema, value);
  if (!isValid) throw new Error(`${name} is not valid: ${String(value)}`);
}

/** Follows a reference. Returns the value with its place in the document. */
function resolve<T extends object>(given: Reference | T, at: string[]): { value: T; at: string[] } {
  if (!('$ref' in given)) return { value: given, at };
  const path = given.$ref.split('/').slice(1);
  const value = path.reduce<unknown>(
    (node, key) => (node as Record<string, unknown>)[key],
    document,
  );
  return { value: value as T, at: path };
}

/** Writes a part of a JSON pointer for use in a URL. */
const escape = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

/**
 * Makes the schema refuse members that the document does not describe, and integers that clients with 32 bits
 * can't read.
 */
function closed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(closed);
  const members = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, closed(each)]),
  );
  const isObject = 'type' in value && value.type === 'object' && 'properties' in value;
  if (isObject) return { additionalProperties: false, ...members };
  const isInteger = 'type' in value && [value.type].flat().includes('integer');
  return isInteger && !('format' in value) ? { maximum: 2 ** 31 - 1, ...members } : members;
}
