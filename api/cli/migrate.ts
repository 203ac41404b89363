// The command `migrate`, which `start` runs too. Migrates the tables, and prepares the folder of media.
import { prepareMediaFolder } from '../../activities/media/store/marker.ts';
import { connectDatabase } from '../../schema/database/connect.ts';
import { migrate } from '../../schema/database/migrate.ts';
import type { Config } from '../../schema/config/config.ts';
import type { Db } from '../../schema/database/tables.ts';
import type { Answer } from './output/answer.ts';
import { awaitDatabase } from './await-backend.ts';

export async function runMigrate(
  { databaseUrl, media }: Config,
  note: (line: string) => void,
): Promise<Answer> {
  if (databaseUrl === undefined) throw new Error('This command needs DATABASE_URL.');
  await awaitDatabase(databaseUrl, { report: note, signal: new AbortController().signal });
  const ran = await migrateDatabase(databaseUrl, media.url);
  const text = ran.length > 0 ? `Migrated: ${ran.join(', ')}.` : 'Nothing to migrate.';
  return { text, data: { migrated: ran } };
}

/** Also prepares the folder of media, if there is one. */
export function migrateDatabase(url: string, mediaUrl: string | undefined): Promise<string[]> {
  return withDatabase(url, async (db) => {
    const ran = await migrate(db);
    if (mediaUrl !== undefined) await prepareMediaFolder(db, mediaUrl);
    return ran;
  });
}

/** Runs `work` on a connection of its own, without a time limit. */
export async function withDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const connection = connectDatabase({
    url,
    maxConnections: 2,
    applicationName: 'fanfare start',
    transactionTimeoutS: 0,
  });
  try {
    return await work(connection.db);
  } finally {
    await connection.close();
  }
}
