// The program as `npm start` runs it: the first start with what it prints, commands beside it, and a later start.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inspectProcess } from '../../support/processes.ts';
import { createApi, type Api } from '../../support/app/api.ts';
import { readProject, startWithNpm, type NpmStart } from '../../support/app/later-start.ts';
import { findServer, removeDataDirectory, startProgram } from '../../support/app/program.ts';
import { createShell, type Shell } from '../../support/app/shell.ts';
import { createBundledDirectory } from '../../support/servers/bundled-directory.ts';

const dataDirectory = createBundledDirectory();
const readStoredKey = () => readFileSync(join(dataDirectory, 'api-key'), 'utf8');

let npm: NpmStart;
let api: Api;
let shell: Shell;
/** The project and its accounts after the first start. */
let project: unknown[];

beforeAll(async () => {
  shell = await createShell();
  npm = startWithNpm(dataDirectory);
  api = createApi(await npm.waitForUrl(), readStoredKey().trim());
  project = await readProject(api);
}, 180_000);

afterAll(async () => {
  // It still runs if a test before its end failed.
  await npm.stop();
  await removeDataDirectory(dataDirectory);
  await shell[Symbol.asyncDispose]();
});

async function runPrinted(number: 1 | 2 | 3) {
  const command = new RegExp(`# ${number}\\. [^\\n]*\\n([^\\n]+)\\n`).exec(npm.output())?.[1];
  if (!command) throw new Error(`No command ${number} in:\n${npm.output()}`);
  return JSON.parse(await shell.run(command));
}

async function expectEndInOrder(): Promise<void> {
  expect(await npm.exit).toEqual([0, null]);
  expect(npm.output()).toContain('Stopping.');
  expect(findServer(dataDirectory, 'postgres')).toBeUndefined();
  expect(findServer(dataDirectory, 'temporal')).toBeUndefined();
}

describe('the first start', () => {
  test('prints each step, and stores the key readable by its user alone', () => {
    const output = npm.output();
    expect(output).toMatch(/Created the project "My app" \(prj_\w+\) and its first API key\./);
    expect(output).toMatch(/Connected the sandbox account @ada/);
    expect(output).toMatch(/Connected the sandbox account @bob/);
    expect(statSync(join(dataDirectory, 'api-key')).mode & 0o777).toBe(0o600);
  });

  test('prints three commands that work as printed', async () => {
    const webhook = await runPrinted(1);
    expect(webhook.data).toMatchObject({ status: 'active', secret: expect.any(String) });
    const post = await runPrinted(2);
    expect(post.data).toMatchObject({ status: 'pending', results: [{}, {}] });
    await expect
      .poll(async () => JSON.stringify(await runPrinted(3)), { timeout: 20_000, interval: 250 })
      .toContain('post.partial');
    const inbox = await runPrinted(3);
    const received = JSON.parse(inbox.data[0].body);
    expect(received).toMatchObject({ event: 'post.partial', data: { id: post.data.id } });
  });

  test('shows a page whose links work', async () => {
    const page = await fetch(api.url);
    const links = [...(await page.text()).matchAll(/href="(http[^"]+)"/g)].map(([, url]) => url!);
    expect(links.length).toBeGreaterThanOrEqual(6);
    for (const link of links) {
      const answer = await fetch(link, { headers: { accept: 'text/html' } });
      expect(`${link} ${answer.status}`).toBe(`${link} 200`);
      // No page loads anything from the internet.
      if (link.startsWith(api.url)) {
        expect(await answer.text()).not.toMatch(/<(script|link)[^>]*(src|href)="https:/);
      }
    }
  });
});

// Concurrent: each waits for processes of its own.
describe.concurrent('while the program runs', () => {
  test('a second start on its data directory is refused', async () => {
    const { port } = new URL(api.url);
    const second = startProgram({ dataDirectory, env: { FANFARE_PORT: port } });
    const { code } = await second.exit;
    expect(code).toBe(1);
    const [, holder] = /is in use by process (\d+)\./.exec(second.output())!;
    expect(inspectProcess(Number(holder))?.command).toContain('api/cli.ts start');
  });

  test('commands create projects and keys, and show each key once', async () => {
    const create = startProgram({
      dataDirectory,
      command: ['projects', 'create', '--name', 'second'],
    });
    expect((await create.exit).code).toBe(0);
    const [, projectId, key] = /project (\S+)\nkey\s+(\S+)/.exec(create.output())!;
    const created = await createApi(api.url, key!).get('/v1/project');
    expect(created.body).toMatchObject({ data: { id: projectId, name: 'second' } });

    const restricted = startProgram({
      dataDirectory,
      command: ['keys', 'create', '--project', projectId!, '--name', 'r', '--scopes', 'posts:read'],
    });
    expect((await restricted.exit).code).toBe(0);
    const readOnly = /key (\S+)/.exec(restricted.output())![1]!;
    expect((await createApi(api.url, readOnly).get('/v1/webhooks')).status).toBe(403);
  });
});

describe('the end of the program', () => {
  test('is clean when npm and the program get Ctrl-C in a terminal', async () => {
    // It reaches the whole group.
    process.kill(-npm.pid, 'SIGINT');
    await expectEndInOrder();
  }, 60_000);
});

describe('a later start', () => {
  test('keeps the key, the project and its accounts, and ends cleanly when npm gets a signal', async () => {
    const storedKey = readStoredKey();
    npm = startWithNpm(dataDirectory);
    const again = createApi(await npm.waitForUrl(), storedKey.trim());
    expect(await readProject(again)).toEqual(project);
    expect(readStoredKey()).toBe(storedKey);
    process.kill(npm.pid, 'SIGTERM');
    await expectEndInOrder();
  }, 60_000);
});
