// Migrations: they run once, even when several processes start together, and never change once a version has them. A
// version works on the tables of a newer one as far as the newer one says so.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../../schema/database/connect.ts';
import { isMigrated, migrate, type Release } from '../../../schema/database/migrate.ts';
import { migrations } from '../../../schema/database/migrations/index.ts';
import { createTestDatabase, useDatabase } from '../../support/rows/database.ts';

const database = useDatabase({ isEmpty: true });

/** The migrations that versions have, each with the hash of its file. */
const closed = {
  '0001-initial': '3a15c5bb2f06fb952c5145642ee3b401de4de4cc9d38be424c112d53a58855a4',
};

test('no migration of a version has changed', () => {
  for (const [name, hash] of Object.entries(closed)) {
    const file = new URL(`../../../schema/database/migrations/${name}.ts`, import.meta.url);
    const actual = createHash('sha256').update(readFileSync(file)).digest('hex');
    expect(actual, `Undo the change of ${name}, and add a migration of its own.`).toBe(hash);
  }
});

/** The next version, which adds to the tables. */
const later: Release = {
  version: '0.3.0',
  migrations: {
    ...migrations,
    '0002-later': {
      up: (db) => sql`alter table posts add column later text`.execute(db).then(() => undefined),
      oldestVersion: '0.2',
    },
  },
};

describe('migrate', () => {
  test('runs every migration once when three processes start together', async () => {
    expect(await isMigrated(database.db)).toBe(false);
    const processes = [1, 2, 3].map((n) =>
      connectDatabase({ url: database.url, maxConnections: 1, applicationName: `start ${n}` }),
    );
    const ran = await Promise.all(processes.map(({ db }) => migrate(db)));
    await Promise.all(processes.map((process) => process.close()));
    expect(ran.flat().sort()).toEqual(Object.keys(migrations));
    expect(await isMigrated(database.db)).toBe(true);
    expect(await migrate(database.db)).toEqual([]);
  });

  test('refuses tables that another version created', async () => {
    const other = await createTestDatabase();
    try {
      await sql`update kysely_migration set name = '0001-initial'`.execute(other.db);
      const refusal = /migration "0001-initial".*new database or data directory/;
      await expect(migrate(other.db)).rejects.toThrow(refusal);
      await expect(isMigrated(other.db)).rejects.toThrow(refusal);
    } finally {
      await other.drop();
    }
  });

  test('writes down which versions work on the tables, with the migration', async () => {
    await using other = await createTestDatabase();
    expect(await migrate(other.db, later)).toEqual(['0002-later']);
    const { rows } = await sql`select * from migration_versions`.execute(other.db);
    expect(rows).toEqual([{ name: '0002-later', oldest_version: '0.2' }]);
    expect(await migrate(other.db, later)).toEqual([]);
  });

  test('does nothing, and is migrated, after a newer version that supports this one', async () => {
    await using other = await createTestDatabase();
    await migrate(other.db, later);
    for (const version of ['0.2.0', '0.2.17', '0.11.0', '1.0.0']) {
      expect(await migrate(other.db, { version, migrations })).toEqual([]);
      expect(await isMigrated(other.db, { version, migrations })).toBe(true);
    }
  });

  test('refuses tables of a newer version that no longer supports this one', async () => {
    await using other = await createTestDatabase();
    const removal = { up: () => Promise.resolve(), oldestVersion: '0.3' };
    const third = { ...later.migrations, '0003-removal': removal };
    await migrate(other.db, { version: '0.4.0', migrations: third });
    const old = { version: '0.2.5', migrations };
    const refusal =
      'The database has the migration "0003-removal", after which only Fanfare 0.3 and later work on it. This is Fanfare 0.2.5.';
    await expect(migrate(other.db, old)).rejects.toThrow(refusal);
    await expect(isMigrated(other.db, old)).rejects.toThrow(refusal);
    expect(await isMigrated(other.db, { ...later, version: '0.3.0' })).toBe(true);
  });

  test('refuses a newer version beside a migration of its own that has not run', async () => {
    await using other = await createTestDatabase();
    await migrate(other.db, later);
    const own = { '0003-own': { up: () => Promise.resolve(), oldestVersion: '0.2' } };
    const release = { version: '0.3.0', migrations: { ...migrations, ...own } };
    expect(await isMigrated(other.db, release)).toBe(false);
    await expect(migrate(other.db, release)).rejects.toThrow('could not be migrated');
  });

  test('keeps text as UTF-8 and sorts ids by their bytes', async () => {
    const encoding = await sql<{ server_encoding: string }>`show server_encoding`.execute(
      database.db,
    );
    expect(encoding.rows).toEqual([{ server_encoding: 'UTF8' }]);
    const columns = await sql<{ table_name: string }>`
      select table_name from information_schema.columns
      where table_schema = 'public' and column_name = 'id' and data_type = 'text'
        and table_name not like 'sandbox%' and collation_name is distinct from 'C'`.execute(
      database.db,
    );
    expect(columns.rows).toEqual([]);
  });
});
