// Runs embedded Postgres: creates the cluster once, starts the server, and creates the database.
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { claimDataDirectory } from './data-directory.ts';
import {
  checkVersion,
  createCluster,
  databaseName,
  databaseUrl,
  readPassword,
} from './postgres-cluster.ts';
import { choosePostgresPlace } from './postgres-place.ts';
import { findPostgresBinaries, type PostgresBinaries } from './postgres-programs.ts';
import type { StopPlan } from './process-table.ts';
import { startServer, stopLeftRunning, type ServerProcess } from './server-process.ts';

export interface PostgresOptions {
  /** Already locked by the caller. */
  dataDirectory: string;
  progress: (line: string) => void;
  /** Default: those of the installed package. */
  binaries?: PostgresBinaries;
  /** Default: true. Off only where a crash of the machine may lose the data, as in tests. */
  fsync?: boolean;
  /** More server settings, such as `{ max_connections: '50' }`. */
  settings?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

// Fast shutdown, then immediate shutdown. SIGKILL comes last, because it orphans the children.
const stopPlan: StopPlan = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 5000],
];
/** Stops the children of a killed server, which keep its shared memory for a while. */
const childStopPlan: StopPlan = [
  ['SIGQUIT', 3000],
  ['SIGKILL', 5000],
];

/** The returned `databaseUrl` names the database `fanfare` and a user who can create other databases. */
export async function startPostgres(options: PostgresOptions) {
  const { progress, signal, fsync = true, binaries = findPostgresBinaries() } = options;
  const dataDirectory = realpathSync(options.dataDirectory);
  const place = choosePostgresPlace(dataDirectory, binaries, progress);
  const held = place.directory === dataDirectory ? undefined : claimDataDirectory(place.directory);
  let server: ServerProcess | undefined;
  async function stop(): Promise<void> {
    await server?.stop();
    held?.release();
  }
  try {
    const cluster = path.join(place.directory, 'postgres');
    await stopPostgresIn(cluster, progress);
    const password = readPassword(dataDirectory, existsSync(cluster));
    if (!existsSync(cluster)) {
      progress('Creating the Postgres database cluster.');
      await createCluster(place, cluster, password, { fsync, signal });
    }
    checkVersion(cluster);
    const settings = { ...settingsFor(fsync), ...options.settings };
    server = await startServer({
      name: 'Postgres',
      dataDirectory,
      executable: place.binaries.postgres,
      portNames: ['port'],
      argsOn: ({ port }) => [
        '-D',
        cluster,
        ...Object.entries({ ...settings, port }).flatMap(([name, value]) => [
          '-c',
          `${name}=${value}`,
        ]),
      ],
      isReady: ({ output }) => output().includes('ready to accept connections'),
      workingDirectory: cluster,
      env: { TZ: 'UTC', PATH: '/usr/bin:/bin' },
      user: place.user,
      stopPlan,
      progress,
      signal,
    });
    const port = server.ports['port']!;
    await prepareDatabase(databaseUrl(password, port, 'postgres'));
    const { pid, onExit } = server;
    return { pid, port, databaseUrl: databaseUrl(password, port), onExit, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Stops a server that an earlier program left on this cluster, and then its children that are left. */
export async function stopPostgresIn(
  cluster: string,
  progress: (line: string) => void,
): Promise<void> {
  await stopLeftRunning('postgres', cluster, /\/postgres -D /, stopPlan, progress);
  await stopLeftRunning('postgres', cluster, /^postgres: /, childStopPlan, progress);
}

function settingsFor(isDurable: boolean): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    logging_collector: 'off',
    log_destination: 'stderr',
    log_timezone: 'UTC',
    timezone: 'UTC',
    ...(isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
}

async function prepareDatabase(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // Postgres may end while we are connected. The end of the child process reports it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const find = async (): Promise<string | undefined> => {
      const { rows } = await client.query<{ encoding: string }>(
        'select pg_encoding_to_char(encoding) as encoding from pg_database where datname = $1',
        [databaseName],
      );
      return rows[0]?.encoding;
    };
    if ((await find()) === undefined) await client.query(`create database ${databaseName}`);
    const encoding = await find();
    if (encoding !== 'UTF8') {
      throw new Error(
        `The database ${databaseName} is encoded as ${encoding}, not UTF8. Dump it, and restore it into an empty data directory.`,
      );
    }
  } finally {
    await client.end();
  }
}
