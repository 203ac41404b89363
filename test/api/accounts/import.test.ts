// Accounts from tokens that the client's own app obtained, at a network with OAuth 2.
import { beforeEach, describe, expect, test } from 'vitest';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type {
  GrantedAccount,
  ImportedTokens,
  Login,
  Platform,
} from '../../../activities/platforms/platform.ts';
import { findApp, putApp } from '../../../schema/database/accounts/apps.ts';
import { openCredentials } from '../../../schema/database/accounts/grants.ts';
import type { PlatformName } from '../../../schema/platforms/index.ts';
import { useRest } from '../../support/app/rest.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { createScriptedNetwork } from '../../support/scripted-network.ts';

const given: ImportedTokens[] = [];
const revoked: Login[] = [];
let refusal: PlatformError | undefined;
let accounts: string[];

const problems: Record<string, Pick<GrantedAccount, 'problem' | 'lacksScope'>> = {
  closed: { problem: 'It is closed.' },
  unscoped: { problem: 'The login lacks the scope write.', lacksScope: true },
};

const scripted = createScriptedNetwork().platform;
const platform: Platform = {
  ...scripted,
  definition: { ...scripted.definition, hasApp: true, scopes: ['read', 'write'] },
  async importTokens(tokens) {
    given.push(tokens);
    if (refusal) throw refusal;
    const { accessToken, refreshToken, expiresAt, scope } = tokens;
    return {
      credentials: {
        access_token: accessToken,
        ...(refreshToken !== null && { refresh_token: refreshToken }),
      },
      scope: scope ?? [],
      tokenExpiresAt: expiresAt,
      accounts: accounts.map((id) => ({
        externalAccountId: id,
        accountName: `@${id}`,
        ...(problems[id] ?? { problem: null }),
      })),
    };
  },
  refresh: () => Promise.reject(new PlatformError('unavailable', 'Not now.')),
  revoke: (login) => Promise.resolve(void revoked.push(login)),
};
const { importTokens: _tokens, ...withoutImport } = platform;
const { refresh: _refresh, ...withoutRefresh } = platform;
const named = (name: PlatformName) => ({ ...platform.definition, name });
const rest = useRest(
  {},
  {
    platforms: createPlatforms([
      platform,
      { ...withoutImport, definition: named('slack') },
      { ...withoutRefresh, definition: named('mastodon') },
    ]),
  },
);
const tenant = forEachTest(() => rest.createTenant());
beforeEach(() => {
  given.length = 0;
  revoked.length = 0;
  refusal = undefined;
  accounts = ['ada'];
});

const add = (body: object, key = tenant.key) =>
  rest.call('POST', '/v1/accounts/import', {
    key,
    body: { platform: 'sandbox', access_token: 'token-1', ...body },
  });

async function issuesOf(body: object) {
  const answer = await add(body);
  expect(answer.status).toBe(422);
  const stored = await rest.call('GET', '/v1/accounts', { key: tenant.key });
  expect(stored.body.data).toEqual([]);
  return answer.body.error.issues.map(({ path, code }: { path: string; code: string }) => [
    path,
    code,
  ]);
}

const setApp = () =>
  putApp(rest.context.db, tenant.projectId, rest.context.vault, {
    platform: 'sandbox',
    clientId: 'own',
    clientSecret: 'secret',
  });

describe('an import', () => {
  test('connects the account that the network names, with the tokens sealed', async () => {
    const app = await setApp();
    const answer = await add({
      refresh_token: 'refresh-1',
      expires_at: '2050-01-01T00:00:00Z',
      external_user_id: 'user-1',
    });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        data: {
          account_name: '@ada',
          external_account_id: 'ada',
          external_user_id: 'user-1',
          connection_type: 'byo',
          status: 'active',
          scope: [],
          token_expires_at: '2050-01-01T00:00:00.000Z',
        },
      },
    });
    expect(JSON.stringify(answer.body)).not.toMatch(/token-1|refresh-1/);
    const { db, vault } = rest.context;
    const grant = await db
      .selectFrom('grants')
      .selectAll()
      .where('project_id', '=', tenant.projectId)
      .executeTakeFirstOrThrow();
    expect(openCredentials(vault, grant)).toEqual({
      access_token: 'token-1',
      refresh_token: 'refresh-1',
    });
    expect(await findApp(db, tenant.projectId, vault, grant.app_id!)).toMatchObject({
      id: app.id,
      clientSecret: 'secret',
    });
  });

  test("keeps the ID of a known account, and revokes the account's earlier login", async () => {
    const first = await add({});
    const again = await add({ access_token: 'token-2' });
    expect(again.status).toBe(200);
    expect(again.body.data.id).toBe(first.body.data.id);
    expect(revoked.map(({ credentials }) => credentials['access_token'])).toEqual(['token-1']);
  });

  test('passes the token, the scopes and the instance to the network', async () => {
    await add({ scope: ['read', 'write'], instance: 'one.example' });
    expect(given).toEqual([
      {
        accessToken: 'token-1',
        refreshToken: null,
        expiresAt: null,
        scope: ['read', 'write'],
        instance: 'one.example',
      },
    ]);
  });

  test('chooses among the accounts of a token', async () => {
    accounts = ['ada', 'bob', 'closed'];
    expect(await issuesOf({})).toEqual([['external_account_id', 'several_accounts']]);
    expect(await issuesOf({ external_account_id: 'eve' })).toEqual([
      ['external_account_id', 'unknown_account'],
    ]);
    expect(await issuesOf({ external_account_id: 'closed' })).toEqual([
      ['access_token', 'token_invalid'],
    ]);
    const answer = await add({ external_account_id: 'bob' });
    expect(answer.body.data.account_name).toBe('@bob');
  });
});

describe('an import is refused', () => {
  test('with a token that the network refuses', async () => {
    refusal = new PlatformError('reauthorize', 'Expired.');
    expect(await issuesOf({})).toEqual([['access_token', 'token_invalid']]);
    refusal = new PlatformError('rejected', 'Unknown.', { platformCode: '42' });
    expect(await issuesOf({})).toEqual([['access_token', 'token_invalid']]);
  });

  test('with an address that is no server', async () => {
    refusal = new PlatformError('rejected', 'No.', { field: 'server', platformCode: 'no_server' });
    expect(await issuesOf({ instance: 'x' })).toEqual([['instance', 'no_server']]);
  });

  test('without a needed permission', async () => {
    expect(await issuesOf({ scope: ['read'] })).toEqual([['scope', 'scope_missing']]);
    const answer = await add({ scope: ['read'] });
    expect(answer.body.error.issues[0].message).toBe('The token lacks write.');
    expect(given).toEqual([]);
  });

  test('without the permission that its account needs', async () => {
    accounts = ['unscoped', 'closed'];
    expect(await issuesOf({})).toEqual([['scope', 'scope_missing']]);
    const chosen = { external_account_id: 'closed' };
    expect(await issuesOf(chosen)).toEqual([['access_token', 'token_invalid']]);
  });

  test("with a refresh token without the project's app", async () => {
    expect(await issuesOf({ refresh_token: 'r' })).toEqual([['refresh_token', 'app_required']]);
    expect(given).toEqual([]);
  });

  test.each([
    ['that this installation does not publish to', 'bluesky', 'platform_not_configured'],
    ['that takes no tokens', 'slack', 'import_not_supported'],
  ])('at a network %s', async (_, network, code) => {
    expect(await issuesOf({ platform: network })).toEqual([['platform', code]]);
    expect(given).toEqual([]);
  });

  test('with a refresh token at a network without refresh tokens', async () => {
    const body = { platform: 'mastodon', refresh_token: 'r' };
    expect(await issuesOf(body)).toEqual([['refresh_token', 'refresh_not_supported']]);
    expect(given).toEqual([]);
  });

  test('with an expiry in the past', async () => {
    const body = { expires_at: '2020-01-01T00:00:00Z' };
    expect(await issuesOf(body)).toEqual([['expires_at', 'already_expired']]);
    expect(given).toEqual([]);
  });

  test('while the network is away, and can be repeated', async () => {
    refusal = new PlatformError('unavailable', 'Down.');
    expect((await add({})).status).toBe(503);
    refusal = undefined;
    expect((await add({})).status).toBe(201);
  });
});

test.each([
  [{ access_token: 'two words' }, 'access_token'],
  [{ refresh_token: 'a\nb' }, 'refresh_token'],
])('an import with %j is refused before the network is asked', async (body, path) => {
  expect((await issuesOf(body))[0][0]).toBe(path);
  expect(given).toEqual([]);
});
