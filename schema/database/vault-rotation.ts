// Seals values of older keys again with the key that seals new ones, while the program runs.
import { sql } from 'kysely';
import { sealedColumns, type SealedColumn } from './sealed-columns.ts';
import type { Db } from './tables.ts';
import { tryOpen, type Vault } from './vault.ts';

interface SealedRow {
  /** Primary key of the row, as text. */
  key: string[];
  ciphertext: Buffer;
  keyId: string;
  context: string;
}

export interface Rotated {
  table: string;
  column: string;
  resealed: number;
  /** Values that no key of the vault opens. They stay as they are. */
  unopened: number;
}

const groupSize = 200;

/** Reports its progress after each group. After an interruption, another call continues. */
export async function* rotateVault(db: Db, vault: Vault): AsyncGenerator<Rotated> {
  for (const column of sealedColumns) {
    const rotated = { table: column.table, column: column.column, resealed: 0, unopened: 0 };
    let after: string[] | undefined;
    do {
      const rows = await listOlder(db, vault, column, after);
      for (const row of rows) {
        const ending = await reseal(db, vault, column, row);
        if (ending !== 'changed') rotated[ending]++;
      }
      if (rows.length > 0) yield { ...rotated };
      after = rows.length === groupSize ? rows.at(-1)!.key : undefined;
    } while (after);
  }
}

/** How many values each key seals. Counts every row, which takes long in a large database. */
export async function countSealed(db: Db): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const { table, keyColumn } of sealedColumns) {
    const { rows } = await sql<{ id: string; count: number }>`
      select ${sql.ref(keyColumn)} as id, count(*)::float8 as count from ${sql.table(table)}
      where ${sql.ref(keyColumn)} is not null group by 1`.execute(db);
    for (const { id, count } of rows) counts.set(id, (counts.get(id) ?? 0) + count);
  }
  return counts;
}

/** The next values that other keys have sealed, in the order of the primary key. */
async function listOlder(
  db: Db,
  vault: Vault,
  { table, primaryKey, column, keyColumn, context }: SealedColumn,
  after: string[] | undefined,
): Promise<SealedRow[]> {
  const key = sql.join(primaryKey.map((name) => sql.ref(name)));
  const isNext = after ? sql`and (${key}) > (${sql.join(after)})` : sql``;
  const { rows } = await sql<SealedRow>`
    select array[${key}]::text[] as key, ${sql.ref(column)} as ciphertext,
      ${sql.ref(keyColumn)} as "keyId", ${sql.raw(context)} as context
    from ${sql.table(table)} where ${sql.ref(keyColumn)} <> ${vault.keyId} ${isNext}
    order by ${key} limit ${groupSize}`.execute(db);
  return rows;
}

/**
 * `changed`: another process has sealed a new value meanwhile. Each row is written by itself, so that no row
 * stays locked while another one is awaited.
 */
async function reseal(
  db: Db,
  vault: Vault,
  { table, primaryKey, column, keyColumn }: SealedColumn,
  { key, ciphertext, keyId, context }: SealedRow,
): Promise<'resealed' | 'unopened' | 'changed'> {
  const plaintext = tryOpen(vault, { ciphertext, keyId }, context);
  if (plaintext === undefined) return 'unopened';
  const sealed = vault.seal(plaintext, context);
  const isRow = sql.join(
    primaryKey.map((name, index) => sql`${sql.ref(name)} = ${key[index]}`),
    sql` and `,
  );
  const { numAffectedRows } = await sql`
    update ${sql.table(table)}
    set ${sql.ref(column)} = ${sealed.ciphertext}, ${sql.ref(keyColumn)} = ${sealed.keyId}
    where ${isRow} and ${sql.ref(keyColumn)} = ${keyId} and ${sql.ref(column)} = ${ciphertext}`.execute(
    db,
  );
  return numAffectedRows === 1n ? 'resealed' : 'changed';
}
