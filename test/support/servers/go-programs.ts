// Programs that tests run, each built from its Go module and kept in the cache.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDirectory } from './cache.ts';

const buildTimeoutMs = 20 * 60_000;

/** Returns the folder with the programs. The first call takes minutes, and rejects where Go is missing. */
export async function buildGoPrograms(name: string, packages: string[]): Promise<string> {
  const installation = join(cacheDirectory, `${name}-${process.platform}-${process.arch}`);
  if (existsSync(installation)) return installation;
  await mkdir(cacheDirectory, { recursive: true });
  const folder = await mkdtemp(`${installation}.new-`);
  try {
    await runGo(['install', '-p', '2', ...packages], folder);
    // Another process may have been first.
    await rename(folder, installation).catch((error: unknown) => {
      if (!existsSync(installation)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return installation;
}

async function runGo(parameters: string[], folder: string): Promise<void> {
  const child = spawn('go', parameters, {
    env: { ...process.env, GOBIN: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: buildTimeoutMs,
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output = (output + String(chunk)).slice(-4_000)));
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`go install failed:\n${output}`)),
    );
  });
}
