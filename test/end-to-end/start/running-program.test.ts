// What starts and commands do on the data directory of a running program.
import { afterAll, describe, expect, test } from 'vitest';
import { startOnSharedTemporal } from '../../support/app/later-start.ts';
import { removeDataDirectory, startProgram } from '../../support/app/program.ts';
import { forFile } from '../../support/fixtures.ts';
import { createBundledDirectory } from '../../support/servers/bundled-directory.ts';

const dataDirectory = createBundledDirectory();
afterAll(() => removeDataDirectory(dataDirectory));
const running = forFile(() => startOnSharedTemporal(dataDirectory));

// Concurrent: each waits for processes of its own.
describe.concurrent('while a program runs', () => {
  test('a second start on its data directory is refused', async () => {
    const port = new URL(running.api.url).port;
    const second = startProgram({
      dataDirectory,
      env: { FANFARE_PORT: port },
    });
    const { code } = await second.exit;
    expect(code).toBe(1);
    expect(second.output()).toContain(String(running.program.pid));
  });

  test('commands create projects and keys, and show each key once', async () => {
    const create = startProgram({
      dataDirectory,
      command: ['projects', 'create', '--name', 'second'],
    });
    expect((await create.exit).code).toBe(0);
    const [, projectId, key] = /project (\S+)\nkey\s+(\S+)/.exec(create.output())!;
    const project = await fetch(new URL('/v1/project', running.api.url), {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await project.json()).toMatchObject({ data: { id: projectId, name: 'second' } });

    const restricted = startProgram({
      dataDirectory,
      command: ['keys', 'create', '--project', projectId!, '--name', 'r', '--scopes', 'posts:read'],
    });
    expect((await restricted.exit).code).toBe(0);
    const readOnly = /key (\S+)/.exec(restricted.output())![1];
    const refused = await fetch(new URL('/v1/webhooks', running.api.url), {
      headers: { authorization: `Bearer ${readOnly}` },
    });
    expect(refused.status).toBe(403);
  });
});
