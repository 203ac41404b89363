// Installs npm packages that only tests need, once per machine and outside the tree.
import { createHash } from 'node:crypto';
import { cp, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheDirectory, pathInCache, runInstaller } from './cache.ts';

export interface NpmPackages {
  /** Name of the packages' folder in the cache. */
  name: string;
  /** The folder with the package.json and package-lock.json that pin the packages. */
  source: string;
  /** Called after `npm ci`, which runs no install scripts. */
  finish(folder: string): Promise<void>;
}

const manifests = ['package.json', 'package-lock.json'];
const stepTimeoutMs = 8 * 60_000;

/** Returns the folder with the packages. The first call takes a minute or two. Rejects if they can't be installed. */
export async function installOnce(packages: NpmPackages): Promise<string> {
  const contents = await Promise.all(
    manifests.map((name) => readFile(join(packages.source, name))),
  );
  const digest = createHash('sha256').update(Buffer.concat(contents)).digest('hex').slice(0, 16);
  const installation = pathInCache(`${packages.name}-${digest}`);
  if (existsSync(installation)) return installation;
  await mkdir(cacheDirectory, { recursive: true });
  const unlock = await lock(`${installation}.lock`);
  try {
    // If this process ends early, the folder is absent rather than incomplete.
    if (!existsSync(installation)) {
      await rename(await build(packages, `${installation}.new`), installation);
    }
  } finally {
    await unlock();
  }
  return installation;
}

async function build({ source, finish }: NpmPackages, folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const name of manifests) await cp(join(source, name), join(folder, name));
  await runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
  await finish(folder);
  return folder;
}

export async function runNpm(
  parameters: readonly string[],
  folder: string,
  settings: NodeJS.ProcessEnv = {},
): Promise<void> {
  // The variables that `npm test` sets for this package must not reach another package's scripts.
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(package|lifecycle|command|config_local_prefix)|INIT_CWD|NODE_OPTIONS)/.test(name),
  );
  const binaries = join(folder, 'node_modules', '.bin');
  await runInstaller('npm', parameters, {
    cwd: folder,
    env: {
      ...Object.fromEntries(inherited),
      PATH: `${binaries}${delimiter}${process.env['PATH'] ?? ''}`,
      ...settings,
    },
    timeout: stepTimeoutMs,
  });
}

/**
 * The lock is a file with the ID of the holder's process, so that the lock of a dead holder can be taken
 * over.
 */
async function lock(path: string): Promise<() => Promise<void>> {
  for (;;) {
    try {
      const file = await open(path, 'wx');
      await file.write(String(process.pid));
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await sleep(500);
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (holder > 0 && !isAlive(holder)) await rm(path, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
