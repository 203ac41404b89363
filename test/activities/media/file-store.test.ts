// The store of media in a folder: ranges, crashes, a full disk and a missing folder.
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { openStore } from '../../../activities/media/store/open.ts';
import { createMarkedFolder } from '../../support/media/marked-folder.ts';
import { anyKey, readAll, testStore } from '../../support/media/store-cases.ts';

const folder = createMarkedFolder('fanfare-store-');
afterAll(() => rm(folder, { recursive: true }));
const store = await openStore(pathToFileURL(folder).href);

const mountSmall = 'mount -t tmpfs -o size=3500k none "$1" && exec "$2" "$3" "$1"';

/** Whether a process of this user can mount a small file system that only it sees. */
function canMount(): boolean {
  try {
    const script = 'mount -t tmpfs -o size=1m none "$1"';
    execFileSync('unshare', ['-rm', 'sh', '-c', script, 'sh', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('a store in a folder', () => {
  testStore(() => store);

  test('holds nothing but its objects after a write', async () => {
    const key = anyKey();
    await store.put(key, Buffer.from('x'));
    expect(await readdir(join(folder, key.split('/')[0]!))).toEqual([key.split('/')[1]]);
  });

  test('reads in parts of 16 KiB, which Node frees early', async () => {
    const key = anyKey();
    await store.put(key, Buffer.alloc(100_000));
    const sizes: number[] = [];
    for await (const { byteLength } of store.read(key)) sizes.push(byteLength);
    expect(sizes).toEqual([...Array.from({ length: 6 }, () => 16_384), 1_696]);
  });

  test('leaves no part of an object that could not be written', async () => {
    const key = anyKey();
    await mkdir(join(folder, key, 'taken'), { recursive: true });
    await expect(store.put(key, Buffer.from('x'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(await readdir(join(folder, key.split('/')[0]!))).toEqual([key.split('/')[1]]);
  });

  test('writes nothing if its folder is missing', async () => {
    const missing = join(folder, 'not-mounted');
    const lost = await openStore(pathToFileURL(missing).href);
    await expect(lost.put(anyKey(), Buffer.from('x'))).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(await readdir(folder)).not.toContain('not-mounted');
    await expect(readAll(lost.read(anyKey()))).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('writes nothing to the mount point of an unmounted folder', async () => {
    const mounted = createMarkedFolder('fanfare-mounted-');
    const disk = `${mounted}-disk`;
    const away = await openStore(pathToFileURL(mounted).href);
    const [first, second] = [anyKey(), anyKey()];
    await away.put(first, Buffer.from('first'));
    await rename(mounted, disk);
    await mkdir(mounted);
    for (const key of [second, first]) {
      const put = away.put(key, Buffer.from('x'));
      await expect(put).rejects.toMatchObject({ code: 'unavailable' });
    }
    expect(await readdir(mounted)).toEqual([]);
    await rm(mounted, { recursive: true });
    await rename(disk, mounted);
    await away.put(second, Buffer.from('second'));
    expect(String(await readAll(away.read(first)))).toBe('first');
    expect(String(await readAll(away.read(second)))).toBe('second');
    await rm(mounted, { recursive: true });
  });

  test.skipIf(!canMount())('reports a full disk, and leaves no part of an object', async () => {
    const disk = join(folder, 'disk');
    await mkdir(disk);
    const script = join(import.meta.dirname, '../../support/media/fill-store.ts');
    const command = [mountSmall, 'sh', disk, process.execPath, script];
    const { stdout } = await promisify(execFile)('unshare', ['-rm', 'sh', '-c', ...command]);
    expect(JSON.parse(stdout)).toEqual({ code: 'full', stored: 3, files: 3 });
  });
});
