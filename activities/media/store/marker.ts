// The marker in the folder of media, which ties the folder to the database.
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseMediaUrl } from '../../../schema/config/media-url.ts';
import {
  findStoreId,
  insertStoreId,
  lockStoreId,
} from '../../../schema/database/media/store-id.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { markerName } from './file.ts';

/**
 * Marks the folder that the URL names as the one of this database, and creates it if this is the first
 * time. Throws if the database has another folder, or the folder another database. A bucket has no marker.
 */
export async function prepareMediaFolder(db: Db, url: string): Promise<void> {
  const folder = folderOf(url);
  if (folder === undefined) return;
  await db.transaction().execute(async (trx) => {
    const expected = await lockStoreId(trx);
    if (expected !== undefined) return compare(folder, expected);
    const found = await readMarker(folder);
    if (found !== undefined && !(await isEmpty(folder))) {
      throw new Error(
        [
          `The media folder ${folder} belongs to another database.`,
          `Use an empty folder in FANFARE_MEDIA_URL, or connect to the database that used this one.`,
          `To give this folder to a new database, delete everything in it.`,
        ].join('\n'),
      );
    }
    await insertStoreId(trx, await writeMarker(folder));
  });
}

/** Throws if the folder that the URL names is not the one that `prepareMediaFolder` has marked. */
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

async function readMarker(folder: string): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, markerName), 'utf8')).trim();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`The media folder ${folder} can't be read.`, { cause });
  }
}

/** A start that was killed may have left the marker of a folder that was not used. */
async function isEmpty(folder: string): Promise<boolean> {
  return (await readdir(folder)).every((name) => name === markerName);
}

async function writeMarker(folder: string): Promise<string> {
  const storeId = randomUUID();
  try {
    await mkdir(folder, { recursive: true });
    await using file = await open(join(folder, markerName), 'w');
    await file.writeFile(`${storeId}\n`);
    await file.sync();
  } catch (cause) {
    throw new Error(`The media folder ${folder} can't be written.`, { cause });
  }
  return storeId;
}
