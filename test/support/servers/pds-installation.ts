// Installs Bluesky's server for the Node that it runs on.
import { readdir } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installOnce, runNpm } from './npm-installation.ts';

const source = fileURLToPath(new URL('../pds', import.meta.url));

export const pdsServerPath = join(source, 'server.mjs');

/** Returns the folder with the server. */
export function installPds(): Promise<string> {
  return installOnce({ name: 'pds', source, finish });
}

/** Installs in steps, because native code must be compiled by the Node that is installed here, and for it. */
async function finish(folder: string): Promise<void> {
  await runNpm(['rebuild', 'node', '--foreground-scripts'], folder);
  await runNpm(
    ['rebuild', 'better-sqlite3', '--foreground-scripts'],
    folder,
    await findHeaders(folder),
  );
}

/** The package of the Node binary also contains Node's headers, which node-gyp would download otherwise. */
async function findHeaders(folder: string): Promise<NodeJS.ProcessEnv> {
  const nested = join(folder, 'node_modules', 'node', 'node_modules');
  const names = await readdir(nested).catch(() => []);
  const found = names
    .map((name) => join(nested, name))
    .find((path) => existsSync(join(path, 'include', 'node', 'node.h')));
  return found === undefined ? {} : { npm_config_nodedir: found };
}
