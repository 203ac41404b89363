// Worker programs on the database and namespace of an app in the test's process.
import { expect, vi } from 'vitest';
import { findFreePorts } from '../../../api/server/ports.ts';
import { createBundledDirectory } from '../servers/bundled-directory.ts';
import type { TestApp } from './app.ts';
import { removeDataDirectory, startProgram, type Program } from './program.ts';

export interface WorkerPrograms extends AsyncDisposable {
  readonly programs: readonly Program[];
}

/**
 * Starts one worker for each environment. Resolves once all workers are ready. `vaultKey`: the vault key of
 * the app.
 */
export async function startWorkers(
  { database, namespace }: TestApp,
  vaultKey: Buffer,
  environments: readonly Record<string, string>[],
): Promise<WorkerPrograms> {
  const dataDirectory = createBundledDirectory();
  const ports = await findFreePorts(environments.map(() => 0));
  const programs = environments.map((env, i) =>
    startProgram({
      command: ['worker'],
      dataDirectory,
      env: {
        FANFARE_WORKER_PORT: String(ports[i]),
        DATABASE_URL: database.url,
        TEMPORAL_ADDRESS: namespace.address,
        TEMPORAL_NAMESPACE: namespace.namespace,
        FANFARE_VAULT_KEYS: `test:${vaultKey.toString('base64')}`,
        FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
        FANFARE_LOG_LEVEL: 'error',
        ...env,
      },
    }),
  );
  const readStatuses = () =>
    Promise.all(
      ports.map(async (port) => {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
        return answer?.status;
      }),
    );
  // Not `expect.poll`, which works only inside a test.
  const areReady = async () => expect(await readStatuses()).toEqual(ports.map(() => 200));
  await vi.waitFor(areReady, { timeout: 60_000, interval: 100 });
  return {
    programs,
    async [Symbol.asyncDispose]() {
      await Promise.all(programs.map((program) => program.stop()));
      await removeDataDirectory(dataDirectory);
    },
  };
}
