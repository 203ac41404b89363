// An installation of the recorded version, restored from its dump, whose roles a test replaces by those of another version.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findFreePorts } from '../../../api/server/ports.ts';
import { createApi, type Api } from '../app/api.ts';
import { createDataDirectory, removeDataDirectory, type Program } from '../app/program.ts';
import { createTestDatabase, type TestDatabase } from '../rows/database.ts';
import { createTestNamespace } from '../servers/temporal.ts';
import type { Checkout } from './checkout.ts';
import { restoreDump } from './dump.ts';
import type { RecordedRelease } from './release.ts';

export type RoleName = 'api' | 'worker';

export interface UpgradedInstallation extends AsyncDisposable {
  readonly database: TestDatabase;
  /** The API of the process that started last. */
  readonly api: Api;
  migrate(checkout: Checkout): Program;
  /** Starts the role's process of this version, and then ends the process before it. */
  replace(role: RoleName, checkout: Checkout): Promise<void>;
  /** The lines of errors that all processes have logged. */
  errors(): string[];
}

export interface InstallationOptions {
  release: RecordedRelease;
  /** Has the workflows of every version. */
  cacheDirectory: string;
  receiverUrl: string;
  /** The network, which belongs to no version. */
  sandboxUrl: string;
}

const settings = {
  FANFARE_SANDBOX: 'true',
  FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
  FANFARE_LOG_LEVEL: 'info',
  FANFARE_MIN_SCHEDULE_AHEAD_S: '1',
  FANFARE_UNAVAILABLE_DELAYS_MS: '200,500,1000',
  FANFARE_RECONCILE_DELAYS_MS: '0,300,700',
  FANFARE_DELIVERY_DELAYS_MS: '500,1000,2000',
  FANFARE_SWEEP_EVERY_S: '1',
  FANFARE_SWEEP_OVERDUE_S: '5',
};

export async function restoreInstallation(
  options: InstallationOptions,
): Promise<UpgradedInstallation> {
  const { release, cacheDirectory, receiverUrl, sandboxUrl } = options;
  await using started = new AsyncDisposableStack();
  const [database, namespace] = await Promise.all([
    createTestDatabase({ isEmpty: true }),
    createTestNamespace(),
  ]);
  started.use(database);
  started.use(namespace);
  await restoreDump(database.db, release, receiverUrl);
  const dataDirectory = createDataDirectory();
  started.defer(() => removeDataDirectory(dataDirectory));
  symlinkSync(cacheDirectory, join(dataDirectory, 'cache'));
  const env = {
    ...settings,
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: namespace.address,
    TEMPORAL_NAMESPACE: namespace.namespace,
    // Of the load balancer, which no test needs.
    FANFARE_PUBLIC_URL: 'http://127.0.0.1:4000',
    FANFARE_VAULT_KEYS: release.vault_keys,
    FANFARE_SANDBOX_API_URL: sandboxUrl,
    FANFARE_MEDIA_URL: pathToFileURL(join(dataDirectory, 'media')).href,
  };
  const running = new Map<RoleName, Program>();
  const programs: Program[] = [];
  let api = createApi('http://127.0.0.1', release.api_key);
  const all = started.move();
  return {
    database,
    get api() {
      return api;
    },
    migrate: (checkout) => checkout.start({ command: ['migrate'], dataDirectory, env }),
    async replace(role, checkout) {
      const [port, workerPort] = await findFreePorts([0, 0]);
      const program = checkout.start({
        command: [role],
        dataDirectory,
        env: {
          ...env,
          FANFARE_PORT: String(port),
          FANFARE_WORKER_PORT: String(workerPort),
        },
      });
      all.defer(() => program.stop());
      programs.push(program);
      await program.waitForOutput(/"msg":"up"/, { timeoutMs: 120_000 });
      if (role === 'api') api = createApi(`http://127.0.0.1:${port}`, release.api_key);
      const before = running.get(role);
      running.set(role, program);
      await before?.interrupt();
    },
    errors: () =>
      programs.flatMap((program) =>
        program
          .output()
          .split('\n')
          .filter((line) => /"level":[56]0/.test(line)),
      ),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
