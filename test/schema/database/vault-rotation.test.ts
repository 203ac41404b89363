// Values of older keys are sealed again while other processes write: nothing is lost, nothing is overwritten.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { putApp } from '../../../schema/database/accounts/apps.ts';
import { sealProgress } from '../../../schema/database/accounts/checks.ts';
import { openCredentials, sealCredentials } from '../../../schema/database/accounts/grants.ts';
import { sealState } from '../../../schema/database/posts/provider-state.ts';
import { sealedColumns } from '../../../schema/database/sealed-columns.ts';
import { createVault, type Vault } from '../../../schema/database/vault.ts';
import { countSealed, rotateVault, type Rotated } from '../../../schema/database/vault-rotation.ts';
import { sealWebhookSecret } from '../../../schema/database/webhooks/secrets.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { addCheck } from '../../support/rows/checks.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addGrant } from '../../support/rows/grants.ts';
import { addAccount, addPost, addProject, addWebhook } from '../../support/rows/rows.ts';

const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const older = createVault(new Map([['old', oldKey]]), 'old');
const newer = createVault(
  new Map([
    ['new', newKey],
    ['old', oldKey],
  ]),
  'new',
);
const newOnly = createVault(new Map([['new', newKey]]), 'new');

const database = useDatabase();
let projectId: string;

beforeEach(async () => {
  await sql`truncate projects, idempotency_keys cascade`.execute(database.db);
  projectId = await addProject(database.db);
});

/** Returns the last progress of each column. */
async function rotate(vault = newer) {
  const ends = new Map<string, Rotated>();
  for await (const each of rotateVault(database.db, vault)) {
    ends.set(`${each.table}.${each.column}`, each);
  }
  return [...ends.values()].map(({ table, column, resealed, unopened }) => ({
    [`${table}.${column}`]: [resealed, unopened],
  }));
}

const counts = async () => Object.fromEntries(await countSealed(database.db));

/** The grants with their tokens. Throws if the vault can't open one. */
async function readTokens(vault: Vault): Promise<Map<string, string>> {
  const rows = await database.db.selectFrom('grants').selectAll().execute();
  return new Map(rows.map((row) => [row.id, openCredentials(vault, row)!['token']!]));
}

/** One value in each column that the vault seals. */
async function addOneOfEach() {
  const { db } = database;
  await addGrant(db, { projectId, credentials: { token: 't' } }, older);
  await putApp(db, projectId, older, {
    platform: 'sandbox',
    clientId: 'id',
    clientSecret: 'secret',
  });
  const webhookId = await addWebhook(db, projectId);
  const { secret, secret_key_id } = sealWebhookSecret(older, webhookId, 'whsec_x');
  await db
    .updateTable('webhook_subscriptions')
    .set({
      secret,
      secret_key_id,
      previous_secret: secret,
      previous_secret_key_id: secret_key_id,
    })
    .where('id', '=', webhookId)
    .execute();
  const { postId } = await addPost(db);
  const { id: resultId } = await db
    .selectFrom('post_results')
    .select('id')
    .where('post_id', '=', postId)
    .executeTakeFirstOrThrow();
  await db
    .updateTable('post_results')
    .set(sealState(older, resultId, { upload: 'https://example.com/' }))
    .where('id', '=', resultId)
    .execute();
  const accountId = await addAccount(db, projectId, 'sandbox');
  const { id: checkId } = (await addCheck(db, { projectId, accountId }))!;
  await db
    .updateTable('account_checks')
    .set(sealProgress(older, checkId, { answer: 'https://example.com/' }))
    .where('id', '=', checkId)
    .execute();
  const answer = older.seal('{}', `idempotency_keys/${projectId}/order-1`);
  await db
    .insertInto('idempotency_keys')
    .values({
      project_id: projectId,
      key: 'order-1',
      fingerprint: Buffer.alloc(0),
      environment: 'production',
      scopes: [],
      answer: answer.ciphertext,
      answer_key_id: answer.keyId,
    })
    .execute();
  const sessionId = newId('connectSession');
  const flow = older.seal('[]', `connect_sessions/${sessionId}/flow`);
  await db
    .insertInto('connect_sessions')
    .values({
      id: sessionId,
      project_id: projectId,
      environment: 'production',
      platform: 'sandbox',
      external_user_id: 'user-1',
      status: 'pending',
      token_hash: Buffer.alloc(0),
      expires_at: new Date(),
      flow: flow.ciphertext,
      flow_key_id: flow.keyId,
    })
    .execute();
}

test('every column that the vault seals is listed', async () => {
  const { rows } = await sql<{ column: string }>`
    select table_name || '.' || column_name as column from information_schema.columns
    where table_schema = 'public' and column_name like '%\\_key\\_id'`.execute(database.db);
  const listed = sealedColumns.map(({ table, keyColumn }) => `${table}.${keyColumn}`);
  expect(rows.map(({ column }) => column).toSorted()).toEqual(listed.toSorted());
});

test('each column is sealed with the new key, under the same context', async () => {
  await addOneOfEach();
  expect(await counts()).toEqual({ old: 8 });
  const names = sealedColumns.map(({ table, column }) => `${table}.${column}`);
  expect(await rotate()).toEqual(names.map((name) => ({ [name]: [1, 0] })));
  expect(await counts()).toEqual({ new: 8 });
  for (const { table, column, keyColumn, context } of sealedColumns) {
    const { rows } = await sql<{ ciphertext: Buffer; keyId: string; context: string }>`
      select ${sql.ref(column)} as ciphertext, ${sql.ref(keyColumn)} as "keyId",
        ${sql.raw(context)} as context
      from ${sql.table(table)} where ${sql.ref(column)} is not null`.execute(database.db);
    expect(rows).toHaveLength(1);
    expect(() => newOnly.open(rows[0]!, rows[0]!.context)).not.toThrow();
  }
  expect(await rotate()).toEqual([]);
});

test('many rows are sealed in groups, and an interrupted run is continued', async () => {
  for (let i = 0; i < 450; i++) {
    await addGrant(database.db, { projectId, credentials: { token: `t${i}` } }, older);
  }
  const before = await readTokens(older);
  for await (const { resealed } of rotateVault(database.db, newer)) {
    expect(resealed).toBe(200);
    break;
  }
  expect(await counts()).toEqual({ new: 200, old: 250 });
  expect(await rotate()).toEqual([{ 'grants.credentials': [250, 0] }]);
  expect(await readTokens(newOnly)).toEqual(before);
});

test("a value that can't be opened stays, and does not stop the rotation of other values", async () => {
  const { db } = database;
  const damaged = await addGrant(db, { projectId }, older);
  await addGrant(db, { projectId }, older);
  const credentials = Buffer.from('damaged');
  await db.updateTable('grants').set({ credentials }).where('id', '=', damaged).execute();
  expect(await rotate()).toEqual([{ 'grants.credentials': [1, 1] }]);
  expect(await counts()).toEqual({ new: 1, old: 1 });
});

describe('while other processes write', () => {
  /** Writes new tokens to random grants, as refreshes do, until it is stopped. Returns the last ones. */
  function keepWriting(ids: string[], vault: Vault, name: string) {
    const last = new Map<string, string>();
    let isStopped = false;
    const write = async () => {
      for (let i = 0; !isStopped; i++) {
        const id = ids[Math.floor(Math.random() * ids.length)]!;
        const token = `${name}-${i}`;
        await database.db
          .updateTable('grants')
          .set(sealCredentials(vault, id, { token }))
          .where('id', '=', id)
          .execute();
        last.set(id, token);
      }
    };
    const written = write();
    return async () => {
      isStopped = true;
      await written;
      return last;
    };
  }

  test('their values are never overwritten, whichever key they use', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 300; i++) {
      ids.push(await addGrant(database.db, { projectId, credentials: { token: 'first' } }, older));
    }
    // Each writes half of the rows, so that the last value of a row is known.
    const writers = [
      keepWriting(ids.slice(0, 150), newer, 'new'),
      keepWriting(ids.slice(150), older, 'old'),
    ];
    await rotate();
    await rotate();
    const lasts = await Promise.all(writers.map((stop) => stop()));
    const tokens = await readTokens(newer);
    for (const last of lasts) {
      expect(last.size).toBeGreaterThan(0);
      for (const [id, token] of last) expect(tokens.get(id)).toBe(token);
    }
    await rotate();
    expect(await readTokens(newOnly)).toEqual(tokens);
    expect(await counts()).toEqual({ new: 300 });
  });
});
