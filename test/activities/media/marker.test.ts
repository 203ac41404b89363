// The marker that ties the folder of media to its database.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { checkMediaFolder, prepareMediaFolder } from '../../../activities/media/store/marker.ts';
import { copyTestDatabase, createTestDatabase, useDatabase } from '../../support/rows/database.ts';

const parent = await mkdtemp(join(tmpdir(), 'fanfare-marker-'));
afterAll(() => rm(parent, { recursive: true }));
const database = useDatabase();
let folder: string;
let number = 0;
beforeEach(async () => {
  await database.db.deleteFrom('media_stores').execute();
  folder = join(parent, String(++number), 'media');
});

const urlOf = (path: string) => pathToFileURL(path).href;
const prepare = (path = folder, { db } = database) => prepareMediaFolder(db, urlOf(path));
const check = (path = folder, { db } = database) => checkMediaFolder(db, urlOf(path));
const markerOf = (path: string) => join(path, '.fanfare-store');
const storeId = async () =>
  (await database.db.selectFrom('media_stores').select('store_id').executeTakeFirst())?.store_id;

test('a folder is created and marked once, and every later start finds it', async () => {
  await prepare();
  const marker = await readFile(markerOf(folder), 'utf8');
  expect(marker.trim()).toBe(await storeId());
  await prepare();
  await check();
  expect(await readFile(markerOf(folder), 'utf8')).toBe(marker);
});

test('one of many simultaneous first starts marks the folder', async () => {
  await Promise.all(Array.from({ length: 4 }, () => prepare()));
  expect((await readFile(markerOf(folder), 'utf8')).trim()).toBe(await storeId());
});

test('a folder that was not prepared is refused', async () => {
  await expect(check()).rejects.toThrow(
    `The media folder ${folder} is not prepared. Run the command \`migrate\` with the same FANFARE_MEDIA_URL.`,
  );
});

test('a second folder is refused, and the error says how to continue', async () => {
  await prepare();
  const other = join(parent, `other ${number}`);
  const id = await storeId();
  for (const start of [prepare, check]) {
    await expect(start(other)).rejects.toThrow(
      `The media folder ${other} is not the one that this database uses: it has no file .fanfare-store.`,
    );
    await expect(start(other)).rejects.toThrow(
      `If the media are in this folder, or are lost, write ${id} to ${markerOf(other)}.`,
    );
  }
  await mkdir(other);
  await writeFile(markerOf(other), id!);
  await check(other);
  await prepare(other);
});

test('the folder of another database is refused', async () => {
  await using second = await createTestDatabase();
  const other = join(parent, `second ${number}`);
  await prepare();
  await prepare(other, second);
  const message = `The media folder ${other} belongs to another database: its file .fanfare-store has another ID.`;
  await expect(check(other)).rejects.toThrow(message);
  await expect(prepare(other)).rejects.toThrow(message);
});

test('a new database refuses a folder that is in use, and changes nothing', async () => {
  await prepare();
  const before = await readFile(markerOf(folder), 'utf8');
  await mkdir(join(folder, 'med_1'));
  await using second = await createTestDatabase();
  await expect(prepare(folder, second)).rejects.toThrow(
    `The media folder ${folder} belongs to another database.`,
  );
  expect(await readFile(markerOf(folder), 'utf8')).toBe(before);
  await check();
});

test('a new database refuses an empty folder that another database has marked', async () => {
  await prepare();
  const before = await readFile(markerOf(folder), 'utf8');
  await using second = await createTestDatabase();
  await expect(prepare(folder, second)).rejects.toThrow(
    `The media folder ${folder} belongs to another database.`,
  );
  expect(await readFile(markerOf(folder), 'utf8')).toBe(before);
  await check();
});

test.each(['no marker', 'an empty marker'])(
  'a first start that was killed after its commit, with %s, is completed by the next one',
  async (left) => {
    const store_id = randomUUID();
    await database.db.insertInto('media_stores').values({ store_id }).execute();
    await mkdir(folder, { recursive: true });
    if (left === 'an empty marker') await writeFile(markerOf(folder), '');
    await expect(check()).rejects.toThrow(`The media folder ${folder}`);
    await prepare();
    expect((await readFile(markerOf(folder), 'utf8')).trim()).toBe(store_id);
    await check();
  },
);

test('a first start that was killed after its commit does not take the folder of another database', async () => {
  await using second = await createTestDatabase();
  await prepare(folder, second);
  await database.db.insertInto('media_stores').values({ store_id: randomUUID() }).execute();
  await expect(prepare()).rejects.toThrow(
    `The media folder ${folder} belongs to another database: its file .fanfare-store has another ID.`,
  );
  await check(folder, second);
});

test('a marked folder that has lost its marker is not marked again', async () => {
  await prepare();
  await rm(markerOf(folder));
  await expect(prepare()).rejects.toThrow('it has no file .fanfare-store.');
});

test('a restored database accepts its folder', async () => {
  await prepare();
  await mkdir(join(folder, 'med_1'));
  await using restored = await copyTestDatabase(database);
  await check(folder, restored);
  await prepare(folder, restored);
});

test('a first start that was killed before its commit leaves nothing that blocks the next start', async () => {
  await mkdir(folder, { recursive: true });
  await writeFile(markerOf(folder), '');
  await prepare();
  await check();
});

test('the error names a folder that cannot be written', async () => {
  await mkdir(join(folder, '..'), { recursive: true });
  await writeFile(folder, 'a file');
  await expect(prepare()).rejects.toThrow(`The media folder ${folder} can't be`);
  expect(await storeId()).toBeUndefined();
});

test('a bucket has no marker', async () => {
  await prepareMediaFolder(database.db, 's3://media?region=us-east-1');
  await checkMediaFolder(database.db, 's3://media?region=us-east-1');
  expect(await storeId()).toBeUndefined();
});
