// An installation with a process for each command, and with its own servers. Tests kill or measure its
// processes.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createProjectWithKey } from '../../../api/cli/first-start.ts';
import { migrateDatabase } from '../../../api/cli/migrate.ts';
import { startPostgres } from '../../../api/embedded/postgres.ts';
import { startTemporal } from '../../../api/embedded/temporal.ts';
import { findFreePorts } from '../../../api/server/ports.ts';
import { connectDatabase } from '../../../schema/database/connect.ts';
import { createBundledDirectory } from '../servers/bundled-directory.ts';
import { findTemporal } from '../servers/servers.ts';
import { readMemoryMb, watchMemory, type MemoryWatch } from './process-memory.ts';
import { removeDataDirectory, startProgram, type Program } from './program.ts';

/** Maximum of each wait. It lets a run that hangs end and clean up. */
export const waitMs = 60_000;

/** The process of one command, and the processes that replace it. */
export interface Role {
  readonly pid: number;
  /** Memory of the first process before it works. */
  readonly idleMb: number;
  /** Peak memory of all processes of the command, from their start on. */
  readonly peakMb: number;
  start(): Promise<void>;
  /** Kills the process, and starts another process for the command. */
  replace(): Promise<void>;
}

export interface Installation extends AsyncDisposable {
  readonly databaseUrl: string;
  readonly url: string;
  /** Returns the key of a new project. */
  createProject(): Promise<string>;
  readonly api: Role;
  readonly worker: Role;
  /** Kills the server, and starts it again at its address. */
  kill9(server: 'postgres' | 'temporal'): Promise<void>;
}

/**
 * `before`: starts a proxy in front of the API and its sandbox, and returns the URL of the proxy. Clients and the
 * worker use this URL.
 */
export async function startInstallation(
  before?: (port: number) => Promise<{ url: string }>,
): Promise<Installation> {
  await using started = new AsyncDisposableStack();
  const dataDirectory = createBundledDirectory();
  started.defer(() => removeDataDirectory(dataDirectory));
  const executable = await findTemporal();
  const progress = () => undefined;
  const launch = {
    postgres: () => startPostgres({ dataDirectory, progress }),
    temporal: () => startTemporal({ dataDirectory, executable, progress }),
  };
  let postgres = await launch.postgres();
  started.defer(() => postgres.stop());
  let temporal = await launch.temporal();
  started.defer(() => temporal.stop());
  const { databaseUrl } = postgres;
  const mediaUrl = pathToFileURL(join(dataDirectory, 'media')).href;
  await migrateDatabase(databaseUrl, mediaUrl);
  const [port, workerPort] = await findFreePorts([0, 0]);
  const { url } = (await before?.(port!)) ?? { url: `http://127.0.0.1:${port}` };
  const env = {
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporal.address,
    FANFARE_PORT: String(port),
    FANFARE_WORKER_PORT: String(workerPort),
    FANFARE_PUBLIC_URL: url,
    FANFARE_MEDIA_URL: mediaUrl,
    FANFARE_SANDBOX: 'true',
    FANFARE_SANDBOX_API_URL: `${url}/sandbox`,
    FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    FANFARE_VAULT_KEYS: `test:${randomBytes(32).toString('base64')}`,
  };
  const createOwn = (command: string) =>
    started.use(createRole(() => startProgram({ command: [command], dataDirectory, env })));
  const api = createOwn('api');
  const worker = createOwn('worker');
  await Promise.all([api.start(), worker.start()]);
  const all = started.move();
  return {
    databaseUrl,
    url,
    createProject: () =>
      withDatabase(databaseUrl, async (db) => (await createProjectWithKey(db, 'test')).key),
    api,
    worker,
    async kill9(name) {
      process.kill(name === 'postgres' ? postgres.pid : temporal.pid, 'SIGKILL');
      if (name === 'postgres') postgres = await launch.postgres();
      else temporal = await launch.temporal();
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function createRole(launch: () => Program): Role & AsyncDisposable {
  const programs: Program[] = [];
  const memory: MemoryWatch[] = [];
  let idleMb = 0;
  async function start(): Promise<void> {
    const program = launch();
    programs.push(program);
    memory.push(watchMemory(program.pid));
    await program.waitForOutput(/"msg":"up"/, { timeoutMs: waitMs });
    idleMb ||= readMemoryMb(program.pid);
  }
  return {
    get pid() {
      return programs.at(-1)!.pid;
    },
    get idleMb() {
      return idleMb;
    },
    get peakMb() {
      return Math.max(...memory.map((watch) => watch.peakMb));
    },
    start,
    async replace() {
      await programs.at(-1)!.kill9();
      await start();
    },
    async [Symbol.asyncDispose]() {
      for (const watch of memory) watch[Symbol.dispose]();
      await programs.at(-1)?.stop();
    },
  };
}

export async function withDatabase<T>(
  url: string,
  work: (db: ReturnType<typeof connectDatabase>['db']) => Promise<T>,
): Promise<T> {
  const connection = connectDatabase({ url, maxConnections: 1, applicationName: 'test' });
  try {
    return await work(connection.db);
  } finally {
    await connection.close();
  }
}
