// The package of this checkout, built, packed and installed into an empty folder, as a user would install it.
import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** What `npm run release` writes. */
export const releaseFolder = join(root, 'dist/release');
const run = promisify(execFile);

export interface Installation extends Disposable {
  readonly folder: string;
  /** Folder of the package in `node_modules`. */
  readonly packageFolder: string;
  readonly installedInS: number;
  /** The packages in `node_modules`, by their paths. */
  readonly packages: Record<string, { version: string; resolved?: string }>;
}

export async function installPackage(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'fanfare-package-'));
  // When we are root, Postgres runs as another user, who must be able to enter the folder.
  chmodSync(folder, 0o755);
  const env = userEnvironment();
  // Builds the package too.
  await run('npm', ['run', 'release', '--', '--dry-run'], { cwd: root });
  const tarball = readdirSync(releaseFolder).find((name) => name.endsWith('.tgz'))!;
  const startedAt = performance.now();
  // Without scripts, nothing is downloaded beyond the registry.
  const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...options, join(releaseFolder, tarball)], { cwd: folder, env });
  const installedInS = (performance.now() - startedAt) / 1_000;
  const { name } = JSON.parse(readFileSync(join(root, 'dist/package/package.json'), 'utf8'));
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  return {
    folder,
    packageFolder: join(folder, 'node_modules', name),
    installedInS,
    packages: lock.packages,
    [Symbol.dispose]: () =>
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

/** Without what npm sets for the scripts of this checkout, and without the Node that it installs. */
export function userEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|INIT_CWD|NODE_|FANFARE_|VITEST)/i.test(name),
  );
  const path = process.env['PATH']!.split(':').filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(own), PATH: path.join(':') };
}
