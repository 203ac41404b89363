// Creates and upgrades the tables, and checks whether they are current.
import { sql } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { Db } from './tables.ts';
import { migrations } from './migrations/index.ts';

function migrator(db: Db): Migrator {
  return new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations) } });
}

/**
 * Runs the missing migrations, in one process at a time, and returns their names. Throws if another version
 * of Fanfare created the tables and this one can't upgrade them.
 */
export async function migrate(db: Db): Promise<string[]> {
  await refuseUnknownMigrations(db);
  const { error, results } = await migrator(db).migrateToLatest();
  if (error) throw new Error('The database could not be migrated.', { cause: error });
  return (results ?? []).map((result) => result.migrationName);
}

export async function isMigrated(db: Db): Promise<boolean> {
  await refuseUnknownMigrations(db);
  const all = await migrator(db).getMigrations();
  return all.every((migration) => migration.executedAt !== undefined);
}

async function refuseUnknownMigrations(db: Db): Promise<void> {
  const { rows: tables } = await sql<{ table: string | null }>`
    select to_regclass('kysely_migration')::text as table`.execute(db);
  if (!tables[0]?.table) return;
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  const unknown = rows.find(({ name }) => !(name in migrations));
  if (!unknown) return;
  throw new Error(
    `The database has the migration "${unknown.name}", which this version of Fanfare doesn't know. ` +
      'Use a new database or data directory, or run the version that created this one.',
  );
}
