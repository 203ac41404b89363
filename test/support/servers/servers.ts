// The two servers of a test run, in a temporary data folder: Postgres without fsync, Temporal in memory.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, stopPostgresIn } from '../../../api/embedded/postgres.ts';
import { inspectProcess } from '../processes.ts';
import { findTemporalExecutable } from '../../../api/embedded/temporal-executable.ts';
import { startTemporal, stopTemporalIn } from '../../../api/embedded/temporal.ts';
import { cacheDirectory } from './cache.ts';
import {
  startProductionTemporal,
  stopProductionTemporalIn,
  usesProductionTemporal,
} from './production-temporal.ts';

export interface Servers {
  readonly adminDatabaseUrl: string;
  readonly temporalAddress: string;
  /** A folder where the run may keep its own files. */
  readonly directory: string;
  stop(): Promise<void>;
}

const prefix = 'fanfare-test-';
/** A database is hundreds of files. On a disk, creating and dropping them takes a sixth of the run's time. */
const inMemory = '/dev/shm';
/** The databases of a run take 200 MB at most. The programs that the run starts need the rest. */
const minFreeBytes = 2_000_000_000;
const parent = hasRoom(inMemory) ? inMemory : tmpdir();

function hasRoom(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= minFreeBytes;
  } catch {
    return false;
  }
}

/** Also sets the path in the environment, so that programs under test don't search again. */
export async function findTemporal(): Promise<string> {
  mkdirSync(cacheDirectory, { recursive: true });
  const executable = await findTemporalExecutable({
    temporalCli: process.env['TEMPORAL_CLI'] || undefined,
    cacheDirectory,
    progress: (line) => console.log(line),
  });
  process.env['TEMPORAL_CLI'] = executable;
  return executable;
}

export async function startServers(): Promise<Servers> {
  await removeAbandoned();
  const directory = mkdtempSync(join(parent, prefix));
  // Postgres runs as another user when we are root, and must be able to enter this folder.
  chmodSync(directory, 0o755);
  writeFileSync(join(directory, 'owner'), ownerMark(process.pid) ?? '');
  const startingPostgres = startTestPostgres(directory);
  const [postgres, temporal] = await Promise.allSettled([
    startingPostgres,
    usesProductionTemporal
      ? startingPostgres.then(({ databaseUrl }) =>
          startProductionTemporal({ dataDirectory: directory, databaseUrl }),
        )
      : findTemporal().then((executable) =>
          startTemporal({
            dataDirectory: directory,
            executable,
            progress: () => undefined,
            headless: true,
            inMemory: true,
          }),
        ),
  ]);
  async function stop(): Promise<void> {
    process.off('exit', endAtOnce);
    for (const server of [temporal, postgres]) {
      if (server.status === 'fulfilled') await server.value.stop();
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
  // The servers have their own process groups, so they would survive a run that ends without a teardown.
  function endAtOnce(): void {
    for (const server of [temporal, postgres]) {
      if (server.status !== 'fulfilled') continue;
      const { pid } = server.value;
      if (pid === undefined) continue;
      // For Postgres, this is an immediate shutdown, which also ends its child processes.
      if (inspectProcess(pid)) process.kill(pid, 'SIGQUIT');
      for (let waits = 0; waits < 40 && inspectProcess(pid); waits++) pause(50);
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
  process.on('exit', endAtOnce);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
  if (postgres.status === 'rejected' || temporal.status === 'rejected') {
    await stop();
    throw postgres.status === 'rejected'
      ? postgres.reason
      : (temporal as PromiseRejectedResult).reason;
  }
  return {
    adminDatabaseUrl: postgres.value.databaseUrl,
    temporalAddress: temporal.value.address,
    directory,
    stop,
  };
}

/**
 * Starts a Postgres of our own, or uses the server that TEST_DATABASE_URL names, such as an older version.
 */
async function startTestPostgres(
  directory: string,
): Promise<{ databaseUrl: string; pid?: number; stop(): Promise<void> }> {
  const databaseUrl = process.env['TEST_DATABASE_URL'];
  if (databaseUrl) return { databaseUrl, stop: () => Promise.resolve() };
  return startPostgres({
    dataDirectory: directory,
    progress: () => undefined,
    fsync: false,
    // Each file creates a database. With the level `minimal`, the pages of a new database need no log.
    settings: { max_connections: '300', wal_level: 'minimal', max_wal_senders: '0' },
  });
}

/** Ends and removes what a killed run has left behind. */
async function removeAbandoned(): Promise<void> {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const directory = join(parent, name);
    const owner = readOwner(directory);
    if (owner === undefined || ownerMark(Number.parseInt(owner, 10)) === owner) continue;
    const progress = (line: string) => console.log(line);
    await stopPostgresIn(join(directory, 'postgres'), progress);
    await stopTemporalIn(directory, progress);
    await stopProductionTemporalIn(directory, progress);
    rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** Identifies a process for good, because a pid may be used again, but not with the same start time. */
function ownerMark(pid: number): string | undefined {
  const found = inspectProcess(pid);
  return found && `${pid} ${found.startedAt}`;
}

function readOwner(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, 'owner'), 'utf8');
  } catch {
    return undefined;
  }
}

/** Blocks the thread, because a process that is exiting can't wait in any other way. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
