// CONTRIBUTING.md and SECURITY.md name files that exist, and the repository's settings agree.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import packageLock from '../package-lock.json' with { type: 'json' };
import { readSourceFiles } from './support/checks/source-files.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const guide = read('CONTRIBUTING.md');
const listed = treeOf(guide);
/** Installed on every system. Half of them bundle the workflows or belong to Temporal's SDK. */
const productionPackages = 296;

interface Package {
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
}

describe('CONTRIBUTING.md', () => {
  test('lists only files and folders that exist in its tree', () => {
    const gone = listed.filter((path) => !existsSync(join(root, path)));
    expect(gone, 'Remove these from the tree in CONTRIBUTING.md.').toEqual([]);
  });

  test('lists every folder of the product in its tree', () => {
    const folders = globSync('{activities,api,schema,workflows}/**/', { cwd: root })
      .map((path) => path.replace(/\/?$/, '/'))
      .filter((path) => path.split('/').length <= 4 && !isPartOfOneNetwork(path));
    expect(folders).not.toEqual([]);
    const missing = folders.filter((path) => !listed.includes(path));
    expect(missing, 'Add these to the tree in CONTRIBUTING.md.').toEqual([]);
  });

  test('names only paths that exist in its text', () => {
    const named = pathsIn(guide);
    expect(named).not.toEqual([]);
    const missing = named.filter(
      (path) => globSync(path.replaceAll(/<[\w ]+>/g, '*'), { cwd: root }).length === 0,
    );
    expect(missing, 'Correct these in CONTRIBUTING.md.').toEqual([]);
  });

  test('names only scripts that package.json has', () => {
    const named = [...guide.matchAll(/(?:`|^)npm (?:run )?([a-z0-9:-]+)/gm)].map(
      ([, name]) => name!,
    );
    const known = [...Object.keys(packageJson.scripts), 'ci', 'audit', 'outdated'];
    const unknown = named.filter((name) => !known.includes(name));
    expect(unknown, 'Correct these scripts in CONTRIBUTING.md.').toEqual([]);
  });
});

describe('SECURITY.md', () => {
  test('names only paths that exist', () => {
    const named = pathsIn(read('SECURITY.md'));
    expect(named).not.toEqual([]);
    const gone = named.filter((path) => !existsSync(join(root, path)));
    expect(gone, 'Correct these in SECURITY.md.').toEqual([]);
  });
});

describe('the pictures of the docs', () => {
  const pictures = globSync('docs/pictures/*', { cwd: root });

  test('are small, and each is on a page', () => {
    const pages = ['README.md', ...globSync('docs/*.md', { cwd: root })].map(read).join();
    for (const path of pictures) {
      expect(statSync(join(root, path)).size, path).toBeLessThanOrEqual(120 * 1_024);
      expect(pages, path).toContain(path.replace('docs/', ''));
    }
  });

  test('exist where the README shows them', () => {
    const shown = [...read('README.md').matchAll(/<img src="([^"]+)"/g)].map(([, path]) => path!);
    expect(shown).toHaveLength(3);
    expect(shown.filter((path) => !pictures.includes(path))).toEqual([]);
  });
});

describe('package.json', () => {
  test('names every package that the sources import', () => {
    const known = new Set(
      Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies }),
    );
    const foreign = readSourceFiles().flatMap(({ path, imports }) =>
      imports
        .filter(({ isOurs, target }) => !isOurs && !target.startsWith('node:'))
        .map(({ target }) => ({ path, name: packageOf(target) })),
    );
    expect(foreign).not.toEqual([]);
    const undeclared = foreign
      .filter(({ name }) => !known.has(name))
      .map(({ path, name }) => `${path} → ${name}`);
    expect(undeclared, 'Add these packages to package.json, or do without them.').toEqual([]);
  });
});

describe('package-lock.json', () => {
  const packages = Object.entries(packageLock.packages as Record<string, Package>).filter(
    ([path]) => path !== '',
  );

  test('has no more packages for production than before', () => {
    const isForProduction = ({ dev, devOptional, optional }: Package) =>
      !dev && !devOptional && !optional;
    const count = packages.filter(([, entry]) => isForProduction(entry)).length;
    expect(count, 'Weigh what the new packages save.').toBeLessThanOrEqual(productionPackages);
  });

  test('names no registry', () => {
    expect(packages.filter(([, entry]) => 'resolved' in entry)).toEqual([]);
  });
});

describe('the settings of the repository', () => {
  test('name one major version of Node', () => {
    const major = packageJson.dependencies.node.split('.')[0];
    expect(read('.nvmrc').trim()).toBe(major);
    expect(packageJson.devDependencies['@types/node'].split('.')[0]).toBe(major);
    expect(read('Dockerfile')).toContain(`FROM node:${major}-`);
  });

  test('run the same checks on GitHub as on a developer machine', () => {
    expect(read('.github/workflows/ci.yml')).toMatch(/run: \.ci\/run$/m);
  });
});

/** The package of an import such as `@scope/name/file`. */
function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The paths of the indented tree, folders with a slash at their end. */
function treeOf(text: string): string[] {
  const block = /```text\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  const parents: string[] = [];
  return block
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const depth = (line.length - line.trimStart().length) / 2;
      const path = (parents[depth - 1] ?? '') + line.trim().split(/\s/)[0]!;
      parents[depth] = path;
      return path;
    });
}

/** One line of the tree stands for all networks. */
function isPartOfOneNetwork(path: string): boolean {
  return path.startsWith('activities/platforms/') && path !== 'activities/platforms/';
}

/** Code that looks like a path of ours; `<name>` stands for any one name. */
function pathsIn(text: string): string[] {
  const inline = text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`\s]+)`/g);
  const commands = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block]) =>
    block!.split(/\s+/).filter((word) => word.endsWith('.ts')),
  );
  const code = [...inline].map(([, inner]) => inner!);
  return [...commands, ...code].filter(
    (word) => /^[\w.][\w.<>/-]*$/.test(word) && /\/|\.(md|ts|json|yml)$/.test(word),
  );
}
