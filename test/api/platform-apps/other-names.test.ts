// Requests may call the network `twitter` by the name `x`. Answers never do.
import { expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { addAccount } from '../../support/rows/rows.ts';

const app = useApp({ roles: { api: true, worker: false } });

test('an app is set, read and deleted by either name', async () => {
  const path = '/v1/platform-credentials';
  const set = await app.api.call('PUT', `${path}/x`, { client_id: 'a', client_secret: 's' });
  expect([set.status, set.body.data.platform]).toEqual([201, 'twitter']);
  for (const name of ['x', 'twitter']) {
    const read = await app.api.get(`${path}/${name}`);
    expect(read.body.data).toMatchObject({ platform: 'twitter', client_id: 'a' });
  }
  expect((await app.api.call('DELETE', `${path}/x`)).status).toBe(204);
  expect((await app.api.get(`${path}/twitter`)).status).toBe(404);
  for (const name of ['X', 'y', 'toString']) {
    const refused = await app.api.call('PUT', `${path}/${name}`, { client_id: 'a' });
    expect([refused.status, refused.body.error.code]).toEqual([404, 'not_found']);
  }
});

test('bodies and filters accept either name', async () => {
  const { db } = app.database;
  const accountId = await addAccount(db, app.tenant.projectId, 'twitter');
  const target = { account_id: accountId, platform: 'x', caption: 'a' };
  const valid = await app.api.post('/v1/posts/validate', { platform_posts: [target] });
  expect(valid.body.data).toMatchObject({ valid: true });
  const wrong = { ...target, platform: 'mastodon' };
  const invalid = await app.api.post('/v1/posts/validate', { platform_posts: [wrong] });
  expect(invalid.body.data).toMatchObject({ valid: false });

  for (const name of ['x', 'twitter']) {
    const { body } = await app.api.get(`/v1/accounts?platform=${name}`);
    expect(body.data).toMatchObject([{ id: accountId, platform: 'twitter' }]);
    expect((await app.api.get(`/v1/posts?platform=${name}`)).status).toBe(200);
  }
  const unknown = await app.api.get('/v1/accounts?platform=y');
  expect([unknown.status, unknown.body.error.code]).toEqual([422, 'validation_error']);

  // X has no credentials that a user could send.
  const given = { platform: 'x', credentials: {} };
  const connected = await app.api.post('/v1/accounts/connect', given);
  expect(connected.body.error.issues).toMatchObject([{ path: 'platform', code: 'consent_only' }]);
});

test('a session names the network by its own name', async () => {
  await app.api.call('PUT', '/v1/platform-credentials/x', { client_id: 'a' });
  const given = { platform: 'x', external_user_id: 'user-1' };
  const created = await app.api.post('/v1/connect/sessions', given);
  expect([created.status, created.body.data.platform]).toEqual([201, 'twitter']);
});
