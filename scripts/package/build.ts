// `npm run build`, after the dashboard: writes the package into dist/package, which `npm pack ./dist/package` packs.
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listBundled, writeLicenses } from './licenses.ts';
import { makeManifest } from './manifest.ts';
import { bundleProgram } from './program.ts';

/** The dashboard must be built before. Returns the package.json, and the packages whose code is in ours. */
export async function buildPackage(root: string) {
  const folder = join(root, 'dist/package');
  await rm(folder, { recursive: true, force: true });
  const bundled = listBundled(root, await bundleProgram(root, join(folder, 'program')));
  const manifest = makeManifest(root);
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await writeCommand(root, join(folder, 'bin'));
  await cp(join(import.meta.dirname, 'README.md'), join(folder, 'README.md'));
  for (const name of ['CHANGELOG.md', 'LICENSE', 'docs']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  // The dashboard brings the licenses of its own packages.
  const dashboard = await readFile(join(root, 'dist/dashboard/licenses.md'), 'utf8');
  const licenses = `${writeLicenses(root, bundled)}\n# Licenses of the packages in the dashboard\n\n${dashboard}`;
  await writeFile(join(folder, 'LICENSES.md'), licenses);
  const inDashboard = [...dashboard.matchAll(/^## (\S+) - (\S+) \((.+)\)$/gm)].map(
    ([, name, version, license]) => ({ name: name!, version: version!, license: license! }),
  );
  return { manifest, bundled: [...bundled, ...inDashboard] };
}

/** Writes the command `fanfare`. */
async function writeCommand(root: string, folder: string): Promise<void> {
  const command = await readFile(join(import.meta.dirname, 'fanfare.sh'), 'utf8');
  const nodeMajor = (await readFile(join(root, '.nvmrc'), 'utf8')).trim();
  await mkdir(folder);
  await writeFile(join(folder, 'fanfare'), command.replaceAll('NODE_MAJOR', nodeMajor));
  await chmod(join(folder, 'fanfare'), 0o755);
}

if (import.meta.main) {
  const { manifest } = await buildPackage(fileURLToPath(new URL('../../', import.meta.url)));
  console.log(`Built ${manifest.name} ${manifest.version} in dist/package.`);
}
