// Copies the viewer of the API reference out of a release of its package
// (`node scripts/update-viewer.ts VERSION`). As a dependency, the package would install 265 others.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [version] = process.argv.slice(2);
if (!version || !/^\d+\.\d+\.\d+$/.test(version)) {
  console.error('Usage: node scripts/update-viewer.ts VERSION   (of @scalar/api-reference)');
  process.exit(2);
}

const viewer = new URL('../api/reference/viewer/', import.meta.url);
const release = { package: '@scalar/api-reference', version, file: 'dist/browser/standalone.js' };
const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
try {
  const npm = ['pack', `${release.package}@${version}`, '--json', '--pack-destination', folder];
  const [{ filename, integrity }] = JSON.parse(execFileSync('npm', npm, { encoding: 'utf8' }));
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', folder]);
  const script = join(folder, 'package', release.file);
  const sha256 = createHash('sha256').update(readFileSync(script)).digest('hex');
  copyFileSync(script, new URL('standalone.js', viewer));
  const record = JSON.stringify({ ...release, integrity, sha256 }, null, 2);
  writeFileSync(new URL('release.json', viewer), `${record}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
