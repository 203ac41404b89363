// Accounts that share a grant: one refresh serves them all, and a refusal ends them all.
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Login, Platform } from '../../../activities/platforms/platform.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { openApp, putApp } from '../../../schema/database/accounts/apps.ts';
import { defaultTargetClock } from '../../../schema/retry.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addGrant, readGranted } from '../../support/rows/grants.ts';
import { addProject, rowsVault } from '../../support/rows/rows.ts';
import {
  addAccountOf,
  addTargets,
  advanceToEnd,
  type TestAccount,
} from '../../support/rows/targets.ts';
import { useScriptedNetwork } from '../../support/scripted-network.ts';

const database = useDatabase();
const network = useScriptedNetwork();

let projectId: string;
let accounts: TestAccount[];

beforeEach(async () => {
  projectId = await addProject(database.db);
  const grantId = await addGrant(database.db, { projectId });
  accounts = await Promise.all(
    ['ada', 'bob', 'eve'].map((name) => addAccountOf(database.db, projectId, grantId, name)),
  );
});

const readAll = () =>
  Promise.all(accounts.map(({ accountId }) => readGranted(database.db, accountId)));

/** Publishes one post of each account, each in a worker of its own. */
async function publishAll() {
  const resultIds = await Promise.all(
    accounts.map(async (account) => (await addTargets(database.db, account)).resultIds[0]!),
  );
  return Promise.all(
    resultIds.map((resultId) =>
      advanceToEnd(dependenciesOf(database.db, network, defaultTargetClock), resultId),
    ),
  );
}

async function listChanges(kind: string): Promise<string[]> {
  const changes = await database.db
    .selectFrom('changes')
    .select('subject_id')
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .orderBy('subject_id')
    .execute();
  return changes.map(({ subject_id }) => subject_id);
}

const listDisconnected = async () => {
  const events = await database.db
    .selectFrom('events')
    .select('social_account_id')
    .where('project_id', '=', projectId)
    .where('kind', '=', 'account.disconnected')
    .orderBy('social_account_id')
    .execute();
  return events.map(({ social_account_id }) => social_account_id);
};

const ids = () => accounts.map(({ accountId }) => accountId).toSorted();

describe('an expired token of three accounts', () => {
  /** So many posts meet the expired token before its refresh is answered. */
  let refused: number;

  beforeEach(() => {
    refused = accounts.length;
    network.expiredTokens.add('t');
    // A refresh token works once: a network that gets it again ends the login.
    network.onRefresh = async () => {
      const isReused = network.refreshes > 1;
      await vi.waitUntil(() => network.calls >= refused, { timeout: 10_000 });
      if (isReused) {
        network.refreshError = new PlatformError('reauthorize', 'Reused.', { isRevoked: true });
      }
    };
  });

  test('is refreshed once, even if three workers publish at once', async () => {
    const ended = await publishAll();
    expect(ended.map(({ status }) => status)).toEqual(['published', 'published', 'published']);
    expect(network.refreshes).toBe(1);
    expect(await listDisconnected()).toEqual([]);
    const read = await readAll();
    expect(read.map(({ credential_version }) => credential_version)).toEqual([2, 2, 2]);
    expect(await listChanges('refreshed')).toEqual(ids());
  });

  test('is refreshed once for fifty posts', async () => {
    refused = 50;
    const resultIds = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const { resultIds } = await addTargets(database.db, accounts[i % accounts.length]!);
        return resultIds[0]!;
      }),
    );
    const ended = await Promise.all(
      resultIds.map((resultId) =>
        advanceToEnd(dependenciesOf(database.db, network, defaultTargetClock), resultId),
      ),
    );
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['published']));
    expect(network.posts.toSorted()).toEqual(resultIds.toSorted());
    expect(network.refreshes).toBe(1);
    expect(await listDisconnected()).toEqual([]);
    expect(await listChanges('refreshed')).toEqual(ids());
  });

  test('gives the new name and ID only to the account that was refreshed', async () => {
    network.refreshed = { accountName: 'Ada', externalAccountId: 'ada-2' };
    accounts = accounts.slice(0, 1);
    refused = 1;
    await publishAll();
    const [ada] = await readAll();
    expect(ada).toMatchObject({ account_name: 'Ada', external_account_id: 'ada-2' });
    const others = await database.db
      .selectFrom('social_accounts')
      .select(['account_name', 'external_account_id'])
      .where('project_id', '=', projectId)
      .where('id', '<>', ada!.id)
      .orderBy('external_account_id')
      .execute();
    expect(others).toEqual([
      { account_name: 'ada', external_account_id: 'bob' },
      { account_name: 'ada', external_account_id: 'eve' },
    ]);
  });
});

test('a refresh uses the app that made the login', async () => {
  const { db } = database;
  const given = { platform: 'sandbox', clientId: 'client', clientSecret: 'secret' } as const;
  const app = openApp(rowsVault, await putApp(db, projectId, rowsVault, given));
  const grantId = await addGrant(db, { projectId, appId: app.id });
  accounts = [await addAccountOf(db, projectId, grantId, 'zoe')];
  network.expiredTokens.add('t');
  const logins: Login[] = [];
  const { platform } = network;
  const refresh: Platform['refresh'] = (login, signal) => {
    logins.push(login);
    return platform.refresh!(login, signal);
  };
  const dependencies = dependenciesOf(db, { platform: { ...platform, refresh } });
  const { resultIds } = await addTargets(db, accounts[0]!);
  expect((await advanceToEnd(dependencies, resultIds[0]!)).status).toBe('published');
  expect(logins).toEqual([{ credentials: { token: 't' }, app }]);
});

describe('new tokens that arrive too late', () => {
  /** The login that was revoked at the network, if any. */
  async function publishOne(): Promise<Login[]> {
    const revoked: Login[] = [];
    const revoke: Platform['revoke'] = (login) => {
      revoked.push(login);
      return Promise.resolve();
    };
    network.expiredTokens.add('t');
    const { resultIds } = await addTargets(database.db, accounts[0]!);
    const platform = { ...network.platform, revoke };
    await advanceToEnd(dependenciesOf(database.db, { platform }), resultIds[0]!);
    return revoked;
  }

  test('are revoked at the network if the account was disconnected meanwhile', async () => {
    network.onRefresh = async () => {
      const { db } = database;
      await db
        .updateTable('social_accounts')
        .set({ status: 'disconnected', grant_id: null })
        .where('project_id', '=', projectId)
        .execute();
      await db.deleteFrom('grants').where('project_id', '=', projectId).execute();
    };
    expect(await publishOne()).toEqual([{ credentials: { token: 't+' }, app: null }]);
  });

  test('are not revoked if another process has written newer credentials', async () => {
    network.onRefresh = async () => {
      await database.db
        .updateTable('grants')
        .set({ credential_version: 2 })
        .where('project_id', '=', projectId)
        .execute();
      network.expiredTokens.clear();
    };
    expect(await publishOne()).toEqual([]);
  });
});

describe('a refused login of three accounts', () => {
  beforeEach(() => {
    network.expiredTokens.add('t');
    network.refreshError = new PlatformError('reauthorize', 'It has ended.', { isRevoked: true });
  });

  test('disconnects each account with one event', async () => {
    const ended = await publishAll();
    expect(ended.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
    expect(await listDisconnected()).toEqual(ids());
    expect(await listChanges('reconnect_required')).toEqual(ids());
    for (const account of await readAll()) {
      expect(account).toMatchObject({ status: 'reconnect_required', credentials: null });
    }
  });

  test('does not disconnect an account that has a newer grant', async () => {
    const { accountId } = accounts[0]!;
    network.onRefresh = async () => {
      const credentials = { token: 'new' };
      const grant_id = await addGrant(database.db, { projectId, credentials });
      const { db } = database;
      await db
        .updateTable('social_accounts')
        .set({ grant_id })
        .where('id', '=', accountId)
        .execute();
    };
    const all = accounts;
    accounts = all.slice(0, 1);
    expect((await publishAll())[0]).toMatchObject({ status: 'published' });
    accounts = all.slice(1);
    expect(await listDisconnected()).toEqual(ids());
    expect((await readGranted(database.db, accountId)).status).toBe('active');
  });
});
