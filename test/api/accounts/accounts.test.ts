// Connecting, reading and disconnecting accounts over REST, with the sandbox as the network.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBluesky } from '../../../activities/platforms/bluesky/index.ts';
import { createPlatforms, findFormMethod } from '../../../activities/platforms/index.ts';
import type { FormMethod, Platform } from '../../../activities/platforms/platform.ts';
import { didDocument, handleRecord, txtOf } from '../../support/servers/bluesky-identity.ts';
import { createTestDatabase, type TestDatabase } from '../../support/rows/database.ts';
import { createTestRest, type TestKey, type TestRest } from '../../support/app/rest.ts';
import { createTestSandbox, type TestSandbox } from '../../support/app/sandbox.ts';
import { loginOf, readCredentials, readGranted } from '../../support/rows/grants.ts';

let network: TestDatabase;
let sandbox: TestSandbox;
let rest: TestRest;
let tenant: TestKey;
let downHost: string | null = null;
const identity = {
  did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa',
  handle: 'a.example.com',
  pds: 'https://pds.invalid',
};

beforeAll(async () => {
  network = await createTestDatabase();
  sandbox = createTestSandbox(network.db);
  const bluesky = createBluesky({
    apiUrl: 'https://bluesky.invalid',
    plcUrl: 'https://plc.invalid',
    lookUpTxt: txtOf(handleRecord(identity)),
    fetch: async (url) => {
      if (downHost === new URL(url).host) {
        throw new TypeError('fetch failed', { cause: connectionRefused });
      }
      return url.startsWith('https://plc.invalid')
        ? Response.json(didDocument(identity))
        : Response.json({ error: 'AuthenticationRequired', message: 'Wrong' }, { status: 401 });
    },
  });
  rest = await createTestRest({}, { platforms: createPlatforms([sandbox.platform, bluesky]) });
  tenant = await rest.createTenant();
});
afterAll(async () => {
  await rest[Symbol.asyncDispose]();
  await network.drop();
});

const connectionRefused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

const connect = (handle: string, more: Record<string, unknown> = {}, by = tenant) =>
  rest.call('POST', '/v1/accounts/connect', {
    key: by.key,
    body: { platform: 'sandbox', credentials: { handle }, ...more },
  });

function names(answer: { body: { data: { account_name: string }[] } }): string[] {
  return answer.body.data.map((account) => account.account_name);
}

async function listEvents(accountId: string): Promise<Record<string, unknown>[]> {
  const rows = await rest.context.db
    .selectFrom('events')
    .select('body')
    .where('social_account_id', '=', accountId)
    .orderBy('created_at')
    .execute();
  return rows.map((row) => JSON.parse(row.body) as Record<string, unknown>);
}

describe('POST /v1/accounts/connect', () => {
  test('updates the traits of an account that is connected again', async () => {
    const plain = findFormMethod(sandbox.platform)!;
    let textMax = 3;
    const run: FormMethod['run'] = async (given, signal) => {
      const grant = await plain.run(given, signal);
      const traits = { textMax: ++textMax };
      return { ...grant, accounts: grant.accounts.map((account) => ({ ...account, traits })) };
    };
    const platforms = createPlatforms([{ ...sandbox.platform, connect: [{ ...plain, run }] }]);
    await using updated = await createTestRest({}, { platforms });
    const { key } = await updated.createTenant();
    const body = { platform: 'sandbox', credentials: { handle: 'ada' } };
    for (const expected of [4, 5]) {
      await updated.call('POST', '/v1/accounts/connect', { key, body });
      const account = updated.context.db.selectFrom('social_accounts').select('traits');
      expect(await account.execute()).toEqual([{ traits: { textMax: expected } }]);
    }
  });

  test('connects an account, seals its credentials and records account.connected', async () => {
    const { status, body } = await connect('@Ada', { external_user_id: 'user-1' });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(/^sa_/),
      platform: 'sandbox',
      account_name: 'ada',
      display_name: null,
      external_account_id: 'ada',
      external_user_id: 'user-1',
      external_user_email: null,
      connection_type: 'byo',
      status: 'active',
      scope: ['post'],
      connected_at: expect.any(String),
      token_expires_at: null,
      defaults: { platform_options: {} },
    });
    expect(await listEvents(body.data.id)).toEqual([
      {
        event: 'account.connected',
        timestamp: expect.any(String),
        data: {
          social_account_id: body.data.id,
          platform: 'sandbox',
          account_name: 'ada',
          external_user_id: 'user-1',
          connection_type: 'byo',
        },
      },
    ]);
    const { db, vault } = rest.context;
    const { credentials } = await readGranted(db, body.data.id);
    expect(credentials!.toString('latin1')).not.toContain('sbx_');
    expect(await readCredentials(db, vault, body.data.id)).toMatchObject({ handle: 'ada' });
  });

  test('connects a known account again: same id, same user, a second event', async () => {
    const first = await connect('bob', { external_user_id: 'user-2' });
    const again = await connect('bob');
    expect(again.status).toBe(200);
    expect(again.body.data).toMatchObject({
      id: first.body.data.id,
      external_user_id: 'user-2',
    });
    const [before, after, ...more] = await listEvents(first.body.data.id);
    expect(String(after!['timestamp']) > String(before!['timestamp'])).toBe(true);
    expect(more).toEqual([]);
  });

  test('connects one account for two simultaneous requests', async () => {
    const answers = await Promise.all([connect('twin'), connect('twin'), connect('twin')]);
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(2);
  });

  test('answers a repeat with the same Idempotency-Key as the first time, without a second login', async () => {
    const body = { platform: 'sandbox', credentials: { handle: 'once' } };
    const headers = { 'Idempotency-Key': 'connect-once' };
    const call = () =>
      rest.call('POST', '/v1/accounts/connect', { key: tenant.key, body, headers });
    const first = await call();
    const second = await call();
    expect(second.status).toBe(201);
    expect(second.headers.get('Idempotency-Replayed')).toBe('true');
    expect(second.body.data).toEqual(first.body.data);
    const logins = await network.db
      .selectFrom('sandbox_grants')
      .select('id')
      .where('handle', '=', 'once')
      .execute();
    expect(logins).toHaveLength(1);
  });

  test.each([
    [{ platform: 'myspace', credentials: {} }, 'platform'],
    [{ platform: 'sandbox', credentials: { handle: 'not a handle' } }, 'credentials.handle'],
    [{ platform: 'sandbox', credentials: {} }, 'credentials.handle'],
    [{ platform: 'sandbox', credentials: { handle: 'ada', pin: '1' } }, 'credentials.pin'],
    [{ platform: 'bluesky', credentials: { handle: 'a.example.com' } }, 'credentials.app_password'],
  ])('refuses %j at %s', async (body, path) => {
    const answer = await rest.call('POST', '/v1/accounts/connect', { key: tenant.key, body });
    expect(answer.status).toBe(422);
    expect(answer.body.error.issues).toEqual([expect.objectContaining({ path })]);
  });

  test('names the secret field if the network refuses the login, and is 503 if the network is away', async () => {
    const credentials = { handle: 'a.example.com', app_password: 'wrong-pass-word' };
    const call = () =>
      rest.call('POST', '/v1/accounts/connect', {
        key: tenant.key,
        body: { platform: 'bluesky', credentials },
      });
    const refused = await call();
    expect(refused.status).toBe(422);
    expect(refused.body.error.issues[0].path).toBe('credentials.app_password');
    expect(JSON.stringify(refused.body)).not.toContain('wrong-pass-word');
    for (const host of ['plc.invalid', 'pds.invalid']) {
      downHost = host;
      const away = await call();
      downHost = null;
      expect(away.status).toBe(503);
      expect(away.body.error).toMatchObject({
        code: 'unavailable',
        message: `${host} could not be reached.`,
        hint: expect.stringContaining('Try again after'),
        is_retriable: true,
      });
      expect(away.headers.get('Retry-After')).toBe('5');
    }
  });

  test.each([
    ['service', 'identity_mismatch', { service: 'https://evil.example' }],
    ['handle', 'identity_not_found', { handle: 'nobody.example.com' }],
  ])('refuses %s as %s', async (field, code, change) => {
    const credentials = { handle: identity.handle, app_password: 'pass-word', ...change };
    const body = { platform: 'bluesky', credentials };
    const refused = await rest.call('POST', '/v1/accounts/connect', { key: tenant.key, body });
    expect(refused.status).toBe(422);
    expect(refused.body.error.issues).toEqual([
      { path: `credentials.${field}`, code, message: expect.any(String) },
    ]);
  });

  test('lets a test key reach the sandbox only', async () => {
    const key = await rest.createTenant({ environment: 'test' });
    expect((await connect('ada', {}, key)).status).toBe(201);
    const answer = await rest.call('POST', '/v1/accounts/connect', {
      key: key.key,
      body: { platform: 'bluesky', credentials: { handle: 'a.example.com', app_password: 'x' } },
    });
    expect(answer.status).toBe(403);
    expect(answer.body.error.code).toBe('insufficient_scope');
  });

  test('needs the scope accounts:write', async () => {
    const key = await rest.createTenant({ scopes: ['accounts:read'] });
    expect((await connect('ada', {}, key)).status).toBe(403);
  });
});

describe('GET /v1/accounts', () => {
  test('filters accounts, pages them newest first, and shows no account of another project', async () => {
    const mine = await rest.createTenant();
    await connect('someone', {}, await rest.createTenant());
    for (const [handle, user] of [
      ['a1', 'u1'],
      ['a2', 'u2'],
      ['a3', 'u1'],
    ] as const) {
      await connect(handle, { external_user_id: user }, mine);
    }
    const get = (query: string) => rest.call('GET', `/v1/accounts${query}`, { key: mine.key });

    const first = await get('?limit=2');
    expect(names(first)).toEqual(['a3', 'a2']);
    const next = await get(`?limit=2&cursor=${first.body.meta.next_cursor}`);
    expect(names(next)).toEqual(['a1']);
    expect(next.body.meta).toEqual({ limit: 2, has_more: false, next_cursor: null });
    expect(names(await get('?external_user_id=u1'))).toEqual(['a3', 'a1']);
    expect(names(await get('?platform=bluesky'))).toEqual([]);
    expect(names(await get('?status=active'))).toHaveLength(3);
    const bad = await get('?status=asleep');
    expect(bad.body.error.issues[0].path).toBe('status');
  });

  test('hides production accounts from a test key', async () => {
    const owner = await rest.createTenant();
    const id = await rest.insertAccount(owner.projectId);
    const key = await rest.createTenant({ projectId: owner.projectId, environment: 'test' });
    const listed = await rest.call('GET', '/v1/accounts', { key: key.key });
    expect(listed.body.data).toEqual([]);
    expect((await rest.call('GET', `/v1/accounts/${id}`, { key: key.key })).status).toBe(404);
  });
});

describe('GET /v1/accounts/:id', () => {
  test("is 404 for another project's account", async () => {
    const { body } = await connect('mine');
    const other = await rest.createTenant();
    const path = `/v1/accounts/${body.data.id}`;
    expect((await rest.call('GET', path, { key: tenant.key })).body.data).toEqual(body.data);
    expect((await rest.call('GET', path, { key: other.key })).status).toBe(404);
    expect((await rest.call('DELETE', path, { key: other.key })).status).toBe(404);
  });
});

describe('DELETE /v1/accounts/:id', () => {
  test('erases the credentials, revokes them at the network and records the reason user', async () => {
    const { body } = await connect('leaver', { external_user_id: 'user-9' });
    const path = `/v1/accounts/${body.data.id}`;
    const { db, vault } = rest.context;
    const credentials = (await readCredentials(db, vault, body.data.id))!;
    const { grant_id } = await readGranted(db, body.data.id);
    expect((await rest.call('DELETE', path, { key: tenant.key })).status).toBe(204);

    const account = await rest.call('GET', path, { key: tenant.key });
    expect(account.body.data.status).toBe('disconnected');
    expect(await readGranted(db, body.data.id)).toMatchObject({
      grant_id: null,
      credentials: null,
    });
    const grants = db.selectFrom('grants').selectAll().where('id', '=', grant_id);
    expect(await grants.execute()).toEqual([]);
    const [, disconnected] = await listEvents(body.data.id);
    expect(disconnected).toMatchObject({
      event: 'account.disconnected',
      data: { social_account_id: body.data.id, external_user_id: 'user-9', reason: 'user' },
    });
    const refresh = (sandbox.platform as Required<Platform>).refresh;
    await expect(refresh(loginOf(credentials), AbortSignal.timeout(5_000))).rejects.toMatchObject({
      kind: 'reauthorize',
    });
  });

  test('changes nothing when it is repeated, and the account can be connected again', async () => {
    const { body } = await connect('returner');
    const path = `/v1/accounts/${body.data.id}`;
    await rest.call('DELETE', path, { key: tenant.key });
    expect((await rest.call('DELETE', path, { key: tenant.key })).status).toBe(204);
    expect(await listEvents(body.data.id)).toHaveLength(2);
    const again = await connect('returner');
    expect(again.body.data).toMatchObject({ id: body.data.id, status: 'active' });
  });
});
