// An installation's database as plain SQL, since Postgres's own `pg_dump` doesn't come with `npm ci`.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import type { Migrations } from '../../../schema/database/migrations/index.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { fixtures, type RecordedRelease } from './release.ts';

interface Column {
  table: string;
  name: string;
  type: string;
  is_identity: boolean;
}

/** The tables are those of the migrations in `folder`. */
export async function writeDump(db: Db, folder: string): Promise<string> {
  const columns = Map.groupBy(await listColumns(db), ({ table }) => table);
  const lines = ['set session_replication_role = replica;', ...(await writeTables(folder))];
  for (const [table, ofTable] of columns) {
    const rows = await writeRows(db, table, ofTable);
    if (rows.length > 0) lines.push('', `delete from ${table};`, ...rows);
    const identity = ofTable.find(({ is_identity }) => is_identity);
    if (identity) {
      const { name } = identity;
      lines.push(
        `select setval(pg_get_serial_sequence('${table}', '${name}'), max(${name})) from ${table};`,
      );
    }
  }
  return `${[...lines, '', 'reset session_replication_role;'].join('\n')}\n`;
}

/** The statements of the migrations, and Kysely's own tables. */
async function writeTables(folder: string): Promise<string[]> {
  const index = pathToFileURL(join(folder, 'schema/database/migrations/index.ts')).href;
  const { migrations } = (await import(index)) as { migrations: Migrations };
  const statements = [
    `create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)`,
    `create table kysely_migration_lock (id varchar(255) primary key, is_locked int not null default 0)`,
  ];
  const recorder = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void statements.push(query.sql),
  });
  for (const { up } of Object.values(migrations)) await up(recorder);
  return statements.map((statement) => `${statement};`);
}

async function listColumns(db: Db): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select table_name as table, column_name as name, data_type as type,
      is_identity = 'YES' as is_identity
    from information_schema.columns
    where table_schema = 'public' and is_generated = 'NEVER'
    order by table_name, ordinal_position`.execute(db);
  return rows;
}

async function writeRows(db: Db, table: string, columns: Column[]): Promise<string[]> {
  // Transaction IDs start over in a new cluster.
  const values = columns.map(({ name, type }) =>
    type === 'xid8' ? sql`quote_literal('3')` : sql`quote_nullable(${sql.ref(name)}::text)`,
  );
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const { rows } = await sql<{ values: string }>`
    select concat_ws(', ', ${sql.join(values)}) as values from ${sql.table(table)} order by 1`.execute(
    db,
  );
  return rows.map(
    ({ values }) => `insert into ${table} (${names}) overriding system value values (${values});`,
  );
}

/**
 * Restores the dump into an empty database, as if it had been made just now. `receiverUrl`: where the webhooks send
 * from then on.
 */
export async function restoreDump(
  db: Db,
  { recorded_at, receiver_url }: RecordedRelease,
  receiverUrl: string,
): Promise<void> {
  const text = await readFile(`${fixtures}database.sql`, 'utf8');
  await sql.raw(text).execute(db);
  const times = (await listColumns(db)).filter(({ type }) => type.startsWith('timestamp with'));
  await db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    for (const [table, columns] of Map.groupBy(times, ({ table }) => table)) {
      const moved = columns.map(
        ({ name }) =>
          sql`${sql.ref(name)} = ${sql.ref(name)} + (now() - ${recorded_at}::timestamptz)`,
      );
      await sql`update ${sql.table(table)} set ${sql.join(moved)}`.execute(trx);
    }
    await sql`update webhook_subscriptions set url = replace(url, ${receiver_url}, ${receiverUrl})`.execute(
      trx,
    );
    // The next `migrate` marks a folder of its own.
    await sql`update media_stores set is_marked = false`.execute(trx);
  });
}
