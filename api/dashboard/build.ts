// Builds the dashboard if its sources changed since the last build: for `npm run build:dashboard`, and beside the start of
// a clone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { builtFolder } from './files.ts';
import { hashSources, sources, stampName } from './sources.ts';

/** Aborting the signal ends the build. A failed build is logged, and the program goes on without a dashboard. */
export async function buildDashboard(log: Logger, signal: AbortSignal): Promise<void> {
  // An installation without development packages comes with a built dashboard.
  if (!findVite() || !existsSync(sources)) return;
  try {
    await buildIfChanged({ signal });
  } catch (err) {
    if (!signal.aborted) log.warn({ component: 'dashboard', err }, 'the dashboard was not built');
  }
}

interface BuildOptions {
  folder?: string;
  signal?: AbortSignal;
}

/** Other processes may serve the folder, or build it at the same time. Throws if the build fails. */
export async function buildIfChanged({ folder = builtFolder, signal }: BuildOptions = {}) {
  if (await isCurrent(folder)) return;
  await mkdir(dirname(folder), { recursive: true });
  const parent = await mkdtemp(`${folder.replace(/\/$/, '')}.new-`);
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(parent, { recursive: true, force: true }));
  const built = join(parent, 'built');
  await runVite(built, signal);
  // A current build stays, since pages may load from it.
  while (!(await hasMoved(built, folder)) && !(await isCurrent(folder))) {
    await rename(folder, join(parent, 'old')).catch(ignore('ENOENT'));
  }
}

/** False if there is another build. */
async function hasMoved(built: string, folder: string): Promise<boolean> {
  const moved = rename(built, folder).then(() => true);
  return (await moved.catch(ignore('ENOTEMPTY', 'EEXIST'))) ?? false;
}

const ignore =
  (...codes: string[]) =>
  (error: NodeJS.ErrnoException): undefined => {
    if (!codes.includes(error.code ?? '')) throw error;
  };

async function isCurrent(folder: string): Promise<boolean> {
  const last = await readFile(join(folder, stampName), 'utf8').catch(() => '');
  return last === (await hashSources());
}

async function runVite(folder: string, signal: AbortSignal | undefined): Promise<void> {
  const vite = findVite();
  if (!vite) throw new Error('Vite is not installed. Run `npm ci` without `--omit=dev`.');
  const args = [vite, 'build', '--logLevel', 'error', '--outDir', folder];
  const child = spawn(process.execPath, args, {
    cwd: sources,
    signal,
    stdio: ['ignore', 'ignore', 'pipe'],
    // Another value would build React for development.
    env: { NODE_ENV: 'production' },
  });
  let output = '';
  child.stderr.on('data', (chunk) => (output = (output + String(chunk)).slice(-4_096)));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`The build ended with ${code}: ${output}`);
}

function findVite(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('vite/package.json');
    return join(dirname(manifest), 'bin/vite.js');
  } catch {
    return undefined;
  }
}

if (import.meta.main) await buildIfChanged();
