// `npm run build`, after the dashboard: writes the package into dist/package, which `npm pack ./dist/package` packs.
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeLicenses } from './licenses.ts';
import { makeManifest } from './manifest.ts';
import { bundleProgram } from './program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'dist/package');

await rm(folder, { recursive: true, force: true });
const sources = await bundleProgram(root, join(folder, 'program'));
const manifest = makeManifest(root);
await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

const launcher = await readFile(join(import.meta.dirname, 'fanfare.sh'), 'utf8');
const nodeMajor = (await readFile(join(root, '.nvmrc'), 'utf8')).trim();
await mkdir(join(folder, 'bin'));
await writeFile(join(folder, 'bin/fanfare'), launcher.replaceAll('NODE_MAJOR', nodeMajor));
await chmod(join(folder, 'bin/fanfare'), 0o755);

await cp(join(import.meta.dirname, 'README.md'), join(folder, 'README.md'));
for (const name of ['CHANGELOG.md', 'LICENSE', 'docs']) {
  await cp(join(root, name), join(folder, name), { recursive: true });
}
// The dashboard brings the licenses of its own packages.
const dashboard = await readFile(join(root, 'dist/dashboard/licenses.md'), 'utf8');
await writeFile(
  join(folder, 'LICENSES.md'),
  `${writeLicenses(root, sources)}\n# Licenses of the packages in the dashboard\n\n${dashboard}`,
);
console.log(`Built ${manifest.name} ${manifest.version} in dist/package.`);
