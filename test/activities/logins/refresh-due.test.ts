// Refreshes ahead of expiry: which logins are due, and what happens after a refresh that fails.
import { beforeEach, describe, expect, test } from 'vitest';
import { loginColumns } from '../../../activities/logins/login-columns.ts';
import { refreshDue } from '../../../activities/logins/refresh-due.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type { Login, Platform } from '../../../activities/platforms/platform.ts';
import { openApp, putApp } from '../../../schema/database/accounts/apps.ts';
import { nextRefreshDelay } from '../../../schema/retry.ts';
import { elapse } from '../../support/elapse.ts';
import { createTestLog } from '../../support/log.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addGrant, readCredentials, readGranted } from '../../support/rows/grants.ts';
import { addProject, rowsVault } from '../../support/rows/rows.ts';
import { addAccountOf, addTargets, advanceToEnd } from '../../support/rows/targets.ts';
import { useScriptedNetwork } from '../../support/scripted-network.ts';

const hourMs = 3_600_000;
const { log: debugLog, lines } = createTestLog('debug');

const database = useDatabase();
const network = useScriptedNetwork();

let projectId: string;

beforeEach(async () => {
  lines.length = 0;
  projectId = await addProject(database.db);
  await database.db.updateTable('grants').set({ refresh_at: null }).execute();
});

const inHours = (hours: number) => new Date(Date.now() + hours * hourMs);

async function addLogin(token: string, refreshAt: Date | null = inHours(-1), owner = projectId) {
  const { db } = database;
  const credentials = { token };
  const tokenExpiresAt = inHours(1);
  const grantId = await addGrant(db, { projectId: owner, credentials, tokenExpiresAt, refreshAt });
  const { accountId } = await addAccountOf(db, owner, grantId, grantId);
  return { grantId, accountId };
}

const run = (platform: Platform = network.platform, except: string[] = []) =>
  refreshDue({ ...dependenciesOf(database.db, { platform }), log: debugLog }, { except });

const read = (accountId: string) => readGranted(database.db, accountId);
const tokenOf = async (accountId: string) =>
  (await readCredentials(database.db, rowsVault, accountId))?.['token'];

async function minutesToRefresh(accountId: string): Promise<number> {
  return ((await read(accountId)).refresh_at!.getTime() - Date.now()) / 60_000;
}

/** The login is due again, as after the wait. */
const makeDue = (grantId: string) =>
  database.db
    .updateTable('grants')
    .set({ refresh_at: inHours(-1) })
    .where('id', '=', grantId)
    .execute();

describe('the time of a refresh', () => {
  /** Of a login that lives this long. */
  async function refreshAtOf(hours: number | null, platform: Partial<Platform>) {
    const { accountId, grantId } = await addLogin('a', null);
    const tokenExpiresAt = hours === null ? null : inHours(hours);
    const credentials = { token: 'a' };
    const columns = loginColumns(rowsVault, platform, grantId, { credentials, tokenExpiresAt });
    const { db } = database;
    await db.updateTable('grants').set(columns).where('id', '=', grantId).execute();
    return (await read(accountId)).refresh_at;
  }

  test('is near the end of the life of the token, and differs between logins', async () => {
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const at = await refreshAtOf(100, network.platform);
      times.push((at!.getTime() - Date.now()) / hourMs);
    }
    expect(Math.min(...times)).toBeGreaterThan(74.9);
    expect(Math.max(...times)).toBeLessThan(85.1);
    expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(1);
  });

  test('is at least five minutes ahead, however short the life of the token', async () => {
    const at = await refreshAtOf(-5, network.platform);
    const minutes = (at!.getTime() - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(4);
    expect(minutes).toBeLessThan(6);
  });

  test("is null for a login that does not expire or can't be refreshed", async () => {
    const { refresh } = network.platform;
    expect(await refreshAtOf(null, network.platform)).toBeNull();
    expect(await refreshAtOf(1, {})).toBeNull();
    expect(await refreshAtOf(1, { refresh: refresh!, canRefresh: () => false })).toBeNull();
    expect(await refreshAtOf(1, { refresh: refresh!, canRefresh: () => true })).not.toBeNull();
  });
});

describe('a due login', () => {
  test('gets new tokens and the time of its next refresh', async () => {
    network.refreshed = { tokenExpiresAt: inHours(100) };
    const { accountId } = await addLogin('a');
    expect(await run()).toEqual({ isLeft: false, away: [] });
    expect(await tokenOf(accountId)).toBe('a+');
    expect(lines).toMatchObject([{ level: 20, msg: 'a login is refreshed', platform: 'sandbox' }]);
    const minutes = await minutesToRefresh(accountId);
    expect(minutes).toBeGreaterThan(74 * 60);
    expect(minutes).toBeLessThan(86 * 60);
    expect(await run()).toEqual({ isLeft: false, away: [] });
    expect(network.refreshes).toBe(1);
  });

  test('sends account.refreshed for each managed account, with the new name, but only in preview', async () => {
    network.refreshed = { accountName: 'renamed' };
    const { db } = database;
    const { accountId, grantId } = await addLogin('a');
    const { accountId: other } = await addAccountOf(db, projectId, grantId, 'other');
    const managed = db.updateTable('social_accounts').set({ connection_type: 'managed' });
    await managed.where('grant_id', '=', grantId).execute();
    await addAccountOf(db, projectId, grantId, 'not managed');
    const listEvents = async () => {
      const events = db.selectFrom('events').select(['kind', 'social_account_id', 'body']);
      const rows = await events.where('project_id', '=', projectId).execute();
      return rows.map(({ kind, social_account_id, body }) => {
        const { data } = JSON.parse(body) as { data: { account_name: string } };
        return [kind, social_account_id, data.account_name];
      });
    };
    await run();
    expect([await tokenOf(other), await listEvents()]).toEqual(['a+', []]);

    await makeDue(grantId);
    const dependencies = { ...dependenciesOf(db, network), previewEvents: true };
    await refreshDue(dependencies, { except: [] });
    const names = await Promise.all(
      [accountId, other].map(async (id) => [id, await read(id)] as const),
    );
    const expected = names.map(([id, { account_name }]) => ['account.refreshed', id, account_name]);
    const sent = await listEvents();
    expect(sent).toHaveLength(2);
    expect(sent).toEqual(expect.arrayContaining(expected));
    expect(sent.map(([, , name]) => name)).toContain('renamed');
  });

  test('is refreshed once, even if three workers refresh it while a post is published', async () => {
    network.expiredTokens.add('a');
    network.refreshed = { tokenExpiresAt: inHours(100) };
    network.onRefresh = () => elapse(50, 'the others have to find a refresh under way');
    const { accountId } = await addLogin('a');
    const { db } = database;
    const { resultIds } = await addTargets(db, { projectId, accountId });
    const [{ status }] = await Promise.all([
      advanceToEnd(dependenciesOf(db, network), resultIds[0]!),
      run(),
      run(),
      run(),
    ]);
    expect(status).toBe('published');
    expect(network.refreshes).toBe(1);
  });

  test('is not refreshed before its time, nor after its account was disconnected', async () => {
    await addLogin('a', inHours(1));
    const { accountId } = await addLogin('b');
    await database.db
      .updateTable('social_accounts')
      .set({ status: 'disconnected' })
      .where('id', '=', accountId)
      .execute();
    await run();
    expect(network.refreshes).toBe(0);
  });

  test('is skipped if it can no longer be refreshed', async () => {
    const { accountId } = await addLogin('a');
    await run({ ...network.platform, canRefresh: () => false });
    expect(network.refreshes).toBe(0);
    expect((await read(accountId)).status).toBe('active');
  });
});

test('logins are refreshed in groups, the oldest first', async () => {
  network.refreshed = { tokenExpiresAt: inHours(100) };
  const late = await addLogin('late', inHours(-1));
  for (let i = 0; i < 20; i++) await addLogin(`a${i}`, inHours(-2));
  expect(await run()).toEqual({ isLeft: true, away: [] });
  expect(network.refreshes).toBe(20);
  expect(await tokenOf(late.accountId)).toBe('late');
  expect(await run()).toEqual({ isLeft: false, away: [] });
  expect(await tokenOf(late.accountId)).toBe('late+');
});

test('the many due logins of one project leave places in the group for the logins of another', async () => {
  network.refreshed = { tokenExpiresAt: inHours(100) };
  for (let i = 0; i < 25; i++) await addLogin(`a${i}`, inHours(-2));
  const { accountId } = await addLogin('b', inHours(-1), await addProject(database.db));
  await run();
  expect(await tokenOf(accountId)).toBe('b+');
});

test('a slow refresh continues after its group has ended', async () => {
  network.refreshed = { tokenExpiresAt: inHours(100) };
  const answer = Promise.withResolvers<void>();
  network.onRefresh = () => answer.promise;
  const { accountId } = await addLogin('a');
  const dependencies = dependenciesOf(database.db, network);
  const { away } = await refreshDue(dependencies, { except: [] }, { groupMs: 20 });
  expect(away).toEqual([`${projectId}/sandbox`]);
  answer.resolve();
  await expect.poll(() => tokenOf(accountId)).toBe('a+');
});

test("a login that can't be opened does not delay the other logins", async () => {
  const broken = await addLogin('broken', inHours(-2));
  await database.db
    .updateTable('grants')
    .set({ credentials: Buffer.from('damaged') })
    .where('id', '=', broken.grantId)
    .execute();
  const { accountId } = await addLogin('a');
  await run();
  expect(await tokenOf(accountId)).toBe('a+');
});

test("each login is refreshed with the app that made it, even after a tenant's app replaced the operator's app", async () => {
  const { db } = database;
  const logins: Login[] = [];
  const refresh: Platform['refresh'] = (login) => {
    logins.push(login);
    return network.platform.refresh!(login, new AbortController().signal);
  };
  const put = async (project: string | null, clientId: string) => {
    const given = { platform: 'sandbox', clientId, clientSecret: `${clientId}-secret` } as const;
    return openApp(rowsVault, await putApp(db, project, rowsVault, given));
  };
  const apps = [await put(null, 'operator'), await put(projectId, 'tenant')];
  const due = { projectId, refreshAt: inHours(-1), tokenExpiresAt: inHours(1) };
  for (const { id, clientId } of apps) {
    const grantId = await addGrant(db, { ...due, appId: id, credentials: { token: clientId } });
    await addAccountOf(db, projectId, grantId, clientId);
  }
  await run({ ...network.platform, refresh });
  expect(logins).toHaveLength(2);
  expect(logins).toEqual(
    expect.arrayContaining(apps.map((app) => ({ credentials: { token: app.clientId }, app }))),
  );
});

describe('a refresh that fails for now', () => {
  const listEvents = () =>
    database.db.selectFrom('events').selectAll().where('project_id', '=', projectId).execute();

  test('is repeated later and later, and never ends the login', async () => {
    network.onRefresh = () => Promise.reject(new PlatformError('unavailable', 'Down.'));
    const { grantId, accountId } = await addLogin('a');
    for (let failures = 1; failures <= 6; failures++) {
      expect(await run()).toEqual({ isLeft: false, away: [`${projectId}/sandbox`] });
      const minutes = await minutesToRefresh(accountId);
      expect(minutes).toBeCloseTo(nextRefreshDelay(failures) / 60_000, 0);
      const row = await read(accountId);
      expect(row).toMatchObject({ status: 'active', refresh_failures: failures });
      expect(network.refreshes).toBe(failures);
      await run();
      expect(network.refreshes).toBe(failures);
      await makeDue(grantId);
    }
    expect(await listEvents()).toEqual([]);
    network.onRefresh = () => Promise.resolve();
    network.refreshed = { tokenExpiresAt: inHours(100) };
    await run();
    expect(await read(accountId)).toMatchObject({ status: 'active', refresh_failures: 0 });
    expect(await tokenOf(accountId)).toBe('a+');
  });

  test('is repeated after the time that the network names', async () => {
    const retryAfterMs = 5 * hourMs;
    network.refreshError = new PlatformError('rate_limited', 'Slow down.', { retryAfterMs });
    const { accountId } = await addLogin('a');
    await run();
    expect(await minutesToRefresh(accountId)).toBeCloseTo(300, 0);
  });

  test('counts as a failure of the login if a post caused it', async () => {
    network.expiredTokens.add('a');
    network.refreshError = new PlatformError('unavailable', 'Down.');
    const { accountId } = await addLogin('a', inHours(1));
    const { db } = database;
    const { resultIds } = await addTargets(db, { projectId, accountId });
    expect((await advanceToEnd(dependenciesOf(db, network), resultIds[0]!)).status).toBe('failed');
    expect((await read(accountId)).refresh_failures).toBe(network.refreshes);
  });

  test('in two projects leaves the other logins of the network for the next run', async () => {
    network.refreshError = new PlatformError('unavailable', 'Down.');
    const other = await addProject(database.db);
    await addLogin('a');
    await addLogin('b', inHours(-1), other);
    const { away } = await run();
    expect(away.toSorted()).toEqual(
      [`${other}/sandbox`, `${projectId}/sandbox`, 'sandbox'].toSorted(),
    );
  });

  test.each(['network', 'network of a project'])(
    'leaves the logins of a %s for the next run',
    async (scope) => {
      const { accountId } = await addLogin('a');
      const except = [scope === 'network' ? 'sandbox' : `${projectId}/sandbox`];
      expect(await run(network.platform, except)).toEqual({ isLeft: false, away: [] });
      expect(await tokenOf(accountId)).toBe('a');
      await run();
      expect(await tokenOf(accountId)).toBe('a+');
    },
  );
});

describe('a refused refresh', () => {
  test.each([
    [{ isRevoked: true }, 'revoked'],
    [{}, 'token_expired'],
  ])('%j ends the login of each account with the reason %s', async (options, reason) => {
    network.refreshError = new PlatformError('reauthorize', 'It has ended.', options);
    const { grantId, accountId } = await addLogin('a');
    const other = await addAccountOf(database.db, projectId, grantId, 'b');
    expect(await run()).toEqual({ isLeft: false, away: [] });
    for (const id of [accountId, other.accountId]) {
      expect(await read(id)).toMatchObject({
        status: 'reconnect_required',
        credentials: null,
        refresh_at: null,
      });
    }
    const events = await database.db
      .selectFrom('events')
      .select(['kind', 'social_account_id', 'body'])
      .where('project_id', '=', projectId)
      .orderBy('social_account_id')
      .execute();
    expect(events.map(({ kind, social_account_id }) => [kind, social_account_id])).toEqual(
      [accountId, other.accountId].toSorted().map((id) => ['account.disconnected', id]),
    );
    for (const { body } of events) expect(JSON.parse(body).data.reason).toBe(reason);
    const account_ids = expect.arrayContaining([accountId, other.accountId]) as string[];
    expect(lines.filter(({ level }) => level === 30)).toMatchObject([
      {
        component: 'accounts',
        msg: 'accounts must be connected again',
        project_id: projectId,
        grant_id: grantId,
        platform: 'sandbox',
        reason,
        account_ids,
      },
    ]);
  });
});
