// A project's own apps at networks, over GraphQL.
import { beforeEach, describe, expect, test } from 'vitest';
import { putApp } from '../../../schema/database/accounts/apps.ts';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';
import { addGrant, readGranted } from '../../support/rows/grants.ts';
import { addAccount } from '../../support/rows/rows.ts';

const app = useApp({ roles: { api: true, worker: false } });

beforeEach(async () => {
  const { db, vault } = app.context;
  const given = { platform: 'mastodon', clientId: 'client', clientSecret: 'secret-word' } as const;
  await putApp(db, app.tenant.projectId, vault, given);
});

const fields = `{
  platform clientId hasClientSecret settings approval
  callbackUrls { redirect deauthorize dataDeletion webhook } createdAt updatedAt
}`;
const deleting = `mutation ($force: Boolean) {
  deletePlatformApp(platform: MASTODON, force: $force)
}`;

describe('an app', () => {
  test('is read without its secret', async () => {
    const query = `{ platformApps ${fields} platformApp(platform: MASTODON) ${fields} }`;
    const { platformApps, platformApp } = await ask(app, query);
    expect(platformApp).toEqual({
      platform: 'MASTODON',
      clientId: 'client',
      hasClientSecret: true,
      settings: {},
      approval: 'UNKNOWN',
      callbackUrls: {
        redirect: `${app.url}/connect/callback`,
        deauthorize: null,
        dataDeletion: null,
        webhook: null,
      },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(platformApps).toEqual([platformApp]);
  });

  test('is refused at its argument for a network that needs no app', async () => {
    const mutation = `mutation {
      setPlatformApp(platform: BLUESKY, input: { clientId: "a" }) { clientId }
    }`;
    expect(await askRefused(app, mutation)).toMatchObject({
      code: 'validation_error',
      issues: [{ path: 'platform', code: 'app_not_supported' }],
    });
  });

  test('is deleted, with force while an account is connected with it', async () => {
    const { db, vault } = app.context;
    const { projectId } = app.tenant;
    const { id: appId } = await putApp(db, projectId, vault, {
      platform: 'mastodon',
      clientId: 'client',
      clientSecret: null,
    });
    const accountId = await addAccount(db, projectId, 'mastodon');
    const grant_id = await addGrant(db, { projectId, platform: 'mastodon', appId }, vault);
    await db.updateTable('social_accounts').set({ grant_id }).where('id', '=', accountId).execute();
    expect(await askRefused(app, deleting)).toMatchObject({
      code: 'conflict',
      hint: expect.stringContaining('Or repeat the call with `force: true`.'),
    });
    expect(await ask(app, deleting, { force: true })).toEqual({ deletePlatformApp: 'MASTODON' });
    expect((await readGranted(db, accountId)).status).toBe('reconnect_required');
    expect(await askRefused(app, deleting)).toMatchObject({ code: 'not_found' });
  });
});
