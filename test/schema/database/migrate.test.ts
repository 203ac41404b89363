// Migrations: they run once, even when several processes start together, and need UTF-8.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { connectDatabase } from '../../../schema/database/connect.ts';
import { isMigrated, migrate } from '../../../schema/database/migrate.ts';
import { migrations } from '../../../schema/database/migrations/index.ts';
import { createTestDatabase, useDatabase } from '../../support/rows/database.ts';

const database = useDatabase({ isEmpty: true });

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
