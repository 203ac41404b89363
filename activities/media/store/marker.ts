// The marker in the folder of media, which ties the folder to the database.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseMediaUrl } from '../../../schema/config/media-url.ts';
import {
  findStoreId,
  insertStoreId,
  lockStore,
  setStoreMarked,
} from '../../../schema/database/media/store-id.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { markerName } from './file.ts';

/**
 * Marks the folder of the URL as the folder of this database. The first time, creates the folder. Throws if
 * the database has another folder, or the folder belongs to another database. A bucket has no marker.
 */
export async function prepareMediaFolder(db: Db, url: string): Promise<void> {
  const folder = folderOf(url);
  if (folder === undefined) return;
  // The ID is committed before the marker is written, so that no folder has an ID unknown to the database.
  await db.transaction().execute(async (trx) => {
    if (await lockStore(trx)) return;
    if (await readMarker(folder)) throw new Error(describeForeign(folder));
    await insertStoreId(trx, randomUUID());
  });
  await db.transaction().execute(async (trx) => {
    const { store_id, is_marked } = (await lockStore(trx))!;
    // Once the store is marked, a missing marker means that another folder is mounted.
    if (!is_marked && !(await readMarker(folder))) await writeMarker(folder, store_id);
    await compare(folder, store_id);
    if (!is_marked) await setStoreMarked(trx);
  });
}

function describeForeign(folder: string): string {
  return [
    `The media folder ${folder} belongs to another database.`,
    `Use a new folder in FANFARE_MEDIA_URL, or connect to the database that used this one.`,
    `To give this folder to a new database, delete everything in it, ${markerName} too.`,
  ].join('\n');
}

/** Throws if the URL doesn't name the folder that `prepareMediaFolder` has marked. */
export async function checkMediaFolder(db: Db, url: string): Promise<void> {
  const folder = folderOf(url);
  if (folder === undefined) return;
  const expected = await findStoreId(db);
  if (expected === undefined) {
    throw new Error(
      `The media folder ${folder} is not prepared. Run the command \`migrate\` with the same FANFARE_MEDIA_URL.`,
    );
  }
  await compare(folder, expected);
}

async function compare(folder: string, expected: string): Promise<void> {
  const found = await readMarker(folder);
  if (found === expected) return;
  const marker = join(folder, markerName);
  throw new Error(
    [
      found === undefined
        ? `The media folder ${folder} is not the one that this database uses: it has no file ${markerName}.`
        : `The media folder ${folder} belongs to another database: its file ${markerName} has another ID.`,
      'Mount or restore the folder of this database, or correct FANFARE_MEDIA_URL. Every machine needs the same folder.',
      `If the media are in this folder, or are lost, write ${expected} to ${marker}.`,
    ].join('\n'),
  );
}

function folderOf(url: string): string | undefined {
  const location = parseMediaUrl(url);
  return typeof location !== 'string' && location.kind === 'file' ? location.folder : undefined;
}

/** Undefined or empty: a killed start may have created the file without its text. */
async function readMarker(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, markerName), 'utf8')).trim();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`The media folder ${folder} can't be read.`, { cause });
  }
}

async function writeMarker(folder: string, storeId: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await using file = await open(join(folder, markerName), 'w');
    await file.writeFile(`${storeId}\n`);
    await file.sync();
  } catch (cause) {
    throw new Error(`The media folder ${folder} can't be written.`, { cause });
  }
}
