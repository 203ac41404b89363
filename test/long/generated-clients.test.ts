// The OpenAPI document passes a linter, and a client generated from it calls Fanfare with types.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app/app.ts';
import { readBlocks, readPage } from '../support/checks/readme.ts';
import { plantPosts } from '../support/lists/planted-posts.ts';
import { installOpenApiTools } from '../support/servers/openapi-tools.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));
const document = join(root, 'schema/openapi.json');
const app = useApp({ roles: { api: true, worker: false } });

let tools: string;
let directory: string;

/** Both outputs. Rejects if the tool fails. */
async function runTool(name: string, ...args: string[]): Promise<string> {
  const path = join(tools, 'node_modules/.bin', name);
  const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const env = { ...process.env, ...quiet };
  const { stdout, stderr } = await run(process.execPath, [path, ...args], { cwd: directory, env });
  return stdout + stderr;
}

/** What the compiler says about the file. Empty if its types fit. */
async function check(file: string, text: string): Promise<string> {
  await writeFile(join(directory, file), text);
  const args = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck'];
  const target = ['--module', 'nodenext', '--target', 'es2024', '--allowImportingTsExtensions'];
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  return run(process.execPath, [tsc, ...args, ...target, ...types, file], { cwd: directory }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

function readProgram(page: string, file: string): string {
  const block = readBlocks(readPage(page)).find(({ text }) => text.startsWith(`// ${file}\n`));
  if (!block) throw new Error(`${page} has no program ${file}.`);
  return block.text;
}

beforeAll(async () => {
  [tools, directory] = await Promise.all([
    installOpenApiTools(),
    mkdtemp(join(tmpdir(), 'fanfare-client-')),
  ]);
  await symlink(join(tools, 'node_modules'), join(directory, 'node_modules'));
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  await runTool('openapi-typescript', document, '-o', 'fanfare.ts');
}, 10 * 60_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('the OpenAPI document', () => {
  test('has no issue that the linter knows', async () => {
    expect(await runTool('redocly', 'lint', document)).not.toMatch(/warning|error/i);
  });
});

describe("openapi-typescript at its defaults, with docs/clients.md's programs", () => {
  const call = (body: string) => `
    import createClient from 'openapi-fetch';
    import type { paths } from './fanfare.ts';
    export const answer = await createClient<paths>().POST('/v1/posts', { body: ${body} });`;

  test("types the README's first call", async () => {
    const json = /-d '(\{"caption[^']*)'/.exec(readPage('README.md'))![1]!;
    expect(JSON.parse(json)).toMatchObject({ caption: 'Hello' });
    expect(await check('call.ts', call(json))).toBe('');
    expect(await check('call.ts', call('{ "caption": 1 }'))).toContain('error TS2322');
    expect(await check('call.ts', call('undefined'))).toContain('error TS');
  });

  test('types a receiver of webhooks', async () => {
    const receiver = readProgram('docs/clients.md', 'receive.ts');
    expect(await check('receive.ts', receiver)).toBe('');
    const mistaken = receiver.replace('message.data.reason', 'message.data.results');
    expect(await check('receive.ts', mistaken)).toContain("'results'");
  });

  test('types known values as open strings in answers, and as enums in requests', async () => {
    const values = `
      import type { components } from './fanfare.ts';
      export const read: components['schemas']['Account']['platform'] = 'a new network';
      export const sent: components['schemas']['ConnectAccount']['platform'] = 'a new network';`;
    const found = await check('values.ts', values);
    expect(found.match(/error TS/g)).toHaveLength(1);
    expect(found).toContain('values.ts(4,');
  });

  test('finds posts by every kind of filter', async () => {
    const program = readProgram('docs/clients.md', 'list.ts');
    expect(await check('list.ts', program)).toBe('');
    for (const [right, wrong] of [
      ["'scheduled_at'", "'caption'"],
      ["'draft', 'scheduled'", "'draft', 'done'"],
      ["campaign: 'launch'", 'campaign: 1'],
      ["['total_count']", 'true'],
    ] as const) {
      const mistaken = program.replace(right, wrong);
      expect(mistaken).not.toBe(program);
      expect(await check('list.ts', mistaken)).toContain('error TS2322');
    }
    const found = { metadata: { campaign: 'launch' }, labels: ['Berlin, Mitte'] };
    await plantPosts(app.context.db, app.tenant.projectId, [
      { ...found, caption: 'Released later', scheduled_at: new Date('2030-01-02') },
      { ...found, caption: 'Released first', scheduled_at: new Date('2030-01-01') },
      { ...found, caption: 'Release failed', status: 'failed' },
      { ...found, caption: 'Release of others', metadata: {} },
      { ...found, caption: 'Release without a label', labels: [] },
      { ...found, caption: 'Something else' },
      { ...found, caption: 'Release of last year', created_at: new Date('2025-12-31') },
    ]);
    const env = { ...process.env, URL: app.url, KEY: app.tenant.key };
    await check('list.ts', program);
    const { stdout } = await run(process.execPath, ['list.ts'], { cwd: directory, env });
    expect(stdout).toBe('2 Released first,Released later\n');
  });

  test('publishes a post', async () => {
    expect(await check('publish.ts', readProgram('docs/clients.md', 'publish.ts'))).toBe('');
    const { id } = await app.tenant.connectSandbox('ada');
    const env = { ...process.env, URL: app.url, KEY: app.tenant.key, ACCOUNT: id };
    const { stdout } = await run(process.execPath, ['publish.ts'], { cwd: directory, env });
    expect(stdout).toMatch(/^post_\w+ pending\n$/);
  });
});
