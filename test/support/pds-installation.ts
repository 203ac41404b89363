// Installs Bluesky's server once per machine, outside the tree, for the Node that it runs on.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cacheDirectory } from './servers.ts';

const source = fileURLToPath(new URL('pds', import.meta.url));
const manifests = ['package.json', 'package-lock.json'];
const stepTimeoutMs = 8 * 60_000;

export const pdsServerPath = join(source, 'server.mjs');

/** The folder with it. The first call takes a minute or two, and rejects where it isn't to be had. */
export async function installPds(): Promise<string> {
  const contents = await Promise.all(manifests.map((name) => readFile(join(source, name))));
  const digest = createHash('sha256').update(Buffer.concat(contents)).digest('hex').slice(0, 16);
  const installation = join(cacheDirectory, `pds-${digest}-${process.platform}-${process.arch}`);
  if (existsSync(installation)) return installation;
  await mkdir(cacheDirectory, { recursive: true });
  const unlock = await lock(`${installation}.lock`);
  try {
    // Complete or absent, whatever ends this process.
    if (!existsSync(installation)) await rename(await build(`${installation}.new`), installation);
  } finally {
    await unlock();
  }
  return installation;
}

async function build(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const name of manifests) await cp(join(source, name), join(folder, name));
  // In steps: what is compiled must be compiled by and for the Node that is installed here.
  await runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
  await runNpm(['rebuild', 'node', '--foreground-scripts'], folder);
  await runNpm(
    ['rebuild', 'better-sqlite3', '--foreground-scripts'],
    folder,
    await findHeaders(folder),
  );
  return folder;
}

/** The package of the Node binary has its headers too, which node-gyp would download otherwise. */
async function findHeaders(folder: string): Promise<NodeJS.ProcessEnv> {
  const nested = join(folder, 'node_modules', 'node', 'node_modules');
  const names = await readdir(nested).catch(() => []);
  const found = names
    .map((name) => join(nested, name))
    .find((path) => existsSync(join(path, 'include', 'node', 'node.h')));
  return found === undefined ? {} : { npm_config_nodedir: found };
}

async function runNpm(
  parameters: readonly string[],
  folder: string,
  settings: NodeJS.ProcessEnv = {},
): Promise<void> {
  // What `npm test` tells its children of its own package must not reach another one's scripts.
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(package|lifecycle|command|config_local_prefix)|INIT_CWD|NODE_OPTIONS)/.test(name),
  );
  const binaries = join(folder, 'node_modules', '.bin');
  const child = spawn('npm', parameters, {
    cwd: folder,
    env: {
      ...Object.fromEntries(inherited),
      PATH: `${binaries}${delimiter}${process.env['PATH'] ?? ''}`,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: stepTimeoutMs,
  });
  let output = '';
  const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`npm ${parameters.slice(0, 2).join(' ')} failed:\n${output}`)),
    );
  });
}

/** Held by a file with the holder's process id, so that the lock of a dead one is taken over. */
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
