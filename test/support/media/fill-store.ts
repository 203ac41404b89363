// A process that fills a store in a folder until the store is full, and reports what is left there.
import { readdir } from 'node:fs/promises';
import { openFileStore } from '../../../activities/media/store/file.ts';
import { StoreError } from '../../../activities/media/store/store.ts';
import { markFolder } from './marked-folder.ts';

const folder = process.argv[2]!;
markFolder(folder);
const store = openFileStore(folder);
const part = Buffer.alloc(1_000_000, 7);
let stored = 0;
try {
  for (;;) {
    await store.put(`med_1/${stored}-aaaaaaaa`, part);
    stored++;
  }
} catch (error) {
  const code = error instanceof StoreError ? error.code : String(error);
  const files = await readdir(`${folder}/med_1`);
  await store.removeFolder('med_1');
  await store.put('med_2/0-aaaaaaaa', part);
  console.log(JSON.stringify({ code, stored, files: files.length }));
}
