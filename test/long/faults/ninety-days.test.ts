// Logins that are used each hour for ninety days, at networks with other lifetimes. No time is waited for: the
// network's clock moves forward, and the times of the login back.
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { sql } from 'kysely';
import type { ConsentMethod, Platform } from '../../../activities/platforms/platform.ts';
import { loginColumns } from '../../../activities/logins/login-columns.ts';
import { refreshDue } from '../../../activities/logins/refresh-due.ts';
import { warnOfExpiry } from '../../../activities/logins/warn-of-expiry.ts';
import { createSwitchboard } from '../../support/networks/faults.ts';
import { startFaultyServer } from '../../support/networks/faulty-server.ts';
import { createOAuthPlatform } from '../../support/networks/oauth/connector.ts';
import type { GrantSettings, Lifetimes } from '../../support/networks/oauth/grants.ts';
import { createOAuthServer } from '../../support/networks/oauth/server.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addGrant, readCredentials, readGranted } from '../../support/rows/grants.ts';
import { addProject, rowsVault } from '../../support/rows/rows.ts';
import { addAccountOf } from '../../support/rows/targets.ts';

const hourMs = 3_600_000;
const hourS = 3_600;
const dayS = 24 * hourS;
const hours = 90 * 24;
const log = pino({ level: 'silent' });

const database = useDatabase();

/** An account at such a network. */
async function connect(lifetimes: GrantSettings, hasRefresh: boolean) {
  const { db } = database;
  const callbackUrl = 'https://fanfare.test/connect/callback';
  const network = createOAuthServer(callbackUrl, lifetimes);
  const http = await startFaultyServer(network, createSwitchboard());
  const { refresh, ...rest } = createOAuthPlatform({
    fetch,
    url: http.url,
    client: network.client,
    needsRefreshToken: lifetimes.hasLastingTokens !== true,
  });
  const platform: Platform = hasRefresh ? { ...rest, refresh: refresh! } : rest;
  const projectId = await addProject(db);
  const grantId = await addGrant(db, { projectId });
  const { accountId } = await addAccountOf(db, projectId, grantId, 'page-1');

  /** Logs in as the user does, for the first time or again. */
  async function logIn() {
    const method = platform.connect[0] as ConsentMethod;
    const asked = { state: 'state-of-8', callbackUrl, productName: 'Acme' };
    const request = { ...asked, inputs: {}, app: null };
    const { signal } = new AbortController();
    const { url, flow } = await method.begin(request, signal);
    const { searchParams } = new URL(url);
    searchParams.set('decision', 'allow');
    const init = { method: 'POST', body: searchParams, redirect: 'manual' } as const;
    const callback = new URL((await fetch(`${http.url}/authorize`, init)).headers.get('location')!);
    const query = Object.fromEntries(callback.searchParams);
    const login = await method.complete(query, { ...request, flow }, signal);
    const columns = loginColumns(rowsVault, platform, grantId, login);
    await db.updateTable('grants').set(columns).where('id', '=', grantId).execute();
  }

  async function passHour() {
    network.pass(hourMs);
    const hour = sql`interval '1 hour'`;
    await db
      .updateTable('grants')
      .set({
        token_expires_at: sql<Date>`token_expires_at - ${hour}`,
        refresh_at: sql<Date>`refresh_at - ${hour}`,
        expiry_warning_at: sql<Date>`expiry_warning_at - ${hour}`,
      })
      .where('id', '=', grantId)
      .execute();
  }

  /** The status of an answer to the stored token. */
  async function use(): Promise<number> {
    const token = (await readCredentials(db, rowsVault, accountId))?.['access_token'];
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch(`${http.url}/accounts`, { headers })).status;
  }

  async function countWarnings(): Promise<number> {
    const changes = await db
      .selectFrom('changes')
      .select('kind')
      .where('subject_id', '=', accountId)
      .where('kind', '=', 'expiring')
      .execute();
    return changes.length;
  }

  const dependencies = { ...dependenciesOf(db, { platform }), log };
  await logIn();
  return {
    network,
    accountId,
    logIn,
    passHour,
    use,
    countWarnings,
    /** The schedule runs more often. */
    runSchedule: async () => {
      await warnOfExpiry(dependencies);
      await refreshDue(dependencies, { except: [] });
    },
    [Symbol.asyncDispose]: () => http.close(),
  };
}

test.each<[string, Lifetimes, { atLeast: number; atMost: number }]>([
  // Bluesky: https://github.com/bluesky-social/proposals/pull/57
  [
    'of 5 minutes, each with a new refresh token',
    { accessS: hourS / 12, refreshS: Infinity, isRotating: true },
    { atLeast: hours, atMost: hours },
  ],
  // X, and Bluesky with an app password
  [
    'of 2 hours, each with a new refresh token',
    { accessS: 2 * hourS, refreshS: Infinity, isRotating: true },
    { atLeast: hours / 2, atMost: hours },
  ],
  // LinkedIn, for approved partners
  [
    'of 60 days, with a refresh token of a year',
    { accessS: 60 * dayS, refreshS: 365 * dayS, isRotating: false },
    { atLeast: 1, atMost: 1 },
  ],
])(
  'a login survives with tokens %s',
  async (_, lifetimes, { atLeast, atMost }) => {
    await using account = await connect(lifetimes, true);
    for (let hour = 0; hour < hours; hour++) {
      await account.passHour();
      await account.runSchedule();
      expect(await account.use(), `hour ${hour}`).toBe(200);
    }
    // The first request was the login.
    const refreshes = account.network.countTokenRequests() - 1;
    expect(refreshes).toBeGreaterThanOrEqual(atLeast);
    expect(refreshes).toBeLessThanOrEqual(atMost);
    expect((await readGranted(database.db, account.accountId)).status).toBe('active');
    expect(await account.countWarnings()).toBe(0);
  },
  120_000,
);

/** As at Mastodon, Slack and Discord. */
test('a login with tokens that never end survives without a refresh or a warning', async () => {
  await using account = await connect({ hasLastingTokens: true }, false);
  for (let hour = 0; hour < hours; hour++) {
    await account.passHour();
    await account.runSchedule();
    expect(await account.use(), `hour ${hour}`).toBe(200);
  }
  expect(account.network.countTokenRequests()).toBe(1);
  expect((await readGranted(database.db, account.accountId)).status).toBe('active');
  expect(await account.countWarnings()).toBe(0);
}, 120_000);

test('a login of 60 days without refresh survives if its user connects it again when warned', async () => {
  const lifetimes = { accessS: 60 * dayS, refreshS: 0, isRotating: false };
  await using account = await connect(lifetimes, false);
  let warnedAt: number | undefined;
  for (let hour = 1; hour <= hours; hour++) {
    await account.passHour();
    await account.runSchedule();
    expect(await account.use(), `hour ${hour}`).toBe(200);
    if (warnedAt === undefined && (await account.countWarnings()) > 0) {
      warnedAt = hour;
      await account.logIn();
    }
  }
  expect(warnedAt).toBe(53 * 24);
  expect(await account.countWarnings()).toBe(1);
}, 120_000);

test('a login of 60 days without refresh ends after two warnings', async () => {
  const lifetimes = { accessS: 60 * dayS, refreshS: 0, isRotating: false };
  await using account = await connect(lifetimes, false);
  const warnedOn: number[] = [];
  for (let hour = 1; hour <= 60 * 24; hour++) {
    await account.passHour();
    await account.runSchedule();
    if ((await account.countWarnings()) > warnedOn.length) warnedOn.push(hour / 24);
  }
  expect(warnedOn).toEqual([53, 59]);
  expect(await account.use()).toBe(401);
}, 120_000);
