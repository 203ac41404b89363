// Checks at startup that the vault can open the sealed values in the database.
import { sql } from 'kysely';
import { countOf } from '../wire/count-of.ts';
import { answers, indexedColumns } from './sealed-columns.ts';
import type { Db } from './tables.ts';
import { tryOpen, type Vault } from './vault.ts';

const oldestAnswers = 1_000;

const checkContext = 'vault_keys';

/**
 * Throws an error that lists the IDs of the keys in use that the vault can't open, and how many rows they seal.
 * Each key gets a check value before it first seals.
 */
export async function checkVault(db: Db, vault: Vault): Promise<void> {
  const failed: string[] = [];
  for (const keyId of await listKeyIds(db)) {
    if (!(await isOpened(db, vault, keyId))) failed.push(keyId);
  }
  if (failed.length === 0) {
    const keyId = await insertCheckValue(db, vault);
    if (!(await isOpened(db, vault, keyId))) failed.push(keyId);
  }
  if (failed.length === 0) return;
  const lines = await Promise.all(failed.map((keyId) => describeFailure(db, vault, keyId)));
  throw new Error(
    [
      ...lines,
      'Restore the key in FANFARE_VAULT_KEYS, or in the file `vault-keys` of the data directory.',
      'Give each new key a new ID.',
    ].join('\n'),
  );
}

async function listKeyIds(db: Db): Promise<Set<string>> {
  const found = new Set<string>();
  for (const { table, keyColumn } of indexedColumns) {
    for (let last = ''; ;) {
      const { rows } = await sql<{ id: string }>`
        select ${sql.ref(keyColumn)} as id from ${sql.table(table)}
        where ${sql.ref(keyColumn)} > ${last} order by 1 limit 1`.execute(db);
      const next = rows[0]?.id;
      if (next === undefined) break;
      found.add(next);
      last = next;
    }
  }
  const { rows } = await sql<{ id: string }>`
    select distinct answer_key_id as id from (
      select answer_key_id from idempotency_keys order by created_at limit ${oldestAnswers}
    ) oldest where answer_key_id is not null`.execute(db);
  return found.union(new Set(rows.map(({ id }) => id)));
}

/** The IDs of all keys that ever sealed new values. */
export async function listKnownKeys(db: Db): Promise<Set<string>> {
  const rows = await db.selectFrom('vault_keys').select('id').execute();
  return new Set(rows.map(({ id }) => id));
}

/** Returns the id of the key that seals new values. */
async function insertCheckValue(db: Db, vault: Vault): Promise<string> {
  const { keyId, ciphertext } = vault.seal('', checkContext);
  await db
    .insertInto('vault_keys')
    .values({ id: keyId, check_value: ciphertext })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return keyId;
}

/** Tests the key with its check value, or with one sealed row if it has none. */
async function isOpened(db: Db, vault: Vault, keyId: string): Promise<boolean> {
  const check = await db
    .selectFrom('vault_keys')
    .select('check_value')
    .where('id', '=', keyId)
    .executeTakeFirst();
  if (check) {
    return tryOpen(vault, { ciphertext: check.check_value, keyId }, checkContext) !== undefined;
  }
  for (const { table, column, keyColumn, context } of [...indexedColumns, answers]) {
    const { rows } = await sql<{ ciphertext: Buffer; context: string }>`
      select ${sql.ref(column)} as ciphertext, ${sql.raw(context)} as context
      from ${sql.table(table)} where ${sql.ref(keyColumn)} = ${keyId} limit 1`.execute(db);
    const [row] = rows;
    if (row)
      return tryOpen(vault, { ciphertext: row.ciphertext, keyId }, row.context) !== undefined;
  }
  return true;
}

async function describeFailure(db: Db, vault: Vault, keyId: string): Promise<string> {
  let count = 0;
  for (const { table, keyColumn } of [...indexedColumns, answers]) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table)}
      where ${sql.ref(keyColumn)} = ${keyId}`.execute(db);
    count += rows[0]!.count;
  }
  const sealed = `which seals ${countOf(count, 'row')}`;
  return vault.hasKey(keyId)
    ? `The key "${keyId}" in the vault is not the "${keyId}" of the database, ${sealed}.`
    : `The vault has no key "${keyId}", ${sealed}.`;
}
