// Python packages that tests run, each set in a folder of the cache.
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDirectory } from './cache.ts';

export const python = 'python3';
const installTimeoutMs = 5 * 60_000;

/** Returns the value for `PYTHONPATH`: a folder that is complete or absent, however this process ends. */
export async function installPythonPackages(name: string, requirements: string): Promise<string> {
  const digest = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex');
  const folderName = `${name}-${digest.slice(0, 16)}-${process.platform}-${process.arch}`;
  const installation = join(cacheDirectory, folderName);
  if (existsSync(installation)) return installation;
  await mkdir(cacheDirectory, { recursive: true });
  const folder = await mkdtemp(`${installation}.new-`);
  try {
    await runPip(['install', '--quiet', '--no-deps', '--target', folder, '-r', requirements]);
    // Another process may have been first.
    await rename(folder, installation).catch((error: unknown) => {
      if (!existsSync(installation)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return installation;
}

async function runPip(parameters: string[]): Promise<void> {
  const child = spawn(python, ['-m', 'pip', '--disable-pip-version-check', ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: installTimeoutMs,
  });
  const output = keepOutput(child);
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`pip install failed:\n${output()}`)),
    );
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
