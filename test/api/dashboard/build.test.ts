// Builds of the dashboard, which several processes may make at the same time.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildIfChanged } from '../../../api/dashboard/build.ts';
import { hashSources, stampName } from '../../../api/dashboard/sources.ts';

test('the first build stays, so that a process that serves it misses no file', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'fanfare-build-'));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(parent, { recursive: true }));
  const folder = join(parent, 'dashboard/');
  const readInode = async () => (await stat(join(folder, 'index.html'))).ino;
  const builds = [buildIfChanged({ folder }), buildIfChanged({ folder })];
  await Promise.any(builds);
  const inode = await readInode();
  await Promise.all(builds);
  await buildIfChanged({ folder });
  expect(await readInode()).toBe(inode);
  expect(await readFile(join(folder, stampName), 'utf8')).toBe(await hashSources());
}, 120_000);
