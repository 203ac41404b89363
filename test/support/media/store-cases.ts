// What every store of media does, in a folder or in a bucket.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { StoreError, type MediaStore } from '../../../activities/media/store/store.ts';

export async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

export const anyKey = () => `med_${randomBytes(6).toString('hex')}/0-${'a'.repeat(8)}`;

export function testStore(store: () => MediaStore): void {
  test('reads back an object, whole and by range', async () => {
    const bytes = randomBytes(300_000);
    const key = anyKey();
    await store().put(key, bytes);
    expect(bytes.equals(await readAll(store().read(key)))).toBe(true);
    for (const [start, end] of [
      [0, 0],
      [5, 199_999],
      [299_999, 299_999],
    ] as const) {
      const range = await readAll(store().read(key, { start, end }));
      expect(range.equals(bytes.subarray(start, end + 1))).toBe(true);
    }
  });

  test('replaces an object', async () => {
    const key = anyKey();
    await store().put(key, randomBytes(100));
    await store().put(key, Buffer.from('second'));
    expect(String(await readAll(store().read(key)))).toBe('second');
  });

  test('reads in parts of at most 64 KiB, until it is canceled', async () => {
    const key = anyKey();
    await store().put(key, randomBytes(1_000_000));
    let read = 0;
    for await (const { byteLength } of store().read(key)) {
      expect(byteLength).toBeLessThanOrEqual(65_536);
      read += byteLength;
    }
    expect(read).toBe(1_000_000);
    const reader = store().read(key)[Symbol.asyncIterator]();
    expect((await reader.next()).done).toBe(false);
    await reader.return!();
    expect((await reader.next()).done).toBe(true);
  });

  test('fails to read an object that is not there', async () => {
    const error = await readAll(store().read(anyKey())).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code: 'unavailable' });
  });

  test('removes objects, and skips keys without one', async () => {
    const [kept, gone] = [anyKey(), anyKey()];
    await store().put(kept, Buffer.from('kept'));
    await store().put(gone, Buffer.from('gone'));
    await store().remove([gone, anyKey()]);
    await store().remove([]);
    await expect(readAll(store().read(gone))).rejects.toThrow(StoreError);
    expect(String(await readAll(store().read(kept)))).toBe('kept');
  });

  test('removes a folder with all its objects, and no other', async () => {
    const folder = anyKey().split('/')[0]!;
    const keys = Array.from({ length: 12 }, (_, i) => `${folder}/${i}-aaaaaaaa`);
    for (const key of keys) await store().put(key, Buffer.from('x'));
    const other = `${folder}x/0-aaaaaaaa`;
    await store().put(other, Buffer.from('other'));
    await store().removeFolder(folder);
    await store().removeFolder(folder);
    for (const key of keys) await expect(readAll(store().read(key))).rejects.toThrow(StoreError);
    expect(String(await readAll(store().read(other)))).toBe('other');
  });
}
