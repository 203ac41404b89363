// The check of the vault at startup: every key that a row names must open the row.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sealCredentials } from '../../../schema/database/accounts/grants.ts';
import { putApp } from '../../../schema/database/accounts/apps.ts';
import type { Db } from '../../../schema/database/tables.ts';
import { createVault, type Vault } from '../../../schema/database/vault.ts';
import { checkVault } from '../../../schema/database/vault-check.ts';
import { sealWebhookSecret } from '../../../schema/database/webhooks/secrets.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addProject } from '../../support/rows/rows.ts';

const old = randomBytes(32);
const vaultOf = (keys: Record<string, Buffer>) =>
  createVault(new Map(Object.entries(keys)), Object.keys(keys)[0]!);

let db: Db;
let projectId: string;

const database = useDatabase();
beforeAll(() => {
  db = database.db;
});

beforeEach(async () => {
  await sql`truncate projects, idempotency_keys, vault_keys cascade`.execute(db);
  projectId = await addProject(db);
});

function addGrant(vault: Vault, id = 'grt_1') {
  return db
    .insertInto('grants')
    .values({
      ...sealCredentials(vault, id, { token: 'x' }),
      id,
      project_id: projectId,
      platform: 'sandbox',
    })
    .execute();
}

function addWebhook(sealed: object) {
  return db
    .insertInto('webhook_subscriptions')
    .values({
      id: 'wh_1',
      project_id: projectId,
      environment: 'production',
      url: 'https://example.com',
      events: [],
      status: 'active',
      secret_preview: 'whsec_',
      ...sealed,
    })
    .execute();
}

/** One sealed row for each column that the vault seals. */
const rows: Record<string, (vault: Vault) => Promise<unknown>> = {
  'credentials of a grant': addGrant,
  'secret of an app': (vault) =>
    putApp(db, projectId, vault, {
      platform: 'sandbox',
      clientId: 'id',
      clientSecret: 'secret',
    }),
  'secret of a webhook': (vault) => addWebhook(sealWebhookSecret(vault, 'wh_1', 'whsec_x')),
  'previous secret of a webhook': (vault) => {
    const { secret, secret_key_id } = sealWebhookSecret(vault, 'wh_1', 'whsec_x');
    return addWebhook({ previous_secret: secret, previous_secret_key_id: secret_key_id });
  },
  'answer kept for an Idempotency-Key': (vault) => {
    const { ciphertext, keyId } = vault.seal('{}', `idempotency_keys/${projectId}/order-1`);
    return db
      .insertInto('idempotency_keys')
      .values({
        project_id: projectId,
        key: 'order-1',
        fingerprint: Buffer.alloc(0),
        environment: 'production',
        scopes: [],
        answer: ciphertext,
        answer_key_id: keyId,
      })
      .execute();
  },
};

describe.each(Object.entries(rows))('the %s', (_, addRow) => {
  test('is opened if its key has no check value yet', async () => {
    await addRow(vaultOf({ old }));
    await checkVault(db, vaultOf({ old }));
    await checkVault(db, vaultOf({ newer: randomBytes(32), old }));
  });

  test('prevents a start with a wrong key, or without its key', async () => {
    await addRow(vaultOf({ old }));
    await expect(checkVault(db, vaultOf({ old: randomBytes(32) }))).rejects.toThrow(
      'The key "old" in the vault is not the "old" of the database, which seals 1 row',
    );
    await expect(checkVault(db, vaultOf({ newer: old }))).rejects.toThrow(
      'The vault has no key "old", which seals 1 row',
    );
    expect(await db.selectFrom('vault_keys').selectAll().execute()).toEqual([]);
  });
});

test('after the first start with a key, each start tests the key with its check value', async () => {
  await checkVault(db, vaultOf({ old }));
  expect(await db.selectFrom('vault_keys').select('id').execute()).toEqual([{ id: 'old' }]);
  await checkVault(db, vaultOf({ old }));
  await expect(checkVault(db, vaultOf({ old: randomBytes(32) }))).rejects.toThrow(
    'The key "old" in the vault is not the "old" of the database, which seals 0 rows',
  );
});

test('only one of two processes with different keys under the same ID starts', async () => {
  const starts = await Promise.allSettled(
    [1, 2, 3].map(() => checkVault(db, vaultOf({ k1: randomBytes(32) }))),
  );
  expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a damaged row does not prevent a start if the key has a check value', async () => {
  await checkVault(db, vaultOf({ old }));
  await addGrant(vaultOf({ old }));
  await db
    .updateTable('grants')
    .set({ credentials: Buffer.from('damaged') })
    .execute();
  await checkVault(db, vaultOf({ old }));
});

test('every key that fails is named, with the number of rows it seals', async () => {
  await addGrant(vaultOf({ a: old }));
  await addGrant(vaultOf({ a: old }), 'grt_2');
  await addGrant(vaultOf({ b: old }), 'grt_3');
  await rows['secret of a webhook']!(vaultOf({ a: old }));
  const error = await checkVault(db, vaultOf({ c: old })).catch((thrown: Error) => thrown.message);
  expect(error).toContain('no key "a", which seals 3 rows');
  expect(error).toContain('no key "b", which seals 1 row');
});

test('a key that no row names can be removed', async () => {
  await checkVault(db, vaultOf({ old }));
  await checkVault(db, vaultOf({ newer: randomBytes(32) }));
});
