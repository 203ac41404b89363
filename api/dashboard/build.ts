// Builds the dashboard beside the start of a clone, if its sources changed since the last build.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { builtFolder } from './files.ts';

const sources = fileURLToPath(new URL('app/', import.meta.url));
/** Other files that the build depends on. */
const inputs = ['../../package-lock.json', '../../schema/schema.graphql'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
/** Names the sources of the last build. */
const stampName = 'sources.txt';

/** Aborting the signal ends the build. A failed build is logged, and the program goes on without a dashboard. */
export async function buildDashboard(log: Logger, signal: AbortSignal): Promise<void> {
  const vite = findVite();
  // An installation without development packages comes with a built dashboard.
  if (!vite || !existsSync(sources)) return;
  try {
    const stamp = await hashSources();
    const last = await readFile(join(builtFolder, stampName), 'utf8').catch(() => '');
    if (last === stamp) return;
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
    await writeFile(join(folder, stampName), stamp);
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

async function hashSources(): Promise<string> {
  const entries = await readdir(sources, { recursive: true, withFileTypes: true });
  const files = entries.flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );
  const hash = createHash('sha256');
  for (const file of [...files.toSorted(), ...inputs]) {
    hash
      .update(`${file.slice(sources.length)}\0`)
      .update(await readFile(file))
      .update('\0');
  }
  return hash.digest('hex');
}
