// Accounts that share a grant, and the grants that accounts leave.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import type { Credentials, Login } from '../../../activities/platforms/platform.ts';
import { openApp, putApp } from '../../../schema/database/accounts/apps.ts';
import { useRest } from '../../support/app/rest.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { addGrant, readGranted } from '../../support/rows/grants.ts';
import { createScriptedNetwork } from '../../support/scripted-network.ts';

const revoked: Login[] = [];
const expiresAt = new Date(Date.UTC(2050, 0));
const rest = useRest(
  {},
  {
    platforms: createPlatforms([
      {
        ...createScriptedNetwork().platform,
        connect: [
          {
            kind: 'form',
            fields: z
              .object({ secret: z.string().meta({ 'x-secret': true }) })
              .catchall(z.string()),
            run: (credentials) =>
              Promise.resolve({
                credentials,
                scope: ['post'],
                tokenExpiresAt: expiresAt,
                accounts: [{ externalAccountId: 'ada', accountName: 'ada', problem: null }],
              }),
          },
        ],
        revoke: (login) => Promise.resolve(void revoked.push(login)),
      },
    ]),
  },
);
const tenant = forEachTest(() => {
  revoked.length = 0;
  return rest.createTenant();
});

async function connect(secret: string, more: Credentials = {}): Promise<string> {
  const answer = await rest.call('POST', '/v1/accounts/connect', {
    key: tenant.key,
    body: { platform: 'sandbox', credentials: { secret, ...more } },
  });
  return answer.body.data.id;
}

/** Another account of the same grant. */
async function addSibling(accountId: string, name: string): Promise<string> {
  const { grant_id } = await readGranted(rest.context.db, accountId);
  const columns = { grant_id, platform: 'sandbox', external_account_id: name } as const;
  return rest.insertAccount(tenant.projectId, columns);
}

const call = (method: string, id: string) =>
  rest.call(method, `/v1/accounts/${id}`, { key: tenant.key });

const listGrants = () =>
  rest.context.db
    .selectFrom('grants')
    .select('id')
    .where('project_id', '=', tenant.projectId)
    .execute();

const login = (secret: string): Login => ({ credentials: { secret }, app: null });

describe('disconnecting', () => {
  test('one of three accounts keeps the login, and disconnecting the last account revokes it once', async () => {
    const ada = await connect('one');
    const [bob, eve] = [await addSibling(ada, 'bob'), await addSibling(ada, 'eve')];
    expect((await call('DELETE', ada)).status).toBe(204);
    expect((await call('GET', ada)).body.data).toMatchObject({
      status: 'disconnected',
      scope: ['post'],
      token_expires_at: null,
    });
    for (const id of [bob, eve]) {
      expect((await call('GET', id)).body.data).toMatchObject({
        status: 'active',
        token_expires_at: expiresAt.toISOString(),
      });
    }
    await call('DELETE', bob);
    expect(revoked).toEqual([]);
    await call('DELETE', eve);
    expect(revoked).toEqual([login('one')]);
    expect(await listGrants()).toEqual([]);
    await call('DELETE', eve);
    expect(revoked).toHaveLength(1);
  });

  test('the last two accounts at once revokes the login once', async () => {
    const ada = await connect('one');
    const bob = await addSibling(ada, 'bob');
    await Promise.all([call('DELETE', ada), call('DELETE', bob)]);
    expect(revoked).toEqual([login('one')]);
    expect(await listGrants()).toEqual([]);
  });

  test('an account whose login has ended revokes nothing', async () => {
    const ada = await connect('one');
    await rest.context.db
      .updateTable('grants')
      .set({ credentials: null, credentials_key_id: null })
      .where('project_id', '=', tenant.projectId)
      .execute();
    expect((await call('DELETE', ada)).status).toBe(204);
    expect(revoked).toEqual([]);
    expect(await listGrants()).toEqual([]);
  });
});

describe('connecting an account again', () => {
  test('revokes its old login, which has no other account', async () => {
    const ada = await connect('one');
    const [old] = await listGrants();
    expect(await connect('two')).toBe(ada);
    expect(revoked).toEqual([login('one')]);
    const grants = await listGrants();
    expect(grants).toHaveLength(1);
    expect(grants).not.toContainEqual(old);
  });

  test('leaves the other accounts of its old login', async () => {
    const ada = await connect('one');
    const bob = await addSibling(ada, 'bob');
    await connect('two');
    expect(revoked).toEqual([]);
    expect(await listGrants()).toHaveLength(2);
    expect((await call('GET', bob)).body.data.status).toBe('active');
    await call('DELETE', bob);
    expect(revoked).toEqual([login('one')]);
    await call('DELETE', ada);
    expect(revoked).toEqual([login('one'), login('two')]);
  });

  test('revokes nothing if the secret is the same', async () => {
    await connect('one');
    await connect('one');
    await connect('one', { site: 'https://ada.example' });
    expect(revoked).toEqual([]);
    expect(await listGrants()).toHaveLength(1);
  });
});

test('a login is revoked through the app that made it', async () => {
  const { db, vault } = rest.context;
  const { projectId } = tenant;
  const given = { platform: 'sandbox', clientId: 'client', clientSecret: 'secret' } as const;
  const app = openApp(vault, await putApp(db, projectId, vault, given));
  const credentials = { secret: 'one' };
  const grant_id = await addGrant(db, { projectId, appId: app.id, credentials }, vault);
  const account = await rest.insertAccount(projectId, { grant_id, platform: 'sandbox' });
  await call('DELETE', account);
  expect(revoked).toEqual([{ credentials, app }]);
});

test('a login of another project is not touched', async () => {
  const other = await rest.createTenant();
  const grant_id = await addGrant(rest.context.db, { projectId: other.projectId });
  const account = await rest.insertAccount(other.projectId, { grant_id, platform: 'sandbox' });
  await connect('one');
  await connect('two');
  expect((await readGranted(rest.context.db, account)).status).toBe('active');
});
