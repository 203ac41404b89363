// Runs Postgres for one program: makes the cluster once, starts it, proves it is ours and UTF-8.
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { takeDataDirectory } from './data-directory.ts';
import { findFreePorts } from './free-ports.ts';
import { keepRunning } from './keep-running.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import {
  checkVersion,
  createCluster,
  databaseName,
  readOrMakePassword,
} from './postgres-cluster.ts';
import { databaseUrl, readPostmaster } from './postgres-cluster.ts';
import { choosePostgresPlace } from './postgres-user.ts';
import type { PostgresPlace } from './postgres-user.ts';
import { findProcessesIn, inspectProcess } from './process-table.ts';
import { readLastPorts, spawnServer, stopByPid, stopOrphan } from './server-process.ts';
import type { ServerProcess, StopPlan } from './server-process.ts';

export interface EmbeddedPostgres {
  readonly pid: number;
  readonly port: number;
  /** The database `fanfare`, as its owner, who may create others. */
  readonly databaseUrl: string;
  /** Called when the server is gone for good though nobody stopped it. */
  onExit(callback: (detail: string) => void): void;
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Already taken by the caller. */
  dataDirectory: string;
  progress: (line: string) => void;
  /** Off only where the data may be lost with the machine, as in tests. */
  fsync?: boolean;
  /** Further server settings, such as `{ max_connections: '50' }`. */
  settings?: Record<string, string>;
  /** Whether to start it again where it was when it ends by itself. */
  restart?: boolean;
  signal?: AbortSignal | undefined;
}

const startTimeoutMs = 60_000;
// Fast shutdown, then immediate shutdown; killing the first process would orphan its children.
const stopPlan: StopPlan = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 10_000],
  ['SIGKILL', 5000],
];
// Without its first process, to which an interrupt would only cancel a query.
const childStopPlan: StopPlan = [
  ['SIGQUIT', 3000],
  ['SIGKILL', 5000],
];

export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { progress } = options;
  const dataDirectory = realpathSync(options.dataDirectory);
  const place = choosePostgresPlace(dataDirectory, findPostgresBinaries(), progress);
  const held =
    place.directory === dataDirectory ? undefined : await takeDataDirectory(place.directory);
  try {
    const cluster = path.join(place.directory, 'postgres');
    await stopOrphan(dataDirectory, 'postgres', stopPlan, progress);
    await stopLeftovers(cluster);
    const password = readOrMakePassword(dataDirectory, existsSync(cluster));
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
            // Once others know the address it stays; only the first start may look for another.
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
        await held?.release();
      },
    };
  } catch (error) {
    await held?.release();
    throw error;
  }
}

/**
 * Ends what works in our folder without a record of ours: a server whose start was cut short, and
 * the children of a killed one, which hold its shared memory for a while.
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

/** Our own child, by the pid in its lock file, says that it is ready. */
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
    return `Postgres cannot start: ${cluster}/postmaster.pid names process ${holder} (${found.command}), which lives. Stop that process first.`;
  }
  return `Postgres ${server.ended}.\n${output}`;
}

async function prepareDatabase(url: (database: string) => string): Promise<void> {
  const client = new Client({
    connectionString: url('postgres'),
    connectionTimeoutMillis: 10_000,
  });
  // Postgres may die while we are connected; the child's end is what reports it.
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
        `The database ${databaseName} is encoded as ${encoding}, not UTF8: dump it, and start anew.`,
      );
    }
  } finally {
    await client.end();
  }
}
