// A project's own apps at networks, over REST: set, read, delete, and who may do so.
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { writeConnection } from '../../../api/accounts/write-connection.ts';
import { transact } from '../../../api/http/transact.ts';
import { findAppFor, type WantedApp } from '../../../schema/database/accounts/apps.ts';
import type { PlatformEntry } from '../../../schema/platforms/index.ts';
import { useRest, type TestKey } from '../../support/app/rest.ts';
import { forEachTest } from '../../support/fixtures.ts';
import { addGrant, readGranted } from '../../support/rows/grants.ts';
import { createScriptedNetwork } from '../../support/scripted-network.ts';
import { toGrant } from '../../support/networks/connection.ts';

const { platform } = createScriptedNetwork();
const definition: PlatformEntry = { ...platform.definition, name: 'mastodon', hasApp: true };
const lines: string[] = [];
const rest = useRest(
  {},
  {
    platforms: createPlatforms([
      { ...platform, definition },
      { ...platform, definition: { ...definition, name: 'linkedin', needsAppSecret: true } },
      platform,
    ]),
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }),
  },
);
const owner = forEachTest(() => {
  lines.length = 0;
  return rest.createTenant();
});

const path = '/v1/platform-credentials/mastodon';
const call = (method: string, body?: object, { key }: TestKey = owner, at = path) =>
  rest.call(method, at, { key, ...(body && { body }) });
const set = (client_id: string, client_secret?: string, by: TestKey = owner) =>
  call('PUT', { client_id, ...(client_secret !== undefined && { client_secret }) }, by);

/** The app that a new consent of the project uses. */
const findApp = (by: TestKey = owner, wanted: Partial<WantedApp> = {}) =>
  findAppFor(rest.context.db, by.projectId, rest.context.vault, {
    platform: 'mastodon',
    ...wanted,
  });

/** An account that was connected with the project's app. */
async function addAccount(by: TestKey = owner): Promise<string> {
  const { db, vault } = rest.context;
  const appId = (await findApp(by))!.id;
  const { projectId } = by;
  const grant_id = await addGrant(db, { projectId, platform: 'mastodon', appId }, vault);
  return rest.insertAccount(projectId, { grant_id, platform: 'mastodon' });
}

const read = (accountId: string) => readGranted(rest.context.db, accountId);

const listDisconnected = async () => {
  const events = await rest.context.db
    .selectFrom('events')
    .select(['social_account_id', 'body'])
    .where('project_id', '=', owner.projectId)
    .where('kind', '=', 'account.disconnected')
    .orderBy('social_account_id')
    .execute();
  return events.map(({ social_account_id, body }) => [
    social_account_id,
    JSON.parse(body).data.reason as string,
  ]);
};

const notFound = { status: 404, body: { error: { code: 'not_found' } } };

describe('setting an app', () => {
  test.each([
    ['linkedin', 422, [['client_secret', 'required']]],
    ['mastodon', 201, undefined],
  ])('without a secret is answered at %s with %i', async (network, status, issues) => {
    const at = `/v1/platform-credentials/${network}`;
    const { status: answered, body } = await call('PUT', { client_id: 'client' }, owner, at);
    const named = body.error?.issues.map((issue: { path: string; code: string }) => [
      issue.path,
      issue.code,
    ]);
    expect([answered, named]).toEqual([status, issues]);
  });

  test('stores it, and never shows its secret', async () => {
    const created = await set('client', 'secret-word');
    expect(created).toMatchObject({ status: 201 });
    expect(created.body.data).toEqual({
      platform: 'mastodon',
      client_id: 'client',
      has_client_secret: true,
      settings: {},
      callback_urls: {
        redirect: 'http://fanfare.test/connect/callback',
        deauthorize: null,
        data_deletion: null,
        webhook: null,
      },
      approval: 'unknown',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await call('GET')).body.data).toEqual(created.body.data);
    const listed = await call('GET', undefined, owner, '/v1/platform-credentials');
    expect(listed.body.data).toEqual([created.body.data]);
    expect(await findApp()).toMatchObject({ clientId: 'client', clientSecret: 'secret-word' });
    const rows = await rest.context.db.selectFrom('platform_apps').selectAll().execute();
    expect(JSON.stringify([created.body, listed.body, rows, lines])).not.toContain('secret-word');
    expect(rows.map((row) => row.client_secret?.toString('latin1')).join()).not.toContain('word');
  });

  test('changes or removes the secret of an app that is set', async () => {
    await set('client', 'one');
    const before = await findApp();
    expect(await set('client', 'two')).toMatchObject({ status: 200 });
    expect(await findApp()).toEqual({ ...before, clientSecret: 'two' });
    expect((await set('client')).body.data.has_client_secret).toBe(false);
    expect(await findApp()).toEqual({ ...before, clientSecret: null });
  });

  test('leaves the accounts of the earlier app if the client ID changes', async () => {
    await set('one', 's');
    const account = await addAccount();
    const first = await findApp();
    await set('two', 's');
    const second = await findApp();
    expect(second).toMatchObject({ clientId: 'two' });
    expect((await read(account)).status).toBe('active');
    await set('one', 't');
    expect(await findApp()).toEqual({ ...first, clientSecret: 't' });
    const ids = await rest.context.db
      .selectFrom('platform_apps')
      .select('id')
      .where('project_id', '=', owner.projectId)
      .execute();
    // No account needs the second one.
    expect(ids).toEqual([{ id: first!.id }]);
  });

  test('writes one audit line', async () => {
    await set('client', 'secret-word');
    await set('client', 'secret-word');
    await call('DELETE');
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const who = { component: 'audit', key_id: owner.keyId, project_id: owner.projectId };
    expect(logged).toMatchObject(
      ['created', 'updated', 'deleted'].map((kind) => ({
        ...who,
        msg: `platform_app ${kind}`,
        subject: 'platform_app',
        subject_id: expect.stringMatching(/^app_/),
      })),
    );
    expect(lines.join()).not.toContain('secret-word');
  });

  test('is refused for a network that needs no app', async () => {
    const at = '/v1/platform-credentials/sandbox';
    const refused = await call('PUT', { client_id: 'a' }, owner, at);
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'validation_error' } } });
    expect(refused.body.error.issues).toMatchObject([
      { path: 'platform', code: 'app_not_supported' },
    ]);
  });

  test.each(['GET', 'PUT', 'DELETE'])('is 404 for an unknown network: %s', async (method) => {
    const body = method === 'PUT' ? { client_id: 'a' } : undefined;
    const at = '/v1/platform-credentials/constructor';
    const answer = await call(method, body, owner, at);
    expect(answer).toMatchObject(notFound);
    expect(answer.body.error.message).toBe('No network is named constructor.');
  });

  test('needs a client ID', async () => {
    const refused = await call('PUT', { client_secret: 's' });
    expect(refused.body.error.issues).toMatchObject([{ path: 'client_id' }]);
  });
});

describe('an app of another project', () => {
  test('is not visible, used, changed or deleted', async () => {
    const other = await rest.createTenant();
    await set('theirs', 's', other);
    expect(await call('GET')).toMatchObject(notFound);
    expect(await call('DELETE')).toMatchObject(notFound);
    const listed = await call('GET', undefined, owner, '/v1/platform-credentials');
    expect(listed.body.data).toEqual([]);
    expect((await set('ours', 's')).status).toBe(201);
    expect(await findApp(other)).toMatchObject({ clientId: 'theirs' });
    expect(await findApp()).toMatchObject({ clientId: 'ours' });
  });
});

describe('a test key', () => {
  test('sees no app of a network, and changes none', async () => {
    await set('client', 's');
    const testing = await rest.createTenant({ projectId: owner.projectId, environment: 'test' });
    expect(await call('GET', undefined, testing)).toMatchObject(notFound);
    expect(await call('DELETE', undefined, testing)).toMatchObject(notFound);
    const listed = await call('GET', undefined, testing, '/v1/platform-credentials');
    expect(listed.body.data).toEqual([]);
    expect(await set('other', 's', testing)).toMatchObject({
      status: 403,
      body: { error: { code: 'insufficient_scope' } },
    });
    expect((await call('GET')).body.data.client_id).toBe('client');
  });
});

describe('deleting an app', () => {
  test('works if no account uses it', async () => {
    await set('client', 's');
    expect((await call('DELETE')).status).toBe(204);
    expect(await call('GET')).toMatchObject(notFound);
    expect(await call('DELETE')).toMatchObject(notFound);
  });

  test('is a conflict if accounts are connected with it', async () => {
    await set('one', 's');
    const account = await addAccount();
    await set('two', 's');
    const refused = await call('DELETE');
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(refused.body.error.hint).toContain('Or repeat the call with `?force=true`.');
    expect((await read(account)).status).toBe('active');
    expect((await call('GET')).body.data.client_id).toBe('two');
  });

  test('takes only true or false as force', async () => {
    expect(await call('DELETE', undefined, owner, `${path}?force=yes`)).toMatchObject({
      status: 422,
      body: { error: { issues: [{ path: 'force', message: 'must be true or false' }] } },
    });
  });

  test('requires a reconnect of only its own accounts if it is forced', async () => {
    const other = await rest.createTenant();
    await set('theirs', 's', other);
    await set('ours', 's');
    const theirs = await addAccount(other);
    const ours = [await addAccount(), await addAccount()];
    const withoutApp = await rest.insertAccount(owner.projectId, {
      platform: 'mastodon',
      grant_id: await addGrant(rest.context.db, { projectId: owner.projectId }),
    });
    const deleted = await call('DELETE', undefined, owner, `${path}?force=true`);
    expect(deleted.status).toBe(204);
    for (const id of ours) {
      expect(await read(id)).toMatchObject({ status: 'reconnect_required', credentials: null });
    }
    expect(await listDisconnected()).toEqual(ours.map((id) => [id, 'app_deleted']));
    const { body } = await call('GET', undefined, owner, `/v1/accounts/${ours[0]}/health`);
    expect(body.data.issues).toEqual([
      {
        code: 'reconnect_required',
        message:
          'The app that connected the account was deleted. Have the user connect the account again, through a connect session.',
      },
    ]);
    for (const id of [theirs, withoutApp]) expect((await read(id)).status).toBe('active');
    expect(await call('GET')).toMatchObject(notFound);
  });

  test('needs no force if its logins have all ended', async () => {
    await set('client', 's');
    const account = await addAccount();
    const { grant_id } = await read(account);
    await rest.context.db
      .updateTable('grants')
      .set({ credentials: null, credentials_key_id: null })
      .where('id', '=', grant_id)
      .execute();
    expect((await call('DELETE')).status).toBe(204);
    expect((await read(account)).grant_id).toBe(grant_id);
  });

  test('refuses the connection of a consent that has begun', async () => {
    await set('client', 's');
    const app = (await findApp())!;
    await call('DELETE');
    const caller = { projectId: owner.projectId };
    const grant = toGrant({
      externalAccountId: 'ada',
      accountName: 'ada',
      credentials: { token: 't' },
      scope: [],
      tokenExpiresAt: null,
    });
    const connecting = transact(rest.context, caller, async (effects) => ({
      status: 200,
      data: await writeConnection(rest.context, effects, {
        projectId: owner.projectId,
        platform: 'mastodon',
        grant,
        accounts: grant.accounts,
        appId: app.id,
        connectionType: 'managed',
        externalUserId: 'user-1',
        externalUserEmail: undefined,
        mayMove: 'unless_active',
      }),
    }));
    await expect(connecting).rejects.toMatchObject({ code: 'conflict' });
  });
});
