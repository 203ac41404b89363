// Creates and upgrades the tables, and checks whether this version of Fanfare can work on them.
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { version } from '../version.ts';
import type { Db } from './tables.ts';
import { migrations, type Migrations } from './migrations/index.ts';

/** A version of Fanfare, with the migrations that it knows. */
export interface Release {
  version: string;
  migrations: Migrations;
}

const thisRelease: Release = { version, migrations };

/**
 * Runs the missing migrations, in one process at a time, and returns their names. Runs none if a newer version has
 * migrated the tables. Throws if this version can't work on them.
 */
export async function migrate(db: Db, release = thisRelease): Promise<string[]> {
  if ((await isNewer(db, release)) && (await haveAllRun(db, release))) return [];
  const ran: string[] = [];
  // Each in a transaction of its own, so that it locks only the tables that it changes.
  for (;;) {
    const { error, results } = await migrator(db, release).migrateUp();
    if (error) throw new Error('The database could not be migrated.', { cause: error });
    const [result] = results ?? [];
    if (!result) return ran;
    ran.push(result.migrationName);
  }
}

/** Whether this version can work on the tables. Throws if only other versions can. */
export async function isMigrated(db: Db, release = thisRelease): Promise<boolean> {
  await isNewer(db, release);
  return haveAllRun(db, release);
}

async function haveAllRun(db: Db, release: Release): Promise<boolean> {
  const all = await migrator(db, release).getMigrations();
  return all.every((migration) => migration.executedAt !== undefined);
}

function migrator(db: Db, release: Release): Migrator {
  const known = Object.entries(release.migrations).map(([name, migration]) => [
    name,
    recorded(name, migration),
  ]);
  const getMigrations = () =>
    Promise.resolve(Object.fromEntries(known) as Record<string, Migration>);
  return new Migrator({ db, provider: { getMigrations } });
}

/** A migration that tells older versions in the database whether they work on its tables. */
function recorded(name: string, { up, oldestVersion }: Migrations[string]): Migration {
  if (oldestVersion === undefined) return { up };
  return {
    async up(db: Kysely<unknown>) {
      await up(db);
      await sql`insert into migration_versions (name, oldest_version)
        values (${name}, ${oldestVersion})`.execute(db);
    },
  };
}

/**
 * Whether a newer version has migrated the tables. This version works on them if each migration that it doesn't know
 * names it, or a version before it, as the oldest.
 */
async function isNewer(db: Db, { version: own, migrations: known }: Release): Promise<boolean> {
  const unknown = await listUnknown(db, Object.keys(known));
  for (const { name, oldest_version } of unknown) {
    const has = `The database has the migration "${name}"`;
    if (oldest_version === null) {
      throw new Error(
        `${has}, which this version of Fanfare doesn't know. ` +
          'Use a new database or data directory, or run the version that created this one.',
      );
    }
    if (isBefore(own, oldest_version)) {
      throw new Error(
        `${has}, after which only Fanfare ${oldest_version} and later work on it. This is Fanfare ${own}.`,
      );
    }
  }
  return unknown.length > 0;
}

interface UnknownMigration {
  name: string;
  oldest_version: string | null;
}

async function listUnknown(db: Db, known: string[]): Promise<UnknownMigration[]> {
  const { rows: tables } = await sql<{ ran: string | null; versions: string | null }>`
    select to_regclass('kysely_migration')::text as ran,
      to_regclass('migration_versions')::text as versions`.execute(db);
  if (!tables[0]!.ran) return [];
  const oldest = tables[0]!.versions
    ? sql`(select oldest_version from migration_versions v where v.name = ran.name)`
    : sql`null`;
  const { rows } = await sql<UnknownMigration>`
    select name, ${oldest} as oldest_version from kysely_migration ran
    where name <> all (${known}::text[]) order by name`.execute(db);
  return rows;
}

/** Compares the major and the minor version. */
function isBefore(own: string, other: string): boolean {
  const [[major = 0, minor = 0], [otherMajor = 0, otherMinor = 0]] = [own, other].map((text) =>
    text.split('.').map(Number),
  ) as [number[], number[]];
  return major === otherMajor ? minor < otherMinor : major < otherMajor;
}
