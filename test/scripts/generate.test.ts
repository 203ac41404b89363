// The committed generated files match the code.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildSchema, parse, visit } from 'graphql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { generate, generated } from '../../scripts/generate.ts';
import { eventTypes } from '../../schema/event-types.ts';
import { createSchema } from '../../api/resources/schema.ts';
import { fillInTables, listPages } from '../../scripts/doc-tables.ts';
import { findChanges } from '../../scripts/schema-changes.ts';

const committed = (name: string) =>
  readFile(new URL(`../../schema/${name}`, import.meta.url), 'utf8');

const readFromRoot = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

const texts = generated();
const outdated = 'Run `npm run generate` and commit what it writes.';

const pages = await listPages();

describe('npm run generate', () => {
  test.each(Object.entries(texts))('would change nothing in %s', async (path, text) => {
    expect(await readFromRoot(path), outdated).toBe(text);
  });

  test.each(pages)('would change no table in %s', async (name) => {
    const page = await readFromRoot(name);
    expect(page, outdated).toBe(fillInTables(page));
    expect(page.match(/^<!-- [\w ]+ -->\n\n\|/m)).not.toBeNull();
  });

  test('writes the same each time', () => {
    expect(generated()).toEqual(texts);
  });

  test('would break no client of the GraphQL schema', async () => {
    const { breaking } = findChanges(await committed('schema.graphql'), createSchema());
    expect(breaking, 'Deprecate first, or run `npm run generate -- --breaking`.').toEqual([]);
  });
});

describe('client generators', () => {
  interface Schema {
    type?: string | string[];
    allOf?: Schema[];
    anyOf?: Schema[];
    enum?: unknown[];
  }

  const isNullable = ({ type = [], anyOf = [] }: Schema): boolean =>
    [type].flat().includes('null') || anyOf.some(isNullable);

  /** Visits every object inside the value, with its path. */
  function walk(value: unknown, visit: (schema: Schema, at: string) => void, at = ''): void {
    if (typeof value !== 'object' || value === null) return;
    visit(value, at);
    for (const [key, member] of Object.entries(value)) walk(member, visit, `${at}/${key}`);
  }

  test('get no nullable component, and no reference narrowed to null', async () => {
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

  test('get a boolean for a parameter that is true or false', async () => {
    const { paths } = JSON.parse(await committed('openapi.json'));
    const schemaOf = (operation: { parameters: { name: string; schema: Schema }[] }, own: string) =>
      operation.parameters.find(({ name }) => name === own)!.schema;
    const boolean = { type: 'boolean', default: false, description: expect.any(String) };
    const app = paths['/v1/platform-credentials/{platform}'];
    expect(schemaOf(app.delete, 'force')).toEqual(boolean);
    expect(schemaOf(paths['/v1/events'].get, 'test')).toEqual(boolean);
  });

  test('see which references are nullable', async () => {
    const { schemas } = JSON.parse(await committed('openapi.json')).components;
    const orNull = (name: string) => ({
      anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }],
    });
    expect(schemas.PostResult.properties.first_comment).toMatchObject(orNull('FirstComment'));
    expect(schemas.Capabilities.properties.media).toMatchObject(orNull('MediaRules'));
  });

  test('get one component for each object', async () => {
    const { schemas } = JSON.parse(await committed('openapi.json')).components;
    const inline: string[] = [];
    walk(schemas, (schema, at) => {
      if ('properties' in schema && !/^\/\w+$/.test(at) && !at.endsWith('/properties'))
        inline.push(at);
    });
    expect(inline).toEqual([]);
    const reference = { $ref: '#/components/schemas/PostScheduleInput' };
    expect(schemas.CreatePost.properties.schedule).toEqual({
      ...reference,
      description: expect.stringContaining('instead of `scheduled_at`'),
    });
    for (const name of ['UpdatePost', 'PostToUpdate']) {
      expect(schemas[name].properties.schedule).toEqual({
        anyOf: [reference, { type: 'null' }],
        description: expect.stringContaining('Null removes the time'),
      });
    }
  });

  test('get one component for each described enum of request bodies, and enums in place for parameters', async () => {
    const document = JSON.parse(await committed('openapi.json'));
    const inline: string[] = [];
    walk(document, (schema, at) => {
      const isComponent = /^\/components\/schemas\/\w+$/.test(at);
      const isParameter = at.includes('/parameters/');
      if ('x-enumDescriptions' in schema && !isComponent && !isParameter) inline.push(at);
    });
    expect(inline).toEqual([]);
    const { ConnectAccount, CreateApiKey } = document.components.schemas;
    expect(ConnectAccount.properties.platform).toMatchObject({
      $ref: '#/components/schemas/Platform',
    });
    expect(CreateApiKey.properties.environment).toEqual({
      $ref: '#/components/schemas/KeyEnvironment',
      description: 'Accounts that the key reaches. Default: production.',
    });
    const { parameters } = document.paths['/v1/platform-credentials/{platform}'].get;
    expect(parameters[0].schema).toMatchObject({
      enum: expect.arrayContaining(['bluesky']),
      description: 'Network of the app.',
    });
  });

  test('get no value in two enums, because Go clients make a constant of each value', async () => {
    const { components } = JSON.parse(await committed('openapi.json'));
    const words = Object.values<{ enum?: string[] }>(components.schemas).flatMap(
      (schema) => schema.enum ?? [],
    );
    expect(words.length).toBeGreaterThan(20);
    expect(words.toSorted()).toEqual([...new Set(words)].toSorted());
  });

  test('get strings with their known values in answers and messages', async () => {
    const { paths, webhooks, components } = JSON.parse(await committed('openapi.json'));
    const { Account, ErrorObject, PostResult, Webhook } = components.schemas;
    expect(Account.properties.status).toEqual({
      type: 'string',
      description: expect.stringMatching(
        /^Account status\.\n\nKnown values:\n\n- `active`: Accepts posts\.\n- `/,
      ),
    });
    expect(PostResult.properties.failure_stage).toEqual({
      type: ['string', 'null'],
      description: expect.stringContaining('- `commit`: '),
    });
    expect(Webhook.properties.events.items).toMatchObject({ type: 'string' });
    expect(ErrorObject.properties.code.description).toContain(', `rate_limited`, ');

    const closed: string[] = [];
    function findEnums(value: unknown, root: string, seen = new Set<string>()): void {
      walk(value, (schema, at) => {
        if (schema.enum && schema.enum.length > 1) closed.push(`${root}${at}`);
        const { $ref } = schema as { $ref?: string };
        if ($ref === undefined || seen.has($ref)) return;
        seen.add($ref);
        const [, , kind, name] = $ref.split('/');
        findEnums(components[kind!][name!], root, seen);
      });
    }
    for (const [path, operations] of Object.entries<object>(paths)) {
      for (const operation of Object.values(operations)) findEnums(operation.responses, path);
    }
    findEnums(webhooks, 'webhooks');
    expect(closed).toEqual([]);
  });

  test('get no default of a member, which would make it mandatory', async () => {
    const { components } = JSON.parse(await committed('openapi.json'));
    const found: string[] = [];
    walk(components.schemas, (schema, at) => {
      if ('default' in schema) found.push(at);
    });
    expect(found).toEqual([]);
    expect(components.schemas.CreateWebhook.properties.active.description).toContain(
      'Default: true',
    );
  });

  test('get one security scheme, whose name no member has', async () => {
    const { components, security } = JSON.parse(await committed('openapi.json'));
    expect(Object.keys(components.securitySchemes)).toEqual(['bearerAuth']);
    expect(security).toEqual([{ bearerAuth: [] }]);
  });

  test('get one tag for each operation, and one for each resource', async () => {
    const { paths, tags } = JSON.parse(await committed('openapi.json'));
    const used = new Set<string>();
    for (const operation of Object.values<object>(paths).flatMap<{ tags: string[] }>(
      Object.values,
    )) {
      expect(operation.tags).toHaveLength(1);
      used.add(operation.tags[0]!);
    }
    expect([...used, 'webhook-messages'].toSorted()).toEqual(
      tags.map(({ name }: { name: string }) => name).toSorted(),
    );
    expect(paths['/v1/webhooks/{id}/replay'].post.tags).toEqual(['replays']);
    expect(paths['/v1/webhooks/{id}/deliveries'].get.tags).toEqual(['deliveries']);
  });

  test('get no escaped slash in a pattern', async () => {
    const escaped: string[] = [];
    walk(JSON.parse(await committed('openapi.json')), (schema, at) => {
      if ('pattern' in schema && String(schema.pattern).includes('\\/')) escaped.push(at);
    });
    expect(escaped).toEqual([]);
  });

  test('see which requests need a body', async () => {
    const { paths } = JSON.parse(await committed('openapi.json'));
    const optional = Object.values<object>(paths)
      .flatMap((operations) => Object.values(operations))
      .filter(({ requestBody }) => requestBody && !requestBody.required)
      .map(({ operationId }) => operationId);
    const names = ['createAccountCheck', 'rotateWebhook', 'testWebhook', 'uploadMedia'];
    expect(optional).toEqual(names);
  });

  test('get a name, an operation and a tag for each webhook message', async () => {
    const { webhooks, components, tags } = JSON.parse(await committed('openapi.json'));
    expect(Object.keys(webhooks)).toEqual(eventTypes);
    const message = { $ref: '#/components/schemas/AccountQuotaWarningMessage' };
    expect(webhooks['account.quota_warning'].post).toMatchObject({
      operationId: 'receiveAccountQuotaWarning',
      tags: ['webhook-messages'],
      requestBody: { required: true, content: { 'application/json': { schema: message } } },
    });
    const { oneOf, discriminator } = components.schemas.WebhookMessage;
    expect(discriminator.propertyName).toBe('event');
    expect(discriminator.mapping).toMatchObject({ 'account.quota_warning': message.$ref });
    expect(oneOf).toHaveLength(eventTypes.length);
    expect(components.schemas.AccountQuotaWarningMessage.properties.event.enum).toEqual([
      'account.quota_warning',
    ]);
    expect(tags).toContainEqual({
      name: 'webhook-messages',
      description: 'Requests that Fanfare sends to your webhooks.',
    });
  });

  test('see which webhook messages are not sent to every webhook', async () => {
    const { webhooks } = JSON.parse(await committed('openapi.json'));
    expect(webhooks['post.published'].post).not.toHaveProperty('description');
    expect(webhooks['account.expiring'].post.description).toMatch(/^Opt-in\./);
    expect(webhooks['post.scheduled'].post.description).toMatch(/^Coming soon\./);
  });

  test('get the same description of a shared member in a component and in its extension', async () => {
    const { schemas } = JSON.parse(await committed('openapi.json')).components;
    for (const extended of ['ApiKeyWithSecret', 'WebhookWithSecret', 'DeliveryWithAttempts']) {
      const base = extended.replace(/With.*/, '');
      expect(schemas[extended].properties).toMatchObject(schemas[base].properties);
    }
    expect(schemas.WebhookWithSecret.properties.environment.description).toMatch(/API key/);
  });

  test("find the JSON Schema of a network's options, and the limits of an account", async () => {
    const { schemas } = JSON.parse(await committed('openapi.json')).components;
    const { platform_options } = schemas.PlatformPost.properties;
    expect(platform_options.description).toContain('`GET /v1/platforms/capabilities`');
    expect(schemas.Capabilities.description).toContain('`POST /v1/posts/validate`');
    const sdl = await committed('schema.graphql');
    expect(buildSchema(sdl).getType('Capabilities')!.description).toContain('`validatePost`');
  });

  test("find a declaration of every directive of the GraphQL schema that clients don't know already", async () => {
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

describe('generate', () => {
  let directory: string;
  let sdl: string;
  let openApi: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fanfare-generate-'));
    sdl = join(directory, 'schema', 'schema.graphql');
    openApi = join(directory, 'schema', 'openapi.json');
    await mkdir(join(directory, 'schema'));
    await mkdir(join(directory, 'api', 'dashboard', 'app', 'api'), { recursive: true });
    await mkdir(join(directory, 'docs', 'networks'), { recursive: true });
    await writeFile(openApi, '{}');
    await writeFile(join(directory, 'CHANGELOG.md'), '## [Unreleased]\n');
    await writeFile(join(directory, 'docs', 'networks.md'), '# Networks\n');
    await writeFile(join(directory, 'docs', 'quickstart.md'), '# Quickstart\n');
    await writeFile(join(directory, 'docs', 'mcp.md'), '# MCP\n');
    await writeFile(join(directory, 'docs', 'operating.md'), '# Operating\n');
    await writeFile(join(directory, 'README.md'), '# A\n\n<!-- networks -->\nold\n<!-- end -->\n');
  });
  afterEach(() => rm(directory, { recursive: true }));

  /** Returns whether it wrote the files, and what it printed. */
  async function run({ isBreaking = false } = {}) {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const isWritten = await generate({ directory, isBreaking, print });
    return { isWritten, printed: lines.join('\n') };
  }
  const query = (members: string) => `type Query { ${members} }`;

  test('writes nothing if a field or a REST operation was removed, and names it', async () => {
    await writeFile(sdl, query('forecast: String'));
    const text = '{"paths":{"/v1/forecast":{"get":{"operationId":"getForecast","responses":{}}}}}';
    await writeFile(openApi, text);
    const { isWritten, printed } = await run();
    expect(isWritten).toBe(false);
    expect(printed).toContain('Field Query.forecast was removed.');
    expect(printed).toContain('REST clients break:\n  GET /v1/forecast was removed');
    expect(await readFile(sdl, 'utf8')).toContain('forecast');
    expect(await readFile(openApi, 'utf8')).toBe(text);
  });

  test('removes fields and operations if clients may break, and lists breaking and dangerous changes', async () => {
    const text = '{"paths":{"/v1/forecast":{"get":{"operationId":"getForecast","responses":{}}}}}';
    await writeFile(openApi, text);
    await writeFile(
      sdl,
      texts['schema/schema.graphql']!.replace(/enum ReplayStatus \{/, 'enum ReplayStatus { GONE')
        .replace(/enum Platform \{[^}]*SANDBOX/, 'enum Platform { SANDBOX')
        .replace(/^type Query \{/m, 'type Query { forecast: String'),
    );
    const { printed } = await run({ isBreaking: true });
    for (const change of [
      'Enum value ReplayStatus.GONE was removed.',
      'Field Query.forecast was removed.',
    ]) {
      expect(printed.slice(printed.indexOf('GraphQL clients break:\n'))).toContain(`\n  ${change}`);
    }
    expect(printed).toContain(
      'Some GraphQL clients may fail:\n  Enum value Platform.BLUESKY was added.',
    );
    expect(await readFile(sdl, 'utf8')).toBe(texts['schema/schema.graphql']);
    expect(await readFile(openApi, 'utf8')).toBe(texts['schema/openapi.json']);
  });

  test('compares the schema with the tag of the last version in the changelog', async () => {
    const git = (...args: string[]) => promisify(execFile)('git', args, { cwd: directory });
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    await writeFile(sdl, query('forecast: String'));
    await git('init', '-q');
    await git('add', '.');
    await git(...identity, 'commit', '-qm', 'a version');
    await git('tag', 'v1.2.0');
    // What the generator wrote since.
    for (const [name, text] of Object.entries(texts)) {
      await writeFile(join(directory, name), text);
    }
    const changelog = '## [Unreleased]\n\n## [1.2.0] - 2026-12-01\n\n## [1.1.0] - 2026-11-01\n';
    await writeFile(join(directory, 'CHANGELOG.md'), changelog);
    expect((await run()).printed).toContain('Field Query.forecast was removed.');
    await git('tag', '-d', 'v1.2.0');
    await expect(run()).rejects.toThrow('v1.2.0:schema/schema.graphql');
  });

  test('removes a deprecated field, and rewrites the tables of networks', async () => {
    await writeFile(sdl, query('forecast: String @deprecated'));
    expect((await run()).isWritten).toBe(true);
    expect(await readFile(sdl, 'utf8')).toBe(texts['schema/schema.graphql']);
    const readme = await readFile(join(directory, 'README.md'), 'utf8');
    expect(readme).toMatch(/\| \[Bluesky\]\(docs\/networks\/bluesky\.md\) ¹ +\| 300 characters/);
    expect(readme).not.toContain('old');
  });
});
