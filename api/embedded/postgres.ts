// Runs Postgres for one program: makes the cluster once, starts it, proves it is ours and UTF-8.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { takeDataDirectory } from './data-directory.ts';
import { findFreePorts } from './free-ports.ts';
import { keepRunning } from './keep-running.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { choosePostgresPlace, makePrivateDirectory } from './postgres-user.ts';
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

const userName = 'fanfare';
const databaseName = 'fanfare';
const majorVersion = '18';
const startTimeoutMs = 60_000;
// Fast shutdown, then immediate shutdown; killing the first process would orphan its children.
const stopPlan: StopPlan = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 10_000],
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
    if (!existsSync(cluster)) await initialise(place, cluster, password, options);
    checkVersion(cluster);
    let port = (await findFreePorts([readLastPorts(dataDirectory, 'postgres')['port'] ?? 0]))[0]!;
    const url = (database: string): string =>
      `postgres://${userName}:${password}@127.0.0.1:${port}/${database}`;
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

/** Children outlive a killed Postgres for a while and hold its shared memory; the folder is ours. */
async function stopLeftovers(cluster: string): Promise<void> {
  const [first] = findProcessesIn(cluster, 'postgres');
  if (first === undefined) return;
  const pids = [readPostmaster(cluster)?.pid, ...findProcessesIn(cluster, 'postgres')];
  for (const pid of pids) {
    if (pid === undefined || inspectProcess(pid)?.directory !== cluster) continue;
    await stopByPid(pid, 'postgres', stopPlan);
  }
}

async function initialise(
  place: PostgresPlace,
  cluster: string,
  password: string,
  { progress, fsync = true, signal }: PostgresOptions,
): Promise<void> {
  progress('Creating the Postgres database cluster.');
  const unfinished = `${cluster}.new`;
  const passwordFile = `${cluster}.password`;
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(passwordFile, { force: true });
  makePrivateDirectory(unfinished, place.user);
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (place.user !== undefined) chownSync(passwordFile, place.user.uid, place.user.gid);
  const args = [
    `--pgdata=${unfinished}`,
    `--username=${userName}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // Not every macOS has this locale, and with the built-in provider little depends on it.
    process.platform === 'darwin' ? '--locale=C' : '--locale=C.UTF-8',
    '--no-instructions',
    ...(fsync ? [] : ['--no-sync']),
  ];
  const { uid, gid } = place.user ?? {};
  try {
    await promisify(execFile)(place.binaries.initdb, args, {
      cwd: unfinished,
      env: { TZ: 'UTC', PATH: '/usr/bin:/bin' },
      ...(uid === undefined ? {} : { uid, gid }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim() ?? '';
    throw new Error(`Postgres could not create its database cluster in ${cluster}. ${said}`, {
      cause: error,
    });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  // Under its final name only once it is whole, so that a start cut short is simply repeated.
  renameSync(unfinished, cluster);
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
    const encoding = await client.query<{ server_encoding: string }>('show server_encoding');
    const found = encoding.rows[0]?.server_encoding;
    if (found !== 'UTF8') {
      throw new Error(`The database's encoding is ${found}, not UTF8. Dump it, and start anew.`);
    }
    const { rowCount } = await client.query('select from pg_database where datname = $1', [
      databaseName,
    ]);
    if (rowCount === 0) await client.query(`create database ${databaseName}`);
  } finally {
    await client.end();
  }
}

function readOrMakePassword(dataDirectory: string, hasCluster: boolean): string {
  const file = path.join(dataDirectory, 'postgres-password');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  if (hasCluster) {
    throw new Error(`${file} is missing, and without it the database beside it cannot be opened.`);
  }
  const password = randomBytes(24).toString('base64url');
  writeFileSync(`${file}.new`, `${password}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return password;
}

function checkVersion(cluster: string): void {
  const version = readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (version === majorVersion) return;
  throw new Error(
    `${cluster} was made by Postgres ${version}, and this is Postgres ${majorVersion}: dump it with the old release, and restore it with this one.`,
  );
}

function readPostmaster(
  cluster: string,
): { pid: number; port: number; status: string | undefined } | undefined {
  try {
    const lines = readFileSync(path.join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() };
  } catch {
    return undefined;
  }
}
