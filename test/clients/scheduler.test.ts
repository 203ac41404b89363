// The example docs/examples/scheduler, as its users and Fanfare meet it: a link, a form, webhooks, live updates.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app/app.ts';
import { giveConsent } from '../support/app/consent.ts';
import { noise } from '../support/media/samples.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const example = join(root, 'docs/examples/scheduler');

/** Longer than the time to the post's time. */
const busy = { timeout: 25_000 };

let app: TestApp;
let folder: string;
let program: ChildProcess;
let origin: string;

beforeAll(async () => {
  app = await startApp();
  folder = await mkdtemp(join(tmpdir(), 'fanfare-scheduler-'));
  await cp(example, folder, { recursive: true });
  await linkPackages();
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  program = spawn(process.execPath, ['server.ts'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      FANFARE_URL: app.url,
      FANFARE_API_KEY: app.tenant.key,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(program.stdout!, 'data');
});

afterAll(async () => {
  if (program?.exitCode === null) {
    program.kill();
    await once(program, 'exit');
  }
  await app?.stop();
  if (folder) await rm(folder, { recursive: true });
});

test('a user connects an account, schedules a picture, and watches it being published', async () => {
  const link = await send('/connect', new FormData(), 302);
  const end = await giveConsent(link, { decision: { handle: 'ada' } });
  expect(end.url).toMatch(`${origin}/?status=completed`);
  const account = /name="account" value="(sa_\w+)"/.exec(end.html)![1]!;

  const updates = await follow();
  const form = new FormData();
  const picture = await noise(40, 30).png().toBuffer();
  form.set('file', new File([new Uint8Array(picture)], 'picture.png', { type: 'image/png' }));
  const local = new Date(Date.now() + 6_000).toISOString().slice(0, 19);
  const values = { key: 'form-1', zone: 'UTC', time: local, account };
  for (const [name, value] of Object.entries({ ...values, caption: '<Spring>', alt: 'Noise' })) {
    form.set(name, value);
  }
  expect(await send('/posts', form, 303)).toBe('/');
  expect(await page()).toContain('<span>&lt;Spring&gt;</span> <b>scheduled</b>');
  // The form is sent again.
  expect(await send('/posts', form, 303)).toBe('/');

  const [post, ...others] = (await app.api.get('/v1/posts')).body.data;
  expect(others).toEqual([]);
  expect(post).toMatchObject({ caption: '<Spring>', media: [{ alt_text: 'Noise' }] });
  await expect.poll(() => updates.map(({ post }) => post?.status), busy).toContain('published');
  await expect.poll(page, busy).toMatch(/<li>[\w:.-]+ post\.published<\/li>/);
  expect(await page()).toContain('<b>published</b>');
});

test('a mistake of the user is explained on the page, and keeps the text', async () => {
  const form = new FormData();
  const values = { key: 'form-2', zone: 'UTC', time: '2020-01-01T00:00:00', caption: '<Autumn>' };
  for (const [name, value] of Object.entries(values)) form.set(name, value);
  const { status, text } = await post('/posts', form);
  expect(status, text).toBe(422);
  expect(text).toContain('<p role="alert">schedule.local: must be at least 1 second in the future');
  expect(text).toContain('<p role="alert">account_ids: A post must name at least one account.</p>');
  expect(text).toContain('>&lt;Autumn&gt;</textarea>');

  form.set('file', new File(['text'], 'notes.txt', { type: 'text/plain' }));
  const refused = await post('/posts', form);
  expect(refused.status, refused.text).toBe(422);
  expect(refused.text).toMatch(/<p role="alert">content_type: \w/);
});

test('a forged webhook, and a form of another site, are refused', async () => {
  const forged = await fetch(`${origin}/hook`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"event":"post.failed"}',
  });
  expect(forged.status).toBe(401);
  const headers = { Origin: 'https://evil.example' };
  const body = new URLSearchParams();
  const foreign = await fetch(`${origin}/connect`, { method: 'POST', headers, body });
  expect(foreign.status).toBe(403);
});

test('the example has at most 200 lines', async () => {
  const names = await readdir(example);
  const texts = await Promise.all(names.map((name) => readFile(join(example, name), 'utf8')));
  const lines = texts.map((text) => text.trimEnd().split('\n').length);
  expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(200);
});

const page = async () => (await fetch(origin)).text();

/** Returns where the answer leads. */
async function send(path: string, body: FormData, status: number): Promise<string> {
  const answer = await post(path, body);
  expect(answer.status, answer.text).toBe(status);
  return answer.location!;
}

async function post(path: string, body: FormData) {
  const headers = { Origin: origin };
  const request = { method: 'POST', headers, body, redirect: 'manual' } as const;
  const response = await fetch(origin + path, request);
  const { status } = response;
  return { status, text: await response.text(), location: response.headers.get('Location') };
}

interface Update {
  post: { status: string } | null;
}

/** The updates that the page gets, as they come. */
async function follow(): Promise<Update[]> {
  const updates: Update[] = [];
  const { body } = await fetch(`${origin}/live`);
  void (async () => {
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of body!) {
      text += decoder.decode(bytes, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      updates.push(...blocks.map((block) => JSON.parse(block.slice('data: '.length)) as Update));
    }
  })().catch(() => undefined);
  return updates;
}

/** As `npm install` does, but with the client's source, which the tests don't build. */
async function linkPackages(): Promise<void> {
  const modules = join(folder, 'node_modules');
  const client = join(modules, '@fanfare-publishing/client');
  await mkdir(client, { recursive: true });
  await mkdir(join(modules, '@hono'));
  for (const name of ['hono', '@hono/node-server']) {
    await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  await writeFile(join(client, 'package.json'), '{"type":"module","exports":"./index.ts"}');
  await symlink(join(root, 'clients/typescript/src/index.ts'), join(client, 'index.ts'));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
