// Builds the dashboard beside the start of a clone, if its sources changed since the last build.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { builtFolder } from './files.ts';
import { hashSources, sources, stampName } from './sources.ts';

/** Aborting the signal ends the build. A failed build is logged, and the program goes on without a dashboard. */
export async function buildDashboard(log: Logger, signal: AbortSignal): Promise<void> {
  const vite = findVite();
  // An installation without development packages comes with a built dashboard.
  if (!vite || !existsSync(sources)) return;
  try {
    const last = await readFile(join(builtFolder, stampName), 'utf8').catch(() => '');
    if (last === (await hashSources())) return;
    await mkdir(dirname(builtFolder), { recursive: true });
    // Other processes may serve the last build, or build at the same time.
    const folder = await mkdtemp(`${builtFolder.replace(/\/$/, '')}.new-`);
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => rm(folder, { recursive: true, force: true }));
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
    // As the folders that Vite makes.
    await chmod(folder, 0o755);
    await rm(builtFolder, { recursive: true, force: true });
    await rename(folder, builtFolder).catch((error: unknown) => {
      if (!existsSync(join(builtFolder, stampName))) throw error;
    });
  } catch (err) {
    if (!signal.aborted) log.warn({ component: 'dashboard', err }, 'the dashboard was not built');
  }
}

function findVite(): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve('vite/package.json');
    return join(dirname(manifest), 'bin/vite.js');
  } catch {
    return undefined;
  }
}
