// Runs Temporal's development server, on a database file or in memory.
import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Connection } from '@temporalio/client';
import { withoutProxy } from '../server/temporal-connection.ts';
import { run } from './install-executable.ts';
import type { StopPlan } from './process-table.ts';
import { startServer, stopLeftRunning, type ServerProcess } from './server-process.ts';

export interface TemporalOptions {
  /** Already locked by the caller. Contains `temporal.sqlite`, the log and the record. */
  dataDirectory: string;
  executable: string;
  progress: (line: string) => void;
  /** Without the web interface. */
  headless?: boolean;
  /** Without a database file. */
  inMemory?: boolean;
  signal?: AbortSignal | undefined;
}

// docs/decisions/embedded-servers.md explains these.
const databasePragmas = ['journal_mode=wal', 'synchronous=normal'];
/**
 * By default, the server caches 128,000 ended workflows. At 12 posts a second, its memory grew by 20 MB a
 * minute.
 */
const memoryLimits = ['history.hostLevelCacheMaxSize=1000'];
const stopPlan: StopPlan = [
  ['SIGTERM', 10_000],
  ['SIGKILL', 5000],
];

export async function startTemporal(options: TemporalOptions) {
  const { executable, progress, headless = false, signal } = options;
  const dataDirectory = realpathSync(options.dataDirectory);
  await stopTemporalIn(dataDirectory, progress);
  const help = await run(executable, ['server', 'start-dev', '--help'], { signal });
  // Older releases don't have this flag.
  const quiet = ['--ui-disable-news-fetch'].filter((flag) => help.includes(flag));
  const database = options.inMemory ? undefined : prepareDatabase(dataDirectory, progress);
  const server = await startServer({
    name: 'Temporal',
    dataDirectory,
    executable,
    portNames: headless ? ['port'] : ['port', 'uiPort'],
    argsOn: ({ port, uiPort }) => [
      'server',
      'start-dev',
      '--ip=127.0.0.1',
      `--port=${port}`,
      '--log-level=error',
      '--log-format=json',
      ...(headless ? ['--headless'] : [`--ui-port=${uiPort}`, ...quiet]),
      ...memoryLimits.flatMap((limit) => ['--dynamic-config-value', limit]),
      ...(database?.args ?? []),
    ],
    isReady: hasNamespace,
    workingDirectory: dataDirectory,
    // The server has its own home, so that the operator's settings of the command line don't reach it.
    env: { HOME: dataDirectory, PATH: '/usr/bin:/bin', TZ: 'UTC' },
    stopPlan,
    progress,
    signal,
  });
  database?.complete();
  const { pid, onExit, stop, ports } = server;
  const uiUrl = headless ? undefined : `http://127.0.0.1:${ports['uiPort']}`;
  return { pid, address: `127.0.0.1:${ports['port']}`, uiUrl, onExit, stop };
}

/** Stops a server that an earlier program left on this database file. */
export async function stopTemporalIn(
  dataDirectory: string,
  progress: (line: string) => void,
): Promise<void> {
  await stopLeftRunning('temporal', dataDirectory, / server start-dev /, stopPlan, progress);
}

/**
 * The server creates the tables of a missing file, and trusts an existing one. If it is killed in
 * between, half a schema remains. So a second file marks a database as unfinished until it is complete.
 */
function prepareDatabase(dataDirectory: string, progress: (line: string) => void) {
  const file = path.join(dataDirectory, 'temporal.sqlite');
  const mark = `${file}.new`;
  if (!existsSync(file) || existsSync(mark)) {
    progress("Creating Temporal's database.");
    writeFileSync(mark, '');
    // SQLite would apply the journal of the removed file to the new file.
    for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  }
  const pragmas = databasePragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]);
  return {
    args: ['--db-filename', file, ...pragmas],
    complete: () => rmSync(mark, { force: true }),
  };
}

/** Whether our child has printed its port, and its namespace exists. */
async function hasNamespace({ output, ports }: ServerProcess): Promise<boolean> {
  const address = `127.0.0.1:${ports['port']}`;
  if (!output().includes(`:${ports['port']}`)) return false;
  const connection = await Connection.connect({ address, connectTimeout: '2s', ...withoutProxy });
  try {
    await connection.withDeadline(Date.now() + 2000, () =>
      connection.workflowService.describeNamespace({ namespace: 'default' }),
    );
    return true;
  } finally {
    await connection.close();
  }
}
