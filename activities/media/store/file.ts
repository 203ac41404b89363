// The store of media in a folder: each object is a file.
import { access, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreError, type MediaStore } from './store.ts';

/** File in the folder of a store. Only the mounted folder has it. */
export const markerName = '.fanfare-store';

/**
 * Small, so that a slow reader holds little. Node also frees small buffers earlier, because more objects come
 * with them: with 64 KiB, a worker that sent a large file grew by 80 MB.
 */
const readBytes = 16_384;

export function openFileStore(folder: string): MediaStore {
  const pathOf = (key: string) => join(folder, key);
  return {
    put: (key, bytes) => writeWhole(folder, pathOf(key), bytes).catch(fail),

    read: (key, range) => read(pathOf(key), range),

    async remove(keys) {
      for (const key of keys) await rm(pathOf(key), { force: true }).catch(fail);
    },

    removeFolder: (name) => rm(pathOf(name), { recursive: true, force: true }).catch(fail),
  };
}

/** A crash may leave a partial file. Nothing refers to such a file, since each key is written only once. */
async function writeWhole(store: string, path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  const isNew = await access(folder).then(
    () => false,
    () => true,
  );
  if (isNew) {
    // Without its marker, the store is not mounted, so bytes would go to the mount point.
    await access(join(store, markerName));
    // Another writer of the same media may create the folder meanwhile.
    await mkdir(folder, { recursive: true });
  }
  try {
    await using file = await open(path, 'w');
    for (let at = 0; at < bytes.byteLength;) at += (await file.write(bytes, at)).bytesWritten;
    await file.sync();
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
  await sync(folder);
  if (isNew) await sync(store);
}

/** The name of a new file survives a crash once its folder is synchronized. */
async function sync(folder: string): Promise<void> {
  // Windows can't open folders, and writes names to disk at once.
  if (process.platform === 'win32') return;
  await using handle = await open(folder);
  await handle.sync();
}

async function* read(
  path: string,
  { start, end }: { start: number; end: number } = { start: 0, end: Infinity },
): AsyncGenerator<Uint8Array> {
  try {
    await using file = await open(path);
    for (let at = start; at <= end;) {
      const length = Math.min(readBytes, end - at + 1);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    fail(error);
  }
}

/** Throws the error of the file system as a `StoreError`. */
function fail(cause: unknown): never {
  const { code } = cause as NodeJS.ErrnoException;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  throw isFull
    ? new StoreError('full', 'The media store is full.', { cause })
    : new StoreError('unavailable', 'The media store is not available.', { cause });
}
