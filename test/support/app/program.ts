// The real program in its own process, with its own data folder. Tests kill it and start it again.
import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive, inspectProcess } from '../processes.ts';
import { createApi, type Api } from './api.ts';

export interface ProgramOptions {
  /** The words after `api/cli.ts`; default: start. */
  command?: string[];
  /** Runs an installed program in this folder, instead of `api/cli.ts` in this checkout. */
  installed?: { program: string[]; folder: string };
  env?: Record<string, string>;
  /** Where the data is; default: a new folder, removed at the end. */
  dataDirectory?: string;
}

export interface Program extends AsyncDisposable {
  readonly dataDirectory: string;
  readonly pid: number;
  /** Everything that the program printed so far, on both streams. */
  output(): string;
  /** Resolves once it has ended. */
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Resolves with the match as soon as the output contains one. */
  waitForOutput(pattern: RegExp, options?: { timeoutMs?: number }): Promise<RegExpExecArray>;
  /** The API of the program with its first key, once the program says that it is ready. */
  waitForReady(options?: { timeoutMs?: number }): Promise<Api>;
  /** Kills the program, but not its servers. */
  kill9(): Promise<void>;
  /** Ends it as a user would, with Ctrl-C. */
  interrupt(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Ends the program and the rest of its servers, and removes the folder that it made. */
  stop(): Promise<void>;
}

/** `BENCH_PROGRAM` names another checkout, whose program runs in place of this one's. */
const root = resolve(
  process.env['BENCH_PROGRAM'] ?? fileURLToPath(new URL('../../..', import.meta.url)),
);

export function startProgram(options: ProgramOptions = {}): Program {
  const dataDirectory = options.dataDirectory ?? createDataDirectory();
  // As with `npm start`. A small young generation halves the size to which the heap grows under load.
  const clone = [process.execPath, '--max-semi-space-size=8', join(root, 'api/cli.ts')];
  const { program, folder } = options.installed ?? { program: clone, folder: root };
  const child = spawn(program[0]!, [...program.slice(1), ...(options.command ?? ['start'])], {
    cwd: folder,
    env: {
      ...withoutOurs(process.env),
      FANFARE_PORT: '0',
      FANFARE_WORKER_PORT: '0',
      FANFARE_DATA_DIR: dataDirectory,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: string[] = [];
  const watchers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      chunks.push(chunk);
      for (const watcher of watchers) watcher();
    });
  }
  const output = () => chunks.join('');
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => {
      resolve({ code, signal });
      for (const watcher of watchers) watcher();
    });
  });

  function waitForOutput(pattern: RegExp, { timeoutMs = 60_000 } = {}): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const settle = (work: () => void) => {
        clearTimeout(timer);
        watchers.delete(check);
        work();
      };
      const check = () => {
        const match = pattern.exec(output());
        if (match) settle(() => resolve(match));
        else if (hasEnded(child)) {
          settle(() => reject(new Error(`It ended without ${pattern}:\n${output()}`)));
        }
      };
      const timer = setTimeout(() => {
        settle(() => reject(new Error(`No ${pattern} within ${timeoutMs} ms:\n${output()}`)));
      }, timeoutMs);
      watchers.add(check);
      check();
    });
  }

  async function stop(): Promise<void> {
    if (!hasEnded(child)) {
      child.kill('SIGINT');
      const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
      await exit;
      clearTimeout(timer);
    }
    if (options.dataDirectory === undefined) await removeDataDirectory(dataDirectory);
  }

  return {
    dataDirectory,
    get pid() {
      return child.pid!;
    },
    output,
    exit,
    waitForOutput,
    async waitForReady(wait) {
      const [, url] = await waitForOutput(/Fanfare is ready at (\S+)/, wait);
      const keyPath = join(dataDirectory, 'api-key');
      const key =
        options.env?.['FANFARE_API_KEY'] ??
        (existsSync(keyPath) ? readFileSync(keyPath, 'utf8').trim() : '');
      return createApi(url!, key);
    },
    async kill9() {
      child.kill('SIGKILL');
      await exit;
    },
    interrupt() {
      child.kill('SIGINT');
      return exit;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** When we are root, Postgres runs as another user, so that user must be able to enter the folder. */
export function createDataDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'fanfare-program-'));
  chmodSync(directory, 0o755);
  return directory;
}

/** Ends the servers that a killed program left in this folder, and then removes the folder. */
export async function removeDataDirectory(directory: string): Promise<void> {
  for (const name of readdirSync(directory)) {
    if (name === 'postgres.json' || name === 'temporal.json') {
      await endServer(join(directory, name), directory);
    }
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** The pid of an embedded server that runs with this folder; undefined if none runs. */
export function findServer(directory: string, name: 'postgres' | 'temporal'): number | undefined {
  try {
    const { pid } = JSON.parse(readFileSync(join(directory, `${name}.json`), 'utf8')) as {
      pid: number;
    };
    const found = inspectProcess(pid);
    const isOurs = found && (found.directory ?? found.command).includes(directory);
    return isOurs ? pid : undefined;
  } catch {
    return undefined;
  }
}

async function endServer(recordPath: string, directory: string): Promise<void> {
  const name = recordPath.endsWith('postgres.json') ? 'postgres' : 'temporal';
  const pid = findServer(directory, name);
  if (pid === undefined) return;
  const signals = ['SIGINT', 'SIGKILL'] as const;
  for (const signal of signals) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (let i = 0; i < 100 && isAlive(pid); i++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** A developer's own settings must not reach the program under test. */
function withoutOurs(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const ours = /^(FANFARE_|TEMPORAL_(?!CLI$)|DATABASE_URL$|VITEST|NODE_ENV$)/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ours.test(name)));
}
