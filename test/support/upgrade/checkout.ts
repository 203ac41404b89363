// Programs of other sources than this checkout's: another commit, or the next version.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { startProgram, type Program, type ProgramOptions } from '../app/program.ts';
import { installOnce } from '../servers/npm-installation.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Checkout extends AsyncDisposable {
  readonly folder: string;
  start(options: Omit<ProgramOptions, 'installed'>): Program;
  /** Builds the workflows, unless the folder has them. Returns their path. */
  bundle(cacheDirectory: string): Promise<string>;
}

/** The program of a commit, in a worktree of its own. Rejects if the commit isn't part of the history. */
export async function checkOut(commit: string): Promise<Checkout> {
  await requireCommit(commit);
  const parent = await mkdtemp(join(tmpdir(), 'fanfare-upgrade-'));
  const folder = join(parent, 'worktree');
  await run('git', ['worktree', 'add', '--detach', folder, commit], { cwd: root });
  await symlink(await findPackages(folder), join(folder, 'node_modules'));
  return toCheckout(folder, async () => {
    await run('git', ['worktree', 'remove', '--force', folder], { cwd: root });
    await rm(parent, { recursive: true, force: true });
  });
}

async function requireCommit(commit: string): Promise<void> {
  const git = (...words: string[]) => run('git', words, { cwd: root });
  await git('cat-file', '-e', `${commit}^{commit}`).catch(() => {
    throw new Error(
      `The commit ${commit} is missing, which tests of upgrades run. ` +
        'Fetch the whole history with `git fetch --unshallow`.',
    );
  });
  await git('merge-base', '--is-ancestor', commit, 'HEAD').catch(() => {
    throw new Error(
      `The commit ${commit} of test/fixtures/upgrade is not an ancestor of HEAD. ` +
        'Record a commit that is one with `npm run record:upgrade -- <commit>`.',
    );
  });
}

/** This checkout's packages, if the commit has the same. Otherwise installs those of the commit, in the cache. */
async function findPackages(folder: string): Promise<string> {
  const [own, other] = await Promise.all([root, folder].map(readPackages));
  if (isDeepStrictEqual(own, other)) return join(root, 'node_modules');
  const installed = await installOnce({
    name: 'fanfare-packages',
    source: folder,
    finish: () => Promise.resolve(),
  }).catch((error: unknown) => {
    throw new Error(
      'The recorded version has other packages, which tests of upgrades install by npm once.',
      { cause: error },
    );
  });
  return join(installed, 'node_modules');
}

/** Without the version, which each release changes. */
async function readPackages(folder: string): Promise<unknown> {
  const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  return { ...packages, '': { ...packages[''], version: undefined } };
}

/** A copy of this working tree with further migrations. `changes`: SQL by the name of its migration. */
export async function copyWithMigrations(changes: Record<string, string>): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'fanfare-next-'));
  for (const name of [
    'activities',
    'api',
    'clients',
    'package.json',
    'schema',
    'scripts',
    'workflows',
  ]) {
    const filter = (path: string) => !path.endsWith('node_modules');
    await cp(join(root, name), join(folder, name), { recursive: true, filter });
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [name, change] of Object.entries(changes)) {
    const { stdout } = await run(process.execPath, ['scripts/create-migration.ts', name], {
      cwd: folder,
    });
    const file = /^Created (.+)\.$/m.exec(stdout)![1]!;
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('select 1', change));
  }
  return toCheckout(folder, () => rm(folder, { recursive: true, force: true }));
}

function toCheckout(folder: string, remove: () => Promise<void>): Checkout {
  const program = [process.execPath, '--max-semi-space-size=8', join(folder, 'api/cli.ts')];
  return {
    folder,
    start: (options) => startProgram({ ...options, installed: { program, folder } }),
    async bundle(cacheDirectory) {
      await mkdir(cacheDirectory, { recursive: true });
      const module = join(folder, 'activities/dispatch/workflow-bundle.ts');
      const print = `import(process.argv[1]).then(async ({ workflowBundle }) =>
        console.log((await workflowBundle(process.argv[2])).codePath))`;
      const { stdout } = await run(process.execPath, ['-e', print, module, cacheDirectory], {
        cwd: folder,
      });
      return stdout.trim();
    },
    [Symbol.asyncDispose]: remove,
  };
}
