// A data directory that the program has run on before, and later starts of the program on it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createBundledDirectory } from '../servers/bundled-directory.ts';
import { createTestNamespace } from '../servers/temporal.ts';
import type { Api } from './api.ts';
import { removeDataDirectory, startProgram, type Program } from './program.ts';

export interface UsedDirectory extends AsyncDisposable {
  readonly path: string;
  /** The key that the first start stored, as it stands in its file. */
  readStoredKey(): string;
  /** The project and its accounts after the first start. */
  readonly project: unknown[];
}

/** A program with its own Postgres, on the Temporal of the run, which saves the start of another. */
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
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let output = '';
  npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  return {
    pid: npm.pid!,
    output: () => output,
    exit: once(npm, 'exit'),
    async waitForUrl() {
      const isReady = expect.poll(() => output, { timeout: 30_000, interval: 50 });
      await isReady.toContain('Fanfare is ready at');
      return /Fanfare is ready at (\S+)/.exec(output)![1]!;
    },
  };
}
