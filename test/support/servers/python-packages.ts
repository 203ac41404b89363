// Python packages that tests run, each set in a folder of the cache.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { buildOnce, runInstaller } from './cache.ts';

export const python = 'python3';
const installTimeoutMs = 5 * 60_000;
const pip = ['-m', 'pip', '--disable-pip-version-check', 'install', '--quiet', '--no-deps'];

/** Returns the value for `PYTHONPATH`. */
export async function installPythonPackages(name: string, requirements: string): Promise<string> {
  const digest = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex');
  return buildOnce(`${name}-${digest.slice(0, 16)}`, (folder) =>
    runInstaller(python, [...pip, '--target', folder, '-r', requirements], {
      timeout: installTimeoutMs,
    }),
  );
}
