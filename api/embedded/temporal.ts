// Runs Temporal's development server, on a database file or in memory.
import { existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { run } from './install-executable.ts';
import { findFreePorts } from '../server/ports.ts';
import { keepRunning } from './keep-running.ts';
import { findProcessesIn, inspectProcess } from './process-table.ts';
import { withoutProxy } from '../server/temporal-connection.ts';
import {
  readLastPorts,
  spawnServer,
  stopByPid,
  stopOrphan,
  type ServerProcess,
  type StopPlan,
} from './server-process.ts';

export interface EmbeddedTemporal {
  readonly pid: number;
  readonly address: string;
  readonly uiUrl: string | undefined;
  /** Called when the server has ended by itself and restarts have failed. */
  onExit(callback: (detail: string) => void): void;
  stop(): Promise<void>;
}

export interface TemporalOptions {
  /** Already locked by the caller. Contains `temporal.sqlite`, the log and the record. */
  dataDirectory: string;
  executable: string;
  progress: (line: string) => void;
  /** Without the web interface. */
  headless?: boolean;
  /** Without a database file. */
  inMemory?: boolean;
  /** Whether to restart the server on the same port if it ends by itself. Default: true. */
  restart?: boolean;
  signal?: AbortSignal | undefined;
}

// docs/decisions/embedded-temporal.md explains these.
const databasePragmas = ['journal_mode=wal', 'synchronous=normal'];
/** By default, the server caches 128,000 ended workflows. At 12 posts a second it grew by 20 MB a minute. */
const memoryLimits = ['history.hostLevelCacheMaxSize=1000'];
// Files that SQLite keeps beside a database file.
const companions = ['-journal', '-wal', '-shm'];
const startTimeoutMs = 60_000;
const stopPlan: StopPlan = [
  ['SIGTERM', 10_000],
  ['SIGKILL', 5000],
];

export async function startTemporal(options: TemporalOptions): Promise<EmbeddedTemporal> {
  const dataDirectory = realpathSync(options.dataDirectory);
  await stopOrphan(dataDirectory, 'temporal', stopPlan, options.progress);
  await stopUnrecorded(dataDirectory, options.executable);
  const args = await chooseArgs(options);
  const last = readLastPorts(dataDirectory, 'temporal');
  let ports = await findPorts(last);
  let isFirst = true;
  const launchOn = async (
    databaseFile: string | undefined,
    pragmas: readonly string[] = [],
  ): Promise<ServerProcess> => {
    for (let attempt = 1; ; attempt += 1) {
      const [port, uiPort] = ports;
      const server = spawnServer({
        name: 'temporal',
        dataDirectory,
        executable: options.executable,
        args: [
          ...args,
          `--port=${port}`,
          ...(options.headless ? [] : [`--ui-port=${uiPort}`]),
          ...(databaseFile === undefined ? [] : ['--db-filename', databaseFile]),
          ...pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]),
        ],
        workingDirectory: dataDirectory,
        ports: { port, uiPort },
        // Its own home, so that the operator's settings of the command line don't reach the server.
        env: { HOME: dataDirectory, PATH: '/usr/bin:/bin', TZ: 'UTC' },
        stopPlan,
      });
      try {
        await waitUntilReady(server, port, options.signal);
        return server;
      } catch (error) {
        await server.stop();
        if (attempt === 3 || options.signal?.aborted) throw error;
        if (!/address already in use/i.test(server.output())) throw error;
        // Only the first start may change the ports: later, clients know them.
        if (isFirst) ports = await findPorts({});
        await sleep(500);
      }
    }
  };
  const launch = async (): Promise<ServerProcess> => {
    const file = options.inMemory ? undefined : path.join(dataDirectory, 'temporal.sqlite');
    if (file !== undefined && !existsSync(file)) {
      options.progress("Creating Temporal's database.");
      await createDatabase(file, launchOn);
    }
    const server = await launchOn(file, file === undefined ? [] : databasePragmas);
    isFirst = false;
    return server;
  };
  const kept = await keepRunning({
    name: 'Temporal',
    launch,
    restart: options.restart ?? true,
    progress: options.progress,
  });
  return {
    get pid() {
      return kept.process.pid;
    },
    address: `127.0.0.1:${ports[0]}`,
    uiUrl: options.headless ? undefined : `http://127.0.0.1:${ports[1]}`,
    onExit: (callback) => kept.onExit(callback),
    stop: () => kept.stop(),
  };
}

/**
 * The server creates the tables of a missing file, and trusts an existing one. If it is killed in
 * between, half a schema remains. So it creates them in another file, which is renamed when complete.
 */
async function createDatabase(
  file: string,
  launch: (file: string) => Promise<ServerProcess>,
): Promise<void> {
  const unfinished = `${file}.new`;
  // SQLite would apply the companions of a removed file to the new one.
  for (const companion of companions) rmSync(`${file}${companion}`, { force: true });
  for (const suffix of ['', ...companions]) rmSync(`${unfinished}${suffix}`, { force: true });
  const server = await launch(unfinished);
  await server.stop();
  const unwritten = companions.filter((companion) => hasContent(`${unfinished}${companion}`));
  if (unwritten.length > 0 || !existsSync(unfinished)) {
    throw new Error(`Temporal did not complete its database ${unfinished}.`);
  }
  renameSync(unfinished, file);
  for (const companion of companions) rmSync(`${unfinished}${companion}`, { force: true });
}

function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

async function findPorts(last: Record<string, number>): Promise<[number, number]> {
  const [port, uiPort] = await findFreePorts([last['port'] ?? 0, last['uiPort'] ?? 0]);
  return [port!, uiPort!];
}

/** A start that was killed before it wrote its record leaves a server on our database file. */
async function stopUnrecorded(dataDirectory: string, executable: string): Promise<void> {
  const program = path.basename(realpathSync(executable));
  for (const pid of findProcessesIn(dataDirectory, program)) {
    if (!inspectProcess(pid)?.command.includes('server start-dev')) continue;
    await stopByPid(pid, 'temporal', stopPlan);
  }
}

async function chooseArgs(options: TemporalOptions): Promise<string[]> {
  const help = await run(options.executable, ['server', 'start-dev', '--help'], {
    timeoutMs: 30_000,
    signal: options.signal,
  });
  return [
    'server',
    'start-dev',
    '--ip=127.0.0.1',
    '--log-level=error',
    '--log-format=json',
    ...(options.headless ? ['--headless'] : []),
    // Older releases don't have this flag.
    ...(help.includes('--ui-disable-news-fetch') ? ['--ui-disable-news-fetch'] : []),
    ...memoryLimits.flatMap((limit) => ['--dynamic-config-value', limit]),
  ];
}

/** Waits until our child has printed its port and its namespace exists. */
async function waitUntilReady(
  server: ServerProcess,
  port: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  const lastLines = (): string => server.output().trim().split('\n').slice(-6).join('\n');
  let lastError: unknown;
  let connection: Connection | undefined;
  try {
    while (Date.now() < deadline) {
      signal?.throwIfAborted();
      if (server.ended !== undefined) throw new Error(`Temporal ${server.ended}.\n${lastLines()}`);
      try {
        if (server.output().includes(`:${port}`)) {
          connection ??= await Connection.connect({
            address: `127.0.0.1:${port}`,
            connectTimeout: '2s',
            ...withoutProxy,
          });
          const { workflowService } = connection;
          await connection.withDeadline(Date.now() + 2000, () =>
            workflowService.describeNamespace({ namespace: 'default' }),
          );
          return;
        }
      } catch (error) {
        lastError = error;
      }
      await sleep(25);
    }
    throw new Error(`Temporal is not ready after ${startTimeoutMs / 1000} s.\n${lastLines()}`, {
      cause: lastError,
    });
  } finally {
    await connection?.close();
  }
}
