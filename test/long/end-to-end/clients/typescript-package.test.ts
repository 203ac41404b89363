// The package of the TypeScript client, installed in an empty folder: the programs of docs/sdks.md in Node, and in
// Deno and Bun where they are found; its types; and what generates them.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../support/app/app.ts';
import { installTypeScriptClient } from '../../../support/clients/packages.ts';
import { readBlocks, readPage } from '../../../support/checks/readme.ts';
import { noise } from '../../../support/media/samples.ts';
import { runNpm } from '../../../support/servers/npm-installation.ts';

const page = readPage('docs/sdks.md');

let app: TestApp;
let folder: string;
let checkout: string;
/** Where the package is installed. */
let project: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fanfare-sdk-'));
  let tarball: string;
  ({ checkout, project, tarball } = await installTypeScriptClient(folder));
  expect(page).toContain(`npm install /tmp/${tarball}\n`);
  for (const { text } of readBlocks(page)) {
    const file = /^\/\/ ([\w.]+)\n/.exec(text)?.[1];
    if (file) writeFileSync(join(project, file), text);
  }
  app = await startApp();
}, 300_000);
afterAll(async () => {
  await app?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

const environment = () => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  FANFARE_URL: app.url,
  FANFARE_API_KEY: app.tenant.key,
});

/** The words before the file's name. */
const runtimes: Record<string, string[]> = {
  node: [process.execPath],
  deno: ['deno', 'run', '--allow-all'],
  bun: ['bun', 'run'],
};

function isFound(name: string): boolean {
  if (name === 'node') return true;
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function run(runtime: string, file: string, ...args: string[]): Promise<string> {
  const [program, ...words] = runtimes[runtime]!;
  const options = { cwd: project, env: environment(), timeout: 60_000 };
  const { stdout } = await promisify(execFile)(program!, [...words, file, ...args], options);
  return stdout;
}

for (const runtime of Object.keys(runtimes)) {
  test.runIf(isFound(runtime))(`the programs publish and upload in ${runtime}`, async () => {
    expect(await run(runtime, 'publish.mjs')).toMatch(/^published http/);
    const picture = join(project, 'picture.png');
    writeFileSync(picture, await noise(30, 30).png().toBuffer());
    expect(await run(runtime, 'media.mjs', picture)).toContain('ada image/png\n');
  });

  test.runIf(isFound(runtime))(`the programs receive and follow in ${runtime}`, async () => {
    const port = 20_000 + (process.pid % 20_000) + Object.keys(runtimes).indexOf(runtime);
    const { id, secret } = await app.tenant.createWebhook(`http://127.0.0.1:${port}/`);
    const env = { ...environment(), PORT: String(port), WEBHOOK_SECRET: secret };
    const [program, ...words] = runtimes[runtime]!;
    let [received, followed] = ['', ''];
    const children = ['receive.mjs', 'follow.mjs'].map((file) =>
      spawn(program!, [...words, file], {
        cwd: project,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    try {
      children[0]!.stdout.on('data', (bytes) => (received += String(bytes)));
      children[1]!.stdout.on('data', (bytes) => (followed += String(bytes)));
      const account = await app.tenant.connectSandbox('follower');
      await expect
        .poll(
          async () => {
            await app.tenant.createPost({ caption: 'Hi', account_ids: [account.id] });
            return received.includes('post.published post_') && followed.includes('published');
          },
          { timeout: 20_000, interval: 500 },
        )
        .toBe(true);
    } finally {
      for (const child of children) child.kill('SIGKILL');
      await app.api.delete(`/v1/webhooks/${id}`);
    }
  });
}

test('the types of the package fit a program in TypeScript', async () => {
  writeFileSync(
    join(project, 'typed.ts'),
    `import { Fanfare, verifyWebhook, type Post } from '@fanfare-publishing/client';
export async function read(fanfare: Fanfare): Promise<Post[]> {
  const { data, meta } = await fanfare.posts.list({ status: ['draft'] });
  const cursor: string | null = meta.next_cursor;
  const message = await verifyWebhook('', {}, []);
  if (message.event === 'account.disconnected') console.log(message.data.reason, cursor);
  // @ts-expect-error -- an account has no caption
  (await fanfare.accounts.get('sa_1')).caption;
  for await (const { post } of fanfare.live.posts()) console.log(post?.results[0]?.platform);
  return data;
}
`,
  );
  const tsc = join(checkout, 'node_modules/typescript/bin/tsc');
  const types = ['--typeRoots', join(checkout, 'node_modules/@types'), '--types', 'node'];
  const args = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', ...types];
  const check = promisify(execFile)(process.execPath, [tsc, ...args, 'typed.ts'], { cwd: project });
  const { stdout } = await check.catch((error: unknown) => error as { stdout: string });
  expect(stdout).toBe('');
});

test('the types are those that the generator writes', async () => {
  const types = join(checkout, 'src/openapi.ts');
  const committed = readFileSync(types, 'utf8');
  await runNpm(['run', 'generate'], checkout);
  expect(readFileSync(types, 'utf8') === committed, 'Run `npm run generate` there.').toBe(true);
}, 60_000);

test('the package has only what it needs', () => {
  const installed = join(project, 'node_modules/@fanfare-publishing/client');
  expect(readdirSync(installed).toSorted()).toEqual(['README.md', 'dist', 'package.json']);
  expect(
    readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
  ).toEqual(['@fanfare-publishing']);
});
