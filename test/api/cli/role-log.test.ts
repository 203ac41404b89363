// `api` and `worker` write nothing but lines of JSON, Temporal's native core included.
import { expect, inject, test } from 'vitest';
import { createProjectWithKey } from '../../../api/cli/first-start.ts';
import { createApi } from '../../support/app/api.ts';
import { removeDataDirectory, startProgram, type Program } from '../../support/app/program.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { createBundledDirectory } from '../../support/servers/bundled-directory.ts';
import { startProxy } from '../../support/servers/proxy.ts';

const database = useDatabase();

const linesOf = (program: Program) =>
  program
    .output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('every line of api and worker is JSON with a time, a level and a component', async () => {
  const [hostname, port] = inject('temporalAddress').split(':');
  const temporal = await startProxy({ hostname: hostname!, port: port! });
  const dataDirectory = createBundledDirectory();
  const start = (command: string) =>
    startProgram({
      command: [command],
      dataDirectory,
      env: {
        DATABASE_URL: database.url,
        TEMPORAL_ADDRESS: temporal.address,
        TEMPORAL_TASK_QUEUE: 'role-log',
        FANFARE_VAULT_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
      },
    });
  const programs = { api: start('api'), worker: start('worker') };
  try {
    for (const [role, program] of Object.entries(programs)) {
      await program.waitForOutput(/"msg":"up"/);
      const up = linesOf(program).find(({ msg }) => msg === 'up')!;
      expect(up).toMatchObject({ component: 'process', role });
      expect((await fetch(`${String(up['url'])}/readyz`)).status).toBe(200);
    }
    await temporal.cut();
    // Written by the core: the worker's polls fail, and the core repeats them.
    await programs.worker.waitForOutput(/"component":"temporal","target":"temporalio_client/);
    await temporal.reopen();
    const { key } = await createProjectWithKey(database.db, 'test');
    const { url } = linesOf(programs.api).find(({ msg }) => msg === 'up')!;
    const { post } = createApi(String(url), key);
    expect((await post('/v1/webhooks', { url: 'https://example.com/' })).status).toBe(201);
    // Node warns of it: its many chunks each wait for the compression.
    await fetch(`${String(url)}/docs/viewer.js`, { headers: { 'Accept-Encoding': 'br' } });
    const ends = await Promise.all(Object.values(programs).map((program) => program.interrupt()));
    expect(ends).toEqual([0, 0].map((code) => ({ code, signal: null })));
    for (const line of Object.values(programs).flatMap(linesOf)) {
      expect(line).toMatchObject({
        time: expect.any(Number) as number,
        level: expect.any(Number) as number,
        component: expect.any(String) as string,
      });
    }
    const words = linesOf(programs.api).map(
      ({ component, msg }) => `${String(component)} ${String(msg)}`,
    );
    expect(new Set(words)).toEqual(
      new Set(['process up', 'audit webhook created', 'process Node warns', 'process stopping']),
    );
  } finally {
    await Promise.all(Object.values(programs).map((program) => program.stop()));
    await Promise.all([temporal.cut(), removeDataDirectory(dataDirectory)]);
  }
}, 90_000);
