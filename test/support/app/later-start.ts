// A data directory that the program has used before, and later starts of the program with that directory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBundledDirectory } from '../servers/bundled-directory.ts';
import { createTestNamespace } from '../servers/temporal.ts';
import type { Api } from './api.ts';
import { removeDataDirectory, startProgram, type Program } from './program.ts';

export interface UsedDirectory extends AsyncDisposable {
  readonly path: string;
  /** The key that the first start stored, exactly as its file contains it. */
  readStoredKey(): string;
  /** The project and its accounts after the first start. */
  readonly project: unknown[];
}

/** A program with its own Postgres. It uses the Temporal of the run, since starting another one takes time. */
export async function startOnSharedTemporal(dataDirectory: string) {
  const namespace = await createTestNamespace();
  const program: Program = startProgram({
    dataDirectory,
    env: { TEMPORAL_ADDRESS: namespace.address, TEMPORAL_NAMESPACE: namespace.namespace },
  });
  return {
    program,
    api: await program.waitForReady(),
    async [Symbol.asyncDispose]() {
      await program.stop();
      await namespace.close();
    },
  };
}

export async function createUsedDirectory(): Promise<UsedDirectory> {
  const path = createBundledDirectory();
  await using first = await startOnSharedTemporal(path);
  return {
    path,
    readStoredKey: () => readFileSync(join(path, 'api-key'), 'utf8'),
    project: await readProject(first.api),
    [Symbol.asyncDispose]: () => removeDataDirectory(path),
  };
}

export async function readProject({ get }: Api): Promise<unknown[]> {
  const answers = await Promise.all([get('/v1/project'), get('/v1/accounts')]);
  return answers.map(({ status, body }) => ({ status, data: body.data }));
}

export interface NpmStart {
  readonly pid: number;
  /** The URL of the API, once it is ready. */
  waitForUrl(): Promise<string>;
  output(): string;
  /** The exit code and the signal of npm. */
  readonly exit: Promise<unknown[]>;
  /** Ends the program if it still runs. */
  stop(): Promise<void>;
}

/** `npm start` in a process group of its own. */
export function startWithNpm(dataDirectory: string, env: Record<string, string> = {}): NpmStart {
  // The variables that `npm test` sets would configure this npm.
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|FANFARE_)/i.test(name));
  const npm = spawn('npm', ['start'], {
    cwd: join(import.meta.dirname, '../../..'),
    env: {
      ...Object.fromEntries(own),
      FANFARE_PORT: '0',
      FANFARE_DATA_DIR: dataDirectory,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  let log = '';
  npm.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const url = new Promise<string>((resolve, reject) => {
    npm.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const ready = /Fanfare is ready at (\S+)/.exec(output);
      if (ready) resolve(ready[1]!);
    });
    npm.once('exit', () => reject(new Error(`It ended before it was ready:\n${output}${log}`)));
  });
  url.catch(() => undefined);
  const exit = once(npm, 'exit');
  return {
    pid: npm.pid!,
    output: () => output,
    exit,
    waitForUrl: () => url,
    async stop() {
      if (npm.exitCode !== null || npm.signalCode !== null) return;
      process.kill(-npm.pid!, 'SIGINT');
      await exit;
    },
  };
}
