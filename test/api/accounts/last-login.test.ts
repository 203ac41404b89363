// A network whose revocation ends all logins of a user at an app: only the last of them is revoked.
import { beforeEach, expect, test } from 'vitest';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { putApp } from '../../../schema/database/accounts/apps.ts';
import type { PlatformAppRow } from '../../../schema/database/tables.ts';
import { useRest } from '../../support/app/rest.ts';
import { addGrant } from '../../support/rows/grants.ts';
import { createScriptedNetwork } from '../../support/scripted-network.ts';

const revoked: string[] = [];
const platform: Platform = {
  ...createScriptedNetwork().platform,
  revoke: ({ credentials }) => {
    revoked.push(credentials['access_token']!);
    return Promise.resolve();
  },
  revokesAll: { userOf: ({ open_id }) => open_id },
};

const rest = useRest({}, { platforms: createPlatforms([platform]) });
beforeEach(() => void (revoked.length = 0));

const addApp = (projectId: string | null, clientId = 'client') => {
  const { db, vault } = rest.context;
  return putApp(db, projectId, vault, { platform: 'sandbox', clientId, clientSecret: 'secret' });
};

/**
 * Connects an account of the user in a new project. Without an ID, the login doesn't name its user. Returns the
 * call that disconnects it.
 */
async function connect(app: PlatformAppRow, token: string, openId = 'open-1') {
  const { db, vault } = rest.context;
  const { projectId, key } = await rest.createTenant();
  const user = openId === '' ? {} : { open_id: openId };
  const credentials = { access_token: token, ...user };
  const grant = { projectId, platform: 'sandbox', credentials, appId: app.id } as const;
  const grant_id = await addGrant(db, grant, vault);
  const traits = openId === '' ? {} : { user_id: openId };
  const id = await rest.insertAccount(projectId, { platform: 'sandbox', grant_id, traits });
  return () => rest.call('DELETE', `/v1/accounts/${id}`, { key });
}

test('the login of a user with another login stays, and the last one is revoked', async () => {
  const app = await addApp(null);
  const disconnectFirst = await connect(app, 'first');
  const disconnectSecond = await connect(app, 'second');
  expect((await disconnectFirst()).status).toBe(204);
  expect(revoked).toEqual([]);
  expect((await disconnectSecond()).status).toBe(204);
  expect(revoked).toEqual(['second']);
});

test('logins of other users, and at other apps, make no difference', async () => {
  const app = await addApp(null, 'one');
  await connect(app, 'other user', 'open-2');
  await connect(await addApp(null, 'two'), 'other app');
  const disconnect = await connect(app, 'only');
  await disconnect();
  expect(revoked).toEqual(['only']);
});

test('a login that names no user is revoked only if the app has no other login', async () => {
  const app = await addApp(null, 'three');
  const disconnect = await connect(app, 'unknown', '');
  const disconnectOther = await connect(app, 'other', 'open-3');
  await disconnect();
  expect(revoked).toEqual([]);
  await disconnectOther();
  expect(revoked).toEqual(['other']);
  const disconnectAgain = await connect(app, 'again', '');
  await connect(await addApp(null, 'four'), 'other app', '');
  await disconnectAgain();
  expect(revoked).toEqual(['other', 'again']);
});

test('a login stays while a login that names no user may be of the same user', async () => {
  const app = await addApp(null, 'five');
  await connect(app, 'unknown', '');
  const disconnect = await connect(app, 'known');
  await disconnect();
  expect(revoked).toEqual([]);
});
