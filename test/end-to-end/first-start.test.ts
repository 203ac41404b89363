// The first minutes of a newcomer: the program starts, and the commands that it prints work as printed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../support/app/api.ts';
import {
  createDataDirectory,
  findServer,
  removeDataDirectory,
  startProgram,
  type Program,
} from '../support/app/program.ts';
import { createShell, type Shell } from '../support/app/shell.ts';

const dataDirectory = createDataDirectory();

let program: Program;
let api: Api;
let shell: Shell;

beforeAll(async () => {
  shell = await createShell();
  program = startProgram({ dataDirectory });
  api = await program.waitForReady();
}, 180_000);

afterAll(async () => {
  await program.stop();
  await removeDataDirectory(dataDirectory);
  await shell[Symbol.asyncDispose]();
});

async function runPrinted(number: 1 | 2 | 3) {
  const command = new RegExp(`# ${number}\\. [^\\n]*\\n([^\\n]+)\\n`).exec(program.output())?.[1];
  if (!command) throw new Error(`No command ${number} in:\n${program.output()}`);
  return JSON.parse(await shell.run(command));
}

describe('the first start', () => {
  test('prints what it does, and keeps the key for its user alone', () => {
    const output = program.output();
    expect(output).toMatch(/Created the project "default" \(prj_\w+\) and its first API key\./);
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

  test('shows a page with links that lead somewhere', async () => {
    const page = await fetch(api.url);
    const links = [...(await page.text()).matchAll(/href="(http[^"]+)"/g)].map(([, url]) => url!);
    expect(links.length).toBeGreaterThanOrEqual(6);
    for (const link of links) {
      const answer = await fetch(link, { headers: { accept: 'text/html' } });
      expect(`${link} ${answer.status}`).toBe(`${link} 200`);
      // No page needs the internet.
      if (link.startsWith(api.url)) {
        expect(await answer.text()).not.toMatch(/<(script|link)[^>]*(src|href)="https:/);
      }
    }
  });

  test('refuses a second start on the same data directory', async () => {
    const port = new URL(api.url).port;
    const second = startProgram({ dataDirectory, env: { FANFARE_PORT: port } });
    const { code } = await second.exit;
    expect(code).toBe(1);
    expect(second.output()).toContain(String(program.pid));
  });

  test('makes projects and keys beside it, each shown once', async () => {
    const create = startProgram({
      dataDirectory,
      command: ['projects', 'create', '--name', 'second'],
    });
    expect((await create.exit).code).toBe(0);
    const [, projectId, key] = /project (\S+)\nkey\s+(\S+)/.exec(create.output())!;
    const project = await fetch(new URL('/v1/project', api.url), {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await project.json()).toMatchObject({ data: { id: projectId, name: 'second' } });

    const restricted = startProgram({
      dataDirectory,
      command: ['keys', 'create', '--project', projectId!, '--name', 'r', '--scopes', 'posts:read'],
    });
    expect((await restricted.exit).code).toBe(0);
    const readOnly = /key (\S+)/.exec(restricted.output())![1];
    const refused = await fetch(new URL('/v1/webhooks', api.url), {
      headers: { authorization: `Bearer ${readOnly}` },
    });
    expect(refused.status).toBe(403);
  });
});

describe('a later start', () => {
  test('keeps the key, the project and its accounts, after an end by Ctrl-C', async () => {
    const path = join(dataDirectory, 'api-key');
    const key = readFileSync(path, 'utf8');
    const before = await Promise.all([api.get('/v1/project'), api.get('/v1/accounts')]);
    expect(await program.interrupt()).toEqual({ code: 0, signal: null });

    program = startProgram({ dataDirectory });
    api = await program.waitForReady();
    const after = await Promise.all([api.get('/v1/project'), api.get('/v1/accounts')]);
    expect(readFileSync(path, 'utf8')).toBe(key);
    expect(after.map(({ body }) => body.data)).toEqual(before.map(({ body }) => body.data));
  }, 60_000);

  test.each([
    { how: 'npm is told to', signal: 'SIGTERM', toGroup: false },
    { how: 'Ctrl-C reaches both npm and it', signal: 'SIGINT', toGroup: true },
  ] as const)(
    'ends in order when $how',
    async ({ signal, toGroup }) => {
      await program.interrupt();
      // All of the environment that `npm test` sets for npm itself would be npm's configuration here.
      const own = Object.entries(process.env).filter(([name]) => !/^(npm_|FANFARE_)/i.test(name));
      const npm = spawn('npm', ['start'], {
        cwd: join(import.meta.dirname, '../..'),
        env: { ...Object.fromEntries(own), FANFARE_PORT: '0', FANFARE_DATA_DIR: dataDirectory },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      const exit = once(npm, 'exit');
      let output = '';
      npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      try {
        const ready = expect.poll(() => output, { timeout: 30_000, interval: 50 });
        await ready.toContain('Fanfare is ready at');
      } finally {
        process.kill(toGroup ? -npm.pid! : npm.pid!, signal);
      }
      expect(await exit).toEqual([0, null]);
      expect(output).toContain('Stopping.');
      expect(findServer(dataDirectory, 'postgres')).toBeUndefined();
      expect(findServer(dataDirectory, 'temporal')).toBeUndefined();
    },
    60_000,
  );

  test('takes a key that the operator has chosen', async () => {
    await program.interrupt();
    const chosen = 'a-key-of-my-own-choosing';
    program = startProgram({ dataDirectory, env: { FANFARE_API_KEY: chosen } });
    api = await program.waitForReady();
    expect(api.key).toBe(chosen);
    expect((await api.get('/v1/project')).status).toBe(200);
  }, 60_000);
});

describe('the help', () => {
  test('names every variable with its default', async () => {
    const help = startProgram({ dataDirectory, command: ['--help'] });
    expect((await help.exit).code).toBe(0);
    expect(help.output()).toMatch(/FANFARE_PORT\n .* Default: 4000\.\n/);
    expect(help.output()).toMatch(
      /FANFARE_DELIVERY_DELAYS_MS\n .* Default: 30000,120000,600000\.\n/,
    );
  });
});

describe('a wrong configuration', () => {
  test('lists every fault at once and exits with 1', async () => {
    const wrong = startProgram({
      dataDirectory,
      env: {
        FANFARE_PORT: '70000',
        FANFARE_API_KEY: 'short',
        DATABASE_URL: 'mysql://localhost/x',
        FANFARE_ALLOW_PRIVATE_CIDRS: '10.0.0.0/99',
        FANFARE_PROT: '1',
      },
    });
    expect((await wrong.exit).code).toBe(1);
    for (const name of [
      'FANFARE_PORT',
      'FANFARE_API_KEY',
      'DATABASE_URL',
      'FANFARE_ALLOW_PRIVATE_CIDRS',
      'FANFARE_PROT',
    ]) {
      expect(wrong.output()).toContain(`${name}: `);
    }
  });
});
