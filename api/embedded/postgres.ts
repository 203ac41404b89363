// Runs embedded Postgres: creates the cluster once, starts the server, and creates the database.
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { takeDataDirectory } from './data-directory.ts';
import { findFreePorts } from '../server/ports.ts';
import { keepRunning } from './keep-running.ts';
import {
  checkVersion,
  createCluster,
  databaseName,
  databaseUrl,
  readPassword,
  readPostmaster,
} from './postgres-cluster.ts';
import { choosePostgresPlace, findPostgresBinaries, type PostgresPlace } from './postgres-place.ts';
import { findProcessesIn, inspectProcess } from './process-table.ts';
import {
  readLastPorts,
  spawnServer,
  stopByPid,
  stopOrphan,
  type ServerProcess,
  type StopPlan,
} from './server-process.ts';

export interface EmbeddedPostgres {
  readonly pid: number;
  readonly port: number;
  /** URL of the database `fanfare`, as a user who can create other databases. */
  readonly databaseUrl: string;
  /** Called when the server has ended by itself and restarts have failed. */
  onExit(callback: (detail: string) => void): void;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Already locked by the caller. */
  dataDirectory: string;
  progress: (line: string) => void;
  /** Default: true. Off only where a crash of the machine may lose the data, as in tests. */
  fsync?: boolean;
  /** More server settings, such as `{ max_connections: '50' }`. */
  settings?: Record<string, string>;
  /** Whether to restart the server on the same port if it ends by itself. Default: true. */
  restart?: boolean;
  signal?: AbortSignal | undefined;
}

const startTimeoutMs = 60_000;
// Fast shutdown, then immediate shutdown. SIGKILL comes last, because it orphans the children.
const stopPlan: StopPlan = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 5000],
];
// For children of a dead server: SIGINT would only cancel their query.
const childStopPlan: StopPlan = [
  ['SIGQUIT', 3000],
  ['SIGKILL', 5000],
];

export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { progress } = options;
  const dataDirectory = realpathSync(options.dataDirectory);
  const place = choosePostgresPlace(dataDirectory, findPostgresBinaries(), progress);
  const held = place.directory === dataDirectory ? undefined : takeDataDirectory(place.directory);
  try {
    const cluster = path.join(place.directory, 'postgres');
    await stopOrphan(dataDirectory, 'postgres', stopPlan, progress);
    await stopLeftovers(cluster);
    const password = readPassword(dataDirectory, existsSync(cluster));
    if (!existsSync(cluster)) {
      progress('Creating the Postgres database cluster.');
      const { fsync = true, signal } = options;
      await createCluster(place, cluster, password, { fsync, signal });
    }
    checkVersion(cluster);
    let port = (await findFreePorts([readLastPorts(dataDirectory, 'postgres')['port'] ?? 0]))[0]!;
    const url = (database: string): string => databaseUrl(password, port, database);
    let isFirst = true;
    const launch = async (): Promise<ServerProcess> => {
      for (let attempt = 1; ; attempt += 1) {
        await stopLeftovers(cluster);
        const server = spawnPostgres(options, place, cluster, dataDirectory, port);
        try {
          await waitUntilReady(server, cluster, port, options.signal);
          await prepareDatabase(url);
          isFirst = false;
          return server;
        } catch (error) {
          await server.stop();
          if (attempt === 3 || options.signal?.aborted) throw error;
          if (/Address already in use/i.test(server.output())) {
            // Only the first start may change the port: later, clients know it.
            if (isFirst) port = (await findFreePorts([0]))[0]!;
          } else if (!/shared memory block|lock file "postmaster.pid"/.test(server.output())) {
            throw error;
          }
          await sleep(1000);
        }
      }
    };
    const kept = await keepRunning({
      name: 'Postgres',
      launch,
      restart: options.restart ?? true,
      progress,
    });
    return {
      get pid() {
        return kept.process.pid;
      },
      port,
      databaseUrl: url(databaseName),
      onExit: (callback) => kept.onExit(callback),
      async stop() {
        await kept.stop();
        held?.release();
      },
    };
  } catch (error) {
    held?.release();
    throw error;
  }
}

/**
 * Stops processes in the cluster that have no record: a server whose start was interrupted, and
 * children of a killed server, which keep its shared memory for a while.
 */
async function stopLeftovers(cluster: string): Promise<void> {
  const parent = readPostmaster(cluster)?.pid;
  if (parent !== undefined && findProcessesIn(cluster, 'postgres').includes(parent)) {
    await stopByPid(parent, 'postgres', stopPlan);
  }
  for (const pid of findProcessesIn(cluster, 'postgres')) {
    await stopByPid(pid, 'postgres', childStopPlan);
  }
}

function spawnPostgres(
  options: PostgresOptions,
  place: PostgresPlace,
  cluster: string,
  dataDirectory: string,
  port: number,
): ServerProcess {
  const isDurable = options.fsync ?? true;
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    logging_collector: 'off',
    log_destination: 'stderr',
    log_timezone: 'UTC',
    timezone: 'UTC',
    ...(isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...options.settings,
  };
  return spawnServer({
    name: 'postgres',
    dataDirectory,
    executable: place.binaries.postgres,
    args: [
      '-D',
      cluster,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    workingDirectory: cluster,
    ports: { port },
    env: { TZ: 'UTC', PATH: '/usr/bin:/bin' },
    user: place.user && { uid: place.user.uid, gid: place.user.gid },
    stopPlan,
  });
}

/** Waits until the lock file names our child and says `ready`. */
async function waitUntilReady(
  server: ServerProcess,
  cluster: string,
  port: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline) {
    signal?.throwIfAborted();
    if (server.ended !== undefined) throw new Error(whyItEnded(server, cluster));
    const lock = readPostmaster(cluster);
    if (lock?.pid === server.pid && lock.port === port && lock.status === 'ready') return;
    await sleep(20);
  }
  throw new Error(`Postgres is not ready after ${startTimeoutMs / 1000} s.\n${server.output()}`);
}

function whyItEnded(server: ServerProcess, cluster: string): string {
  const output = server.output().trim().split('\n').slice(-6).join('\n');
  const holder = readPostmaster(cluster)?.pid;
  const found = holder === undefined ? undefined : inspectProcess(holder);
  if (found !== undefined && output.includes('lock file "postmaster.pid"')) {
    return `Postgres cannot start: ${cluster}/postmaster.pid names process ${holder} (${found.command}), which is running. Stop that process first.`;
  }
  return `Postgres ${server.ended}.\n${output}`;
}

async function prepareDatabase(url: (database: string) => string): Promise<void> {
  const client = new Client({
    connectionString: url('postgres'),
    connectionTimeoutMillis: 10_000,
  });
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
