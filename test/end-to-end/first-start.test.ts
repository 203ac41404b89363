// The first start of the program, with the commands that it prints, and later starts on the same data.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createApi, type Api } from '../support/app/api.ts';
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
/** The project and its accounts after the first start. */
let before: unknown[];

beforeAll(async () => {
  shell = await createShell();
  program = startProgram({ dataDirectory });
  api = await program.waitForReady();
  before = await readProject(api);
}, 180_000);

afterAll(async () => {
  await program.stop();
  await removeDataDirectory(dataDirectory);
  await shell[Symbol.asyncDispose]();
});

async function readProject({ get }: Api): Promise<unknown[]> {
  const answers = await Promise.all([get('/v1/project'), get('/v1/accounts')]);
  return answers.map(({ status, body }) => ({ status, data: body.data }));
}

async function runPrinted(number: 1 | 2 | 3) {
  const command = new RegExp(`# ${number}\\. [^\\n]*\\n([^\\n]+)\\n`).exec(program.output())?.[1];
  if (!command) throw new Error(`No command ${number} in:\n${program.output()}`);
  return JSON.parse(await shell.run(command));
}

describe('the first start', () => {
  test('prints each step, and stores the key readable by its user alone', () => {
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

  test('refuses a second start on the same data directory', async () => {
    const port = new URL(api.url).port;
    const second = startProgram({ dataDirectory, env: { FANFARE_PORT: port } });
    const { code } = await second.exit;
    expect(code).toBe(1);
    expect(second.output()).toContain(String(program.pid));
  });

  test('creates projects and keys while the program runs, and shows each key once', async () => {
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
  test('ends in order at Ctrl-C', async () => {
    expect(await program.interrupt()).toEqual({ code: 0, signal: null });
  });

  test.each([
    {
      title:
        'keeps the key, the project and its accounts, and ends in order when npm gets a signal',
      signal: 'SIGTERM',
      toGroup: false,
      key: undefined,
    },
    {
      title: 'takes a key that the operator chose, and ends in order when npm and it get Ctrl-C',
      signal: 'SIGINT',
      toGroup: true,
      key: 'a-key-of-my-own-choosing',
    },
  ] as const)(
    '$title',
    async ({ signal, toGroup, key }) => {
      const storedKey = readFileSync(join(dataDirectory, 'api-key'), 'utf8');
      // The variables that `npm test` sets would configure this npm.
      const own = Object.entries(process.env).filter(([name]) => !/^(npm_|FANFARE_)/i.test(name));
      const npm = spawn('npm', ['start'], {
        cwd: join(import.meta.dirname, '../..'),
        env: {
          ...Object.fromEntries(own),
          FANFARE_PORT: '0',
          FANFARE_DATA_DIR: dataDirectory,
          ...(key && { FANFARE_API_KEY: key }),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      });
      const exit = once(npm, 'exit');
      let output = '';
      npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      try {
        const isReady = expect.poll(() => output, { timeout: 30_000, interval: 50 });
        await isReady.toContain('Fanfare is ready at');
        const url = /Fanfare is ready at (\S+)/.exec(output)![1]!;
        expect(await readProject(createApi(url, storedKey.trim()))).toEqual(before);
        const { status } = await createApi(url, key ?? storedKey.trim()).get('/v1/project');
        expect(status).toBe(200);
        expect(readFileSync(join(dataDirectory, 'api-key'), 'utf8')).toBe(storedKey);
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
  test('lists every issue at once and exits with 1', async () => {
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
