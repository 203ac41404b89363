// A database of its own for each test file: a clone of the migrated template, dropped after.
import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { connectDatabase } from '../../../schema/database/connect.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { forFile } from '../fixtures.ts';
import { runAsAdmin, withDatabase } from '../app/admin.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  readonly name: string;
  readonly db: Db;
  drop(): Promise<void>;
}

/** `isEmpty`: without the tables, to migrate it in the test. */
export function createTestDatabase(options: { isEmpty?: boolean } = {}): Promise<TestDatabase> {
  return cloneDatabase(options.isEmpty ? 'template1' : inject('templateDatabase'));
}

/** A database of the file's own. */
export const useDatabase = (options?: { isEmpty?: boolean }) =>
  forFile(() => createTestDatabase(options));

/**
 * Copies the database, as if a backup were restored beside the original. Ends every connection to the
 * original.
 */
export async function copyTestDatabase(database: TestDatabase): Promise<TestDatabase> {
  await disconnectAll(database);
  return cloneDatabase(database.name);
}

export function disconnectAll({ name }: TestDatabase): Promise<void> {
  return runAsAdmin(
    inject('adminDatabaseUrl'),
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  );
}

/** Applies only to connections that are made later. */
export function setReadOnly({ name }: TestDatabase, value: 'on' | 'off'): Promise<void> {
  return runAsAdmin(
    inject('adminDatabaseUrl'),
    `alter database ${name} set default_transaction_read_only = ${value}`,
  );
}

async function cloneDatabase(template: string): Promise<TestDatabase> {
  const adminUrl = inject('adminDatabaseUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await runAsAdmin(adminUrl, `create database ${name} template ${template} strategy file_copy`);
  const url = withDatabase(adminUrl, name);
  const connection = connectDatabase({ url, maxConnections: 5, applicationName: 'test' });

  async function drop(): Promise<void> {
    await connection.close();
    await runAsAdmin(adminUrl, `drop database if exists ${name} with (force)`);
  }
  return { url, name, db: connection.db, drop, [Symbol.asyncDispose]: drop };
}
