// A login whose refresh token works once, while workers lose Postgres or die in the middle of its refresh.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { workflowBundle } from '../../../activities/dispatch/workflow-bundle.ts';
import type { Account } from '../../../schema/accounts.ts';
import { useApp } from '../../support/app/app.ts';
import { startWorkers } from '../../support/app/worker-programs.ts';
import { elapse } from '../../support/elapse.ts';
import { readGranted } from '../../support/rows/grants.ts';
import { startProxy, type Proxy } from '../../support/servers/proxy.ts';

const vaultKey = randomBytes(32);
const app = useApp({
  roles: { api: true, worker: false },
  env: { FANFARE_SANDBOX: 'true' },
  vaultKey,
});

let network: Server;
let postgres: Proxy;
let account: Account;
/** Runs when the network has rotated the token, before its answer. */
let onRotated: () => Promise<void>;

beforeAll(async () => {
  await workflowBundle(inject('cacheDirectory'));
  postgres = await startProxy(new URL(app.database.url));
  network = createServer((request, response) => {
    void (async () => {
      const { method = 'GET', url = '/', headers } = request;
      const body = await buffer(request);
      const sent = {
        authorization: headers.authorization ?? '',
        'content-type': headers['content-type'] ?? 'application/json',
      };
      const init = { method, headers: sent, ...(method !== 'GET' && { body }) };
      const answer = await fetch(`${app.url}/sandbox${url}`, init);
      if (body.includes('refresh_token')) await onRotated();
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(await answer.text());
    })();
  }).listen(0, '127.0.0.1');
  await once(network, 'listening');
});
afterAll(async () => {
  network.closeAllConnections();
  network.close();
  await postgres.cut();
});

/** With an expired access token. */
beforeEach(async () => {
  account = await app.tenant.connectSandbox(`ada${randomBytes(4).toString('hex')}`);
  await app.database.db
    .updateTable('sandbox_grants')
    .set({ is_expired: true })
    .where('handle', '=', account.account_name)
    .execute();
});

const environment = () => ({
  DATABASE_URL: postgres.urlOf(app.database.url),
  FANFARE_SANDBOX: 'true',
  FANFARE_RECONCILE_DELAYS_MS: '0,200,500',
  FANFARE_SANDBOX_API_URL: `http://127.0.0.1:${(network.address() as AddressInfo).port}`,
});

const publish = (count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, n) =>
      app.tenant.createPost({ caption: `post ${n}`, account_ids: [account.id] }),
    ),
  );

/** How often the network has rotated the token, and its posts. */
async function readNetwork() {
  const { db } = app.database;
  const { generation } = await db
    .selectFrom('sandbox_grants')
    .select('generation')
    .where('handle', '=', account.account_name)
    .executeTakeFirstOrThrow();
  const posts = await db
    .selectFrom('sandbox_posts')
    .select('reference')
    .where('handle', '=', account.account_name)
    .orderBy('reference')
    .execute();
  return { rotations: generation - 1, posts: posts.map(({ reference }) => reference) };
}

const countDisconnected = async () => {
  const events = await app.database.db
    .selectFrom('events')
    .select('id')
    .where('social_account_id', '=', account.id)
    .where('kind', '=', 'account.disconnected')
    .execute();
  return events.length;
};

test('two workers that lose Postgres during the refresh publish 20 posts after one refresh', async () => {
  onRotated = async () => {
    await postgres.cut();
    void elapse(3_000, 'an outage outlasts several retries').then(() => postgres.reopen());
  };
  await using _workers = await startWorkers(app, vaultKey, [environment(), environment()]);
  const posts = await publish(20);
  const ended = await Promise.all(
    posts.map(({ id }) => app.tenant.waitForPost(id, { timeoutMs: 90_000 })),
  );
  expect(ended.map(({ status }) => status)).toEqual(posts.map(() => 'published'));
  const ids = posts.map(({ results }) => results[0]!.id).toSorted();
  expect(await readNetwork()).toEqual({ rotations: 1, posts: ids });
  const login = await readGranted(app.database.db, account.id);
  expect(login).toMatchObject({ status: 'active', credential_version: 2, refresh_lease_id: null });
  expect(await countDisconnected()).toBe(0);
}, 180_000);

test('a worker killed between the answer and its write ends the login, with one event', async () => {
  const { db } = app.database;
  const rotated = Promise.withResolvers<void>();
  onRotated = () => Promise.resolve(rotated.resolve());
  await using first = await startWorkers(app, vaultKey, [environment()]);
  let posts: Awaited<ReturnType<typeof publish>> = [];
  await db.transaction().execute(async (trx) => {
    // The write of new credentials locks the account first.
    const locked = trx.selectFrom('social_accounts').select('id').where('id', '=', account.id);
    await locked.forNoKeyUpdate().execute();
    posts = await publish(3);
    await rotated.promise;
    await expect.poll(countLockWaits).toBeGreaterThan(0);
    await expect.poll(countRefusals).toBe(posts.length);
    await first.programs[0]!.kill9();
  });
  // Instead of two minutes.
  await sql`update grants set refresh_lease_until = now() where refresh_lease_until is not null`.execute(
    db,
  );
  await using _second = await startWorkers(app, vaultKey, [environment()]);
  const ended = await Promise.all(
    posts.map(({ id }) => app.tenant.waitForPost(id, { timeoutMs: 90_000 })),
  );
  expect(ended.map(({ status }) => status)).toEqual(posts.map(() => 'failed'));
  const codes = ended.map(({ results }) => results[0]!.error_code);
  const usual = ['token_expired', 'account_disconnected', 'token_revoked'];
  expect(codes.filter((code) => !usual.includes(code!))).toEqual([]);
  expect(await readNetwork()).toEqual({ rotations: 1, posts: [] });
  expect((await readGranted(db, account.id)).status).toBe('reconnect_required');
  expect(await countDisconnected()).toBe(1);

  /** Calls that the network has refused because the token had expired. */
  async function countRefusals(): Promise<number> {
    const ids = posts.map(({ results }) => results[0]!.id);
    const calls = db.selectFrom('post_attempts').select('result_id').where('result_id', 'in', ids);
    return (await calls.where('outcome', 'is not', null).execute()).length;
  }

  async function countLockWaits(): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
        and query like '%social_accounts%'`.execute(db);
    return rows[0]!.count;
  }
}, 180_000);
