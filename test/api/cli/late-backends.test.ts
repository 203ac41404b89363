// A process that starts before its backends waits for them, and names the one that is missing.
import { expect, inject, test } from 'vitest';
import { removeDataDirectory, startProgram, type Program } from '../../support/app/program.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { createBundledDirectory } from '../../support/servers/bundled-directory.ts';
import { startProxy } from '../../support/servers/proxy.ts';

const database = useDatabase();

test('migrate, api and worker wait for Postgres, and the worker for Temporal', async () => {
  const { hostname, port, password } = new URL(database.url);
  const postgres = await startProxy({ hostname, port });
  const [host, temporalPort] = inject('temporalAddress').split(':');
  const temporal = await startProxy({ hostname: host!, port: temporalPort! });
  await Promise.all([postgres.cut(), temporal.cut()]);
  const dataDirectory = createBundledDirectory();
  const [migrate, api, worker] = ['migrate', 'api', 'worker'].map((command) =>
    startProgram({
      command: [command],
      dataDirectory,
      env: {
        DATABASE_URL: postgres.urlOf(database.url),
        TEMPORAL_ADDRESS: temporal.address,
        TEMPORAL_TASK_QUEUE: 'late-backends',
        FANFARE_VAULT_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
      },
    }),
  ) as [Program, Program, Program];
  const programs = [migrate, api, worker];
  const away = new RegExp(
    `Postgres at ${postgres.address} is unavailable: connect ECONNREFUSED ${postgres.address}. Retrying for 60 s\\.`,
  );
  try {
    await Promise.all(programs.map((program) => program.waitForOutput(away)));
    await postgres.reopen();
    expect(await migrate.exit).toEqual({ code: 0, signal: null });
    expect(migrate.output()).toContain(`Postgres at ${postgres.address} answers.`);
    // The API starts without Temporal.
    await api.waitForOutput(/"msg":"up"/);
    await worker.waitForOutput(new RegExp(`Temporal at ${temporal.address} is unavailable: `));
    await temporal.reopen();
    await worker.waitForOutput(/"msg":"up"/);
    for (const program of programs) {
      expect(
        program.output().match(/Postgres at \S+ is unavailable: connect ECONNREFUSED/g),
      ).toHaveLength(1);
      expect(program.output()).not.toContain(password);
    }
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
    await Promise.all([postgres.cut(), temporal.cut(), removeDataDirectory(dataDirectory)]);
  }
}, 90_000);
