// Runs a Temporal development server for one program, on a database file or in memory.
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { run } from './executable-search.ts';
import { findFreePorts } from './free-ports.ts';
import { keepRunning } from './keep-running.ts';
import { findProcessesIn, inspectProcess } from './process-table.ts';
import { withoutProxy } from '../server/temporal-connection.ts';
import { createTemporalDatabase } from './temporal-database.ts';
import { readLastPorts, spawnServer, stopByPid, stopOrphan } from './server-process.ts';
import type { ServerProcess, StopPlan } from './server-process.ts';

export interface EmbeddedTemporal {
  readonly pid: number;
  readonly address: string;
  readonly uiUrl: string | undefined;
  /** Called when the server is gone for good though nobody stopped it. */
  onExit(callback: (detail: string) => void): void;
  stop(): Promise<void>;
}

export interface TemporalOptions {
  /** Already taken by the caller. Holds `temporal.sqlite`, the log and the record. */
  dataDirectory: string;
  executable: string;
  progress: (line: string) => void;
  /** Made at the start, beside `default`, which is always there. */
  namespaces?: readonly string[];
  /** Without the web interface. */
  headless?: boolean;
  /** Without a database file: all is gone when the server ends. */
  inMemory?: boolean;
  /** Further flags of `temporal server start-dev`. */
  extraArgs?: readonly string[];
  /** Whether to start it again where it was when it ends by itself. */
  restart?: boolean;
  signal?: AbortSignal | undefined;
}

// With a write-ahead log a start takes a quarter of the time. A killed server loses nothing; what a power
// cut takes with it, the sweeper starts anew.
const databasePragmas = ['journal_mode=wal', 'synchronous=normal'];
/**
 * By default the server caches 128,000 ended workflows for an hour: at 12 posts a second it grew by
 * 20 MB a minute. It reads a workflow that isn't in the cache from the database.
 */
const memoryLimits = ['history.hostLevelCacheMaxSize=1000'];
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
        // A home of its own: no settings of the operator's command line reach the server.
        env: { HOME: dataDirectory, PATH: '/usr/bin:/bin', TZ: 'UTC' },
        stopPlan,
      });
      try {
        await waitUntilReady(server, port, options);
        return server;
      } catch (error) {
        await server.stop();
        if (attempt === 3 || options.signal?.aborted) throw error;
        if (!/address already in use/i.test(server.output())) throw error;
        // Once others know the address it stays; only the first start may look for another.
        if (isFirst) ports = await findPorts({});
        await sleep(500);
      }
    }
  };
  const launch = async (): Promise<ServerProcess> => {
    const file = options.inMemory ? undefined : path.join(dataDirectory, 'temporal.sqlite');
    if (file !== undefined && !existsSync(file)) {
      options.progress("Creating Temporal's database.");
      await createTemporalDatabase(file, launchOn);
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

async function findPorts(last: Record<string, number>): Promise<[number, number]> {
  const [port, uiPort] = await findFreePorts([last['port'] ?? 0, last['uiPort'] ?? 0]);
  return [port!, uiPort!];
}

/** A start that was killed before it could write its record leaves a server on our database file. */
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
    // Older releases do not know this one.
    ...(help.includes('--ui-disable-news-fetch') ? ['--ui-disable-news-fetch'] : []),
    ...(options.namespaces ?? []).flatMap((namespace) => ['--namespace', namespace]),
    ...memoryLimits.flatMap((limit) => ['--dynamic-config-value', limit]),
    ...(options.extraArgs ?? []),
  ];
}

/** Our own child says where it listens, and what listens there knows its namespaces. */
async function waitUntilReady(
  server: ServerProcess,
  port: number,
  { namespaces = [], signal }: TemporalOptions,
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
          for (const namespace of ['default', ...namespaces]) {
            await connection.withDeadline(Date.now() + 2000, () =>
              workflowService.describeNamespace({ namespace }),
            );
          }
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
