// The folder for programs that tests download or build only once, for every checkout and every later run.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const cacheDirectory =
  process.env['FANFARE_TEST_CACHE'] || join(homedir(), '.cache', 'fanfare');

/** Path in the cache for files that only work on this system. */
export const pathInCache = (name: string) =>
  join(cacheDirectory, `${name}-${process.platform}-${process.arch}`);

/**
 * Returns a folder that `build` has filled. If this process ends early, the folder is absent rather than
 * incomplete.
 */
export async function buildOnce(
  name: string,
  build: (folder: string) => Promise<void>,
): Promise<string> {
  const installation = pathInCache(name);
  if (existsSync(installation)) return installation;
  await mkdir(cacheDirectory, { recursive: true });
  const folder = await mkdtemp(`${installation}.new-`);
  try {
    await build(folder);
    // Another process may have created the folder first.
    await rename(folder, installation).catch((error: unknown) => {
      if (!existsSync(installation)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return installation;
}

/** Rejects with the end of its output if the command fails. */
export async function runInstaller(
  command: string,
  parameters: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'env'> & { timeout: number },
): Promise<void> {
  const child = spawn(command, parameters, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = keepOutput(child);
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else
        reject(new Error(`${[command, ...parameters.slice(0, 2)].join(' ')} failed:\n${output()}`));
    });
  });
}

/** The last 4,000 characters that the process has printed. */
export function keepOutput({ stdout, stderr }: ChildProcess): () => string {
  let output = '';
  const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000));
  stdout!.on('data', keep);
  stderr!.on('data', keep);
  return () => output;
}
