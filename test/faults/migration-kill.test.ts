// A migration that is killed in the middle leaves no table behind, and the next one runs as usual.
import { sql } from 'kysely';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import { isMigrated } from '../../schema/database/migrate.ts';
import { startProgram } from '../support/app/program.ts';
import { useDatabase } from '../support/rows/database.ts';

const database = useDatabase({ isEmpty: true });

const listTables = async () => {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables
    where schemaname = 'public' and tablename not like 'kysely%'`.execute(database.db);
  return rows.map(({ name }) => name);
};

/** The backend of the program that waits for the lock of another transaction. */
const findWaiting = async () => {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
  return rows[0]?.pid;
};

test('a migration killed in the middle leaves nothing half done', async () => {
  await using migrate = startProgram({
    command: ['migrate'],
    env: { DATABASE_URL: database.url },
  });
  // Not `connectDatabase`, whose connections don't wait long in a transaction.
  const other = new Client({ connectionString: database.url });
  await other.connect();
  try {
    // The migration makes many tables before this one, and waits here for the end of the transaction.
    await other.query('begin; create table sandbox_grants (id int)');
    await expect.poll(findWaiting, { timeout: 60_000, message: migrate.output() }).toBeDefined();
    await migrate.kill9();
    await other.query('rollback');
  } finally {
    await other.end();
  }
  await expect.poll(findWaiting).toBeUndefined();
  await expect.poll(listTables).toEqual([]);
  expect(await isMigrated(database.db)).toBe(false);

  await using again = startProgram({ command: ['migrate'], env: { DATABASE_URL: database.url } });
  expect(await again.exit).toEqual({ code: 0, signal: null });
  expect(again.output()).toContain('Migrated: 0001');
  expect(await isMigrated(database.db)).toBe(true);
}, 120_000);
