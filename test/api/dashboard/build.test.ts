// Builds of the dashboard, which several processes may make at the same time.
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildIfChanged } from '../../../api/dashboard/build.ts';
import { hashSources, stampName } from '../../../api/dashboard/sources.ts';

test.each(['no', 'an outdated'])(
  'two builds at once, after %s build, leave one',
  async (last) => {
    const parent = await mkdtemp(join(tmpdir(), 'fanfare-build-'));
    await using cleanup = new AsyncDisposableStack();
    cleanup.defer(() => rm(parent, { recursive: true }));
    const folder = join(parent, 'dashboard/');
    const readInode = async () => (await stat(join(folder, 'index.html'))).ino;
    if (last !== 'no') {
      await mkdir(folder);
      await writeFile(join(folder, stampName), 'other sources');
    }
    await Promise.all([buildIfChanged({ folder }), buildIfChanged({ folder })]);
    expect(await readdir(parent)).toEqual(['dashboard']);
    const inode = await readInode();
    // A process that serves it misses no file.
    await buildIfChanged({ folder });
    expect(await readInode()).toBe(inode);
    expect(await readFile(join(folder, stampName), 'utf8')).toBe(await hashSources());
  },
  120_000,
);
