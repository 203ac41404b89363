// The store of media in a bucket, at a real service: VersityGW.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openStore } from '../../activities/media/store/open.ts';
import type { MediaStore } from '../../activities/media/store/store.ts';
import { anyKey, readAll, testStore } from '../support/media/store-cases.ts';
import { credentials, startVersityGateway } from '../support/media/versitygw.ts';

// Before the tests are collected, so that a machine that can't have it skips them by name.
const started = await startVersityGateway();
if ('skipped' in started) console.warn(`No VersityGW here: ${started.skipped}`);
const gateway = 'skipped' in started ? undefined : started;
afterAll(() => gateway?.stop());

describe.skipIf(!gateway)('a store in a bucket', () => {
  let store: MediaStore;
  beforeAll(async () => {
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    store = await openStore(gateway!.storeUrl);
  });
  afterAll(() => void vi.unstubAllEnvs());

  testStore(() => store);

  test('does not mix prefixes', async () => {
    const other = await openStore(gateway!.storeUrl.replace('/prefix', '/other'));
    const key = anyKey();
    await store.put(key, Buffer.from('x'));
    await expect(readAll(other.read(key))).rejects.toMatchObject({ code: 'unavailable' });
    await other.removeFolder(key.split('/')[0]!);
    expect(String(await readAll(store.read(key)))).toBe('x');
  });

  test('reports a missing bucket, and a missing service', async () => {
    const missing = await openStore(gateway!.storeUrl.replace('//media', '//missing'));
    const gone = await openStore(gateway!.storeUrl.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1'));
    for (const lost of [missing, gone]) {
      const unavailable = { name: 'StoreError', code: 'unavailable' };
      await expect(lost.put(anyKey(), Buffer.from('x'))).rejects.toMatchObject(unavailable);
      await expect(readAll(lost.read(anyKey()))).rejects.toMatchObject(unavailable);
      await expect(lost.removeFolder('med_1')).rejects.toMatchObject(unavailable);
    }
  });
});
