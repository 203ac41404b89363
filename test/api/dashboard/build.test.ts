// A build of the dashboard by its script names its sources, so that a start doesn't build them again.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { hashSources, stampName } from '../../../api/dashboard/sources.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

test('the script writes the stamp that a start compares', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfare-build-'));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(folder, { recursive: true }));
  const args = [
    'run',
    'build:dashboard',
    '--',
    '--logLevel',
    'error',
    '--outDir',
    folder,
    '--emptyOutDir',
  ];
  await promisify(execFile)('npm', args, { cwd: root });
  expect(await readdir(folder)).toContain('index.html');
  expect(await readFile(join(folder, stampName), 'utf8')).toBe(await hashSources());
}, 120_000);
