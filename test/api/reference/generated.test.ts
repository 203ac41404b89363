// The generated documents are current: what is committed is what the code writes.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildSchema, parse, visit } from 'graphql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generated } from '../../../api/reference/generated.ts';
import { createSchema } from '../../../api/graphql/schema.ts';
import { fillInTables } from '../../../api/reference/network-tables.ts';
import { findChanges } from '../../../api/reference/schema-changes.ts';

const committed = (name: string) =>
  readFile(new URL(`../../../schema/${name}`, import.meta.url), 'utf8');

describe('npm run generate', () => {
  test.each(Object.entries(generated()))(
    'would change nothing in schema/%s',
    async (name, text) => {
      expect(await committed(name)).toBe(text);
    },
  );

  test.each(['README.md', 'docs/networks.md'])('would change no table in %s', async (name) => {
    const page = await readFile(new URL(`../../../${name}`, import.meta.url), 'utf8');
    expect(page).toBe(fillInTables(page));
    expect(page.match(/^<!-- [\w ]+ -->\n\n\|/m)).not.toBeNull();
  });

  test('writes the same each time', () => {
    expect(generated()).toEqual(generated());
  });

  test('would break no client of the GraphQL schema', async () => {
    expect(findChanges(await committed('schema.graphql'), createSchema()).breaking).toEqual([]);
  });
});

describe('what makers of clients need', () => {
  interface Schema {
    type?: string | string[];
    allOf?: Schema[];
    anyOf?: Schema[];
    enum?: unknown[];
  }

  const isNullable = ({ type = [], anyOf = [] }: Schema): boolean =>
    [type].flat().includes('null') || anyOf.some(isNullable);

  /** Every object within, with the place where it stands. */
  function walk(value: unknown, visit: (schema: Schema, at: string) => void, at = ''): void {
    if (typeof value !== 'object' || value === null) return;
    visit(value, at);
    for (const [key, member] of Object.entries(value)) walk(member, visit, `${at}/${key}`);
  }

  test('no component is nullable, and no reference is narrowed to null', async () => {
    const { components } = JSON.parse(await committed('openapi.json'));
    const found: string[] = [];
    for (const [name, schema] of Object.entries<Schema>(components.schemas)) {
      if (isNullable(schema)) found.push(name);
    }
    walk(components.schemas, ({ allOf }, at) => {
      if (allOf?.some(isNullable)) found.push(at);
    });
    expect(found).toEqual([]);
  });

  test('a nullable reference says so beside it', async () => {
    const { schemas } = JSON.parse(await committed('openapi.json')).components;
    const orNull = (name: string) => ({
      anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }],
    });
    expect(schemas.PostResult.properties.first_comment).toMatchObject(orNull('FirstComment'));
    expect(schemas.PostFinding.properties.platform).toMatchObject(orNull('PlatformName'));
  });

  test('a component that extends another describes the shared members alike', async () => {
    const { schemas } = JSON.parse(await committed('openapi.json')).components;
    for (const extended of ['ApiKeyWithSecret', 'WebhookWithSecret', 'DeliveryWithAttempts']) {
      const base = extended.replace(/With.*/, '');
      expect(schemas[extended].properties).toMatchObject(schemas[base].properties);
    }
    expect(schemas.WebhookWithSecret.properties.environment.description).toMatch(/API key/);
  });

  test('the options of a network lead to their JSON Schema, and its limits to those of an account', async () => {
    const { schemas } = JSON.parse(await committed('openapi.json')).components;
    const { platform_options } = schemas.PlatformPost.properties;
    expect(platform_options.description).toContain('`GET /v1/platforms/capabilities`');
    expect(schemas.Capabilities.description).toContain('`POST /v1/posts/validate`');
    const sdl = await committed('schema.graphql');
    expect(buildSchema(sdl).getType('Capabilities')!.description).toContain('`validatePost`');
  });

  test('every directive of the GraphQL schema is declared, but the oldest', async () => {
    const sdl = await committed('schema.graphql');
    const known = new Set(['include', 'skip', 'deprecated', 'specifiedBy']);
    const undeclared: string[] = [];
    visit(parse(sdl), {
      Directive({ name }) {
        const isDeclared = sdl.includes(`directive @${name.value} on`);
        if (!known.has(name.value) && !isDeclared) undeclared.push(name.value);
      },
    });
    expect(undeclared).toEqual([]);
    expect(sdl).toMatch(/^directive @oneOf on INPUT_OBJECT$/m);
    expect(buildSchema(sdl).getType('PlatformOptionsInput')).toMatchObject({ isOneOf: true });
  });
});

describe('node api/reference/generate.ts', () => {
  const program = fileURLToPath(new URL('../../../api/reference/generate.ts', import.meta.url));
  let directory: string;
  let sdl: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fanfare-generate-'));
    sdl = join(directory, 'schema', 'schema.graphql');
    await mkdir(join(directory, 'schema'));
    await mkdir(join(directory, 'docs'));
    await writeFile(join(directory, 'README.md'), '# A\n\n<!-- networks -->\nold\n<!-- end -->\n');
    await writeFile(join(directory, 'docs', 'networks.md'), '');
  });
  afterEach(() => rm(directory, { recursive: true }));

  const generate = (...args: string[]) =>
    promisify(execFile)(process.execPath, [program, ...args], { cwd: directory });
  const query = (members: string) => `type Query { ${members} }`;

  test('refuses to take away what was there, names it, and writes nothing', async () => {
    await writeFile(sdl, query('forecast: String'));
    const refused = await generate().catch((error: { code: number; stderr: string }) => error);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain('Field Query.forecast was removed.');
    expect(await readFile(sdl, 'utf8')).toContain('forecast');
  });

  test('tells what a client may stumble over, and does it', async () => {
    const now = generated()['schema.graphql']!;
    await writeFile(
      sdl,
      now
        .replace(/enum ReplayStatus \{/, 'enum ReplayStatus { GONE')
        .replace(/enum Platform \{[^}]*SANDBOX/, 'enum Platform { SANDBOX'),
    );
    const { stderr } = await generate('--breaking');
    expect(stderr).toContain(
      'Clients of GraphQL break:\n  Enum value ReplayStatus.GONE was removed.',
    );
    expect(stderr).toContain('may stumble over:\n  Enum value Platform.BLUESKY was added.');
  });

  test('does it with --breaking, or where it was deprecated', async () => {
    await writeFile(sdl, query('forecast: String'));
    await generate('--breaking');
    expect(await readFile(sdl, 'utf8')).toBe(generated()['schema.graphql']);
    await writeFile(sdl, query('forecast: String @deprecated'));
    await generate();
    expect(await readFile(sdl, 'utf8')).toBe(generated()['schema.graphql']);
  });

  test('makes the tables of networks anew', async () => {
    await writeFile(sdl, query('forecast: String @deprecated'));
    await generate();
    const readme = await readFile(join(directory, 'README.md'), 'utf8');
    expect(readme).toMatch(/\| \[Bluesky\]\(docs\/networks\.md#bluesky\) +\| 300 characters/);
    expect(readme).not.toContain('old');
  });
});
