// `migrate`, `api` and `worker` as processes: they wait for backends that start later, and log lines of JSON alone,
// Temporal's native core included.
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createProjectWithKey } from '../../../api/cli/first-start.ts';
import { createApi } from '../../support/app/api.ts';
import { removeDataDirectory, startProgram, type Program } from '../../support/app/program.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { createBundledDirectory } from '../../support/servers/bundled-directory.ts';
import { startProxy, type Proxy } from '../../support/servers/proxy.ts';

const database = useDatabase();
const dataDirectory = createBundledDirectory();
let postgres: Proxy;
let temporal: Proxy;
let migrate: Program;
let api: Program;
let worker: Program;

beforeAll(async () => {
  const [hostname, port] = inject('temporalAddress').split(':');
  postgres = await startProxy(new URL(database.url));
  temporal = await startProxy({ hostname: hostname!, port: port! });
  await Promise.all([postgres.cut(), temporal.cut()]);
  [migrate, api, worker] = ['migrate', 'api', 'worker'].map((command) =>
    startProgram({
      command: [command],
      dataDirectory,
      env: {
        DATABASE_URL: postgres.urlOf(database.url),
        TEMPORAL_ADDRESS: temporal.address,
        TEMPORAL_TASK_QUEUE: 'roles',
        FANFARE_VAULT_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
      },
    }),
  ) as [Program, Program, Program];
});
afterAll(async () => {
  await Promise.all([migrate, api, worker].map((program) => program.stop()));
  await Promise.all([postgres.cut(), temporal.cut(), removeDataDirectory(dataDirectory)]);
});

const linesOf = (program: Program) =>
  program
    .output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

function urlOf(program: Program, role: string): string {
  const up = linesOf(program).find(({ msg }) => msg === 'up')!;
  expect(up).toMatchObject({ component: 'process', role });
  return String(up['url']);
}

describe('processes that start before their backends', () => {
  test('wait for Postgres, and the worker for Temporal, and name the missing backend', async () => {
    const { address } = postgres;
    const away = new RegExp(
      `Postgres at ${address} is unavailable: connect ECONNREFUSED ${address}. Retrying for 60 s\\.`,
    );
    const programs = [migrate, api, worker];
    await Promise.all(programs.map((program) => program.waitForOutput(away)));
    await postgres.reopen();
    expect(await migrate.exit).toEqual({ code: 0, signal: null });
    expect(migrate.output()).toContain(`Postgres at ${address} answers.`);
    // The API starts without Temporal.
    await api.waitForOutput(/"msg":"up"/);
    await worker.waitForOutput(new RegExp(`Temporal at ${temporal.address} is unavailable: `));
    await temporal.reopen();
    await worker.waitForOutput(/"msg":"up"/);
    const { password } = new URL(database.url);
    for (const program of programs) {
      expect(
        program.output().match(/Postgres at \S+ is unavailable: connect ECONNREFUSED/g),
      ).toHaveLength(1);
      expect(program.output()).not.toContain(password);
    }
  }, 90_000);

  test('are ready, and the API needs no API key of its own', async () => {
    for (const url of [urlOf(api, 'api'), urlOf(worker, 'worker')]) {
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    }
  });
});

test('every line of api and worker is JSON with a time, a level and a component', async () => {
  await temporal.cut();
  // Written by the core: the worker's polls fail, and the core repeats them.
  await worker.waitForOutput(/"component":"temporal","target":"temporalio_client/);
  await temporal.reopen();
  const { key } = await createProjectWithKey(database.db, 'test');
  const url = urlOf(api, 'api');
  const { post } = createApi(url, key);
  expect((await post('/v1/webhooks', { url: 'https://example.com/' })).status).toBe(201);
  const ends = await Promise.all([api, worker].map((program) => program.interrupt()));
  expect(ends).toEqual([0, 0].map((code) => ({ code, signal: null })));
  for (const line of [api, worker].flatMap(linesOf)) {
    expect(line).toMatchObject({
      time: expect.any(Number) as number,
      level: expect.any(Number) as number,
      component: expect.any(String) as string,
    });
  }
  const words = linesOf(api)
    .map(({ component, msg }) => `${String(component)} ${String(msg)}`)
    .filter((line) => !/^process (?:Postgres at|these networks are off)/.test(line));
  expect(new Set(words)).toEqual(
    new Set(['process up', 'audit webhook created', 'process stopping']),
  );
}, 90_000);
