// The row types name every column of the migrated database, and no other.
import { wholeTables } from '../../../schema/database/prepared.ts';
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useDatabase } from '../../support/rows/database.ts';

const database = useDatabase();
const source = readFileSync(new URL('../../../schema/database/tables.ts', import.meta.url), 'utf8');

const bodyOf = (name: string) =>
  new RegExp(`^(?:export )?interface ${name} \\{\\n([^]*?)^\\}`, 'm').exec(source)![1]!;

/** Of `{ id: string; … }` or of an interface with this name. */
function columnsOf(type: string): string[] {
  const members = type.startsWith('{')
    ? type.matchAll(/[{;] (\w+): /g)
    : bodyOf(type).matchAll(/^ {2}(\w+): /gm);
  return [...members].map(([, column]) => column!);
}

test('tables.ts has the columns of the migrated database', async () => {
  const declared = [...bodyOf('Database').matchAll(/^ {2}(\w+): (.+);$/gm)].flatMap(
    ([, table, type]) => columnsOf(type!).map((column) => `${table}.${column}`),
  );
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and table_name not like 'kysely_%'`.execute(database.db);
  expect(declared.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  expect(declared.length).toBeGreaterThan(300);
});

test('prepared.ts names every column of its tables', async () => {
  for (const [table, columns] of Object.entries(wholeTables)) {
    const { rows } = await sql<{ name: string }>`
      select column_name as name from information_schema.columns
      where table_schema = 'public' and table_name = ${table}`.execute(database.db);
    expect(new Set<string>(columns), table).toEqual(new Set(rows.map(({ name }) => name)));
  }
});
