// `npm run release -- --tag v<version>`: checks that everything names the same version, builds the package, and writes
// what a release consists of to dist/release. `--dry-run` does the same without a tag, with the notes of the next
// version. Publishes nothing: .github/workflows/release.yml does.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { buildPackage } from '../package/build.ts';
import { readSection } from './changelog.ts';
import { writeBillOfMaterials } from './bill-of-materials.ts';

const run = promisify(execFile);

const inFileName = /-(\d+\.\d+\.\d+)\.tgz/;

/** Where files other than package.json name the version. */
const named: readonly [path: string, pattern: RegExp][] = [
  ['charts/fanfare/Chart.yaml', /^version: (\S+)$/m],
  ['charts/fanfare/Chart.yaml', /^appVersion: (\S+)$/m],
  ['clients/typescript/package.json', /^ {2}"version": "(.+)",$/m],
  ['clients/python/src/fanfare_client/_version.py', /^VERSION = "(.+)"$/m],
  ['docs/installing.md', inFileName],
  ['docs/sdks.md', inFileName],
];

/** Throws if a file names another version than package.json, or the tag does. */
export function checkVersions(
  version: string,
  { tag, read }: { tag: string | undefined; read: (path: string) => string },
): void {
  if (tag !== undefined && tag !== `v${version}`)
    throw new Error(`The tag is ${tag}, but package.json has the version ${version}.`);
  for (const [path, pattern] of named) {
    const found = pattern.exec(read(path))?.[1];
    if (found !== version)
      throw new Error(`${path} has the version ${found}, but package.json has ${version}.`);
  }
}

async function prepare(root: string, tag: string | undefined): Promise<string> {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { version: string };
  checkVersions(version, { tag, read });
  const notes = readSection(read('CHANGELOG.md'), tag === undefined ? 'Unreleased' : version);

  await run('npm', ['run', 'build:dashboard'], { cwd: root });
  const { manifest, bundled } = await buildPackage(root);
  const folder = join(root, 'dist/release');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run('npm', ['pack', '--silent', '--pack-destination', folder, join(root, 'dist/package')]);
  await writeFile(join(folder, 'sbom.cdx.json'), writeBillOfMaterials(manifest, bundled));
  await writeSums(folder);
  // Not a file of the release, so it has no sum.
  await writeFile(join(folder, 'notes.md'), `${notes}\n`);
  return folder;
}

/** As `sha256sum --check` reads them. */
async function writeSums(folder: string): Promise<void> {
  const lines: string[] = [];
  for (const name of (await readdir(folder)).toSorted()) {
    const hash = createHash('sha256').update(await readFile(join(folder, name)));
    lines.push(`${hash.digest('hex')}  ${name}\n`);
  }
  await writeFile(join(folder, 'SHA256SUMS'), lines.join(''));
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { tag: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
  });
  if ((values.tag === undefined) !== values['dry-run']) {
    console.error('Usage: npm run release -- --tag v<version> | --dry-run');
    process.exit(2);
  }
  try {
    const root = fileURLToPath(new URL('../../', import.meta.url));
    console.log(`Wrote the release to ${await prepare(root, values.tag)}.`);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}
