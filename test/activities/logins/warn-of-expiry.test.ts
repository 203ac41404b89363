// Warnings of logins that end soon and can't be refreshed: seven days and one day ahead, once each.
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { loginColumns } from '../../../activities/logins/login-columns.ts';
import { endGrants, setReconnectRequired } from '../../../activities/logins/end-grants.ts';
import { loadAccess } from '../../../activities/logins/credentials.ts';
import { warnOfExpiry } from '../../../activities/logins/warn-of-expiry.ts';
import { lockActiveAccounts } from '../../../schema/database/accounts/grants.ts';
import { eventBody } from '../../../schema/event-types.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addGrant, endLoginSoon, readGranted } from '../../support/rows/grants.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';
import { addProject, rowsVault } from '../../support/rows/rows.ts';
import { addAccountOf } from '../../support/rows/targets.ts';
import { countWaiting } from '../../support/rows/waiting.ts';
import { useScriptedNetwork } from '../../support/scripted-network.ts';

const dayMs = 86_400_000;

const database = useDatabase();
const network = useScriptedNetwork();

let projectId: string;
let grantId: string;
let accountIds: string[];

beforeEach(async () => {
  const { db } = database;
  projectId = await addProject(db);
  grantId = await addGrant(db, { projectId });
  const accounts = [
    await addAccountOf(db, projectId, grantId, 'ada'),
    await addAccountOf(db, projectId, grantId, 'bob'),
  ];
  accountIds = accounts.map(({ accountId }) => accountId).toSorted();
});

/** The login is written now and ends after these days. */
async function write(days: number | null, platform: object = {}) {
  const tokenExpiresAt = days === null ? null : new Date(Date.now() + days * dayMs);
  const credentials = { token: 't' };
  const columns = loginColumns(rowsVault, platform, grantId, { credentials, tokenExpiresAt });
  await database.db.updateTable('grants').set(columns).where('id', '=', grantId).execute();
}

/** All times of the login come so many days closer. */
async function passDays(days: number) {
  const { token_expires_at, expiry_warning_at } = await readGranted(database.db, accountIds[0]!);
  const earlier = (time: Date | null) => time && new Date(time.getTime() - days * dayMs);
  const columns = {
    token_expires_at: earlier(token_expires_at),
    expiry_warning_at: earlier(expiry_warning_at),
  };
  await database.db.updateTable('grants').set(columns).where('id', '=', grantId).execute();
}

const warn = () => warnOfExpiry(dependenciesOf(database.db, network));

async function listChanged(): Promise<string[]> {
  const changes = await database.db
    .selectFrom('changes')
    .select('subject_id')
    .where('project_id', '=', projectId)
    .where('kind', '=', 'expiring')
    .orderBy('subject_id')
    .execute();
  return changes.map(({ subject_id }) => subject_id);
}

const listEvents = () =>
  database.db
    .selectFrom('events')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('kind', '=', 'account.expiring')
    .orderBy('social_account_id')
    .execute();

/** Each account has been warned of so often, by a live change and by an event. */
async function expectWarnings(times: number) {
  const expected = accountIds.flatMap((id) => Array<string>(times).fill(id));
  expect(await listChanged()).toEqual(expected);
  const events = await listEvents();
  expect(events.map(({ social_account_id }) => social_account_id)).toEqual(expected);
}

const waitForLockWaits = (count: number) =>
  expect.poll(() => countWaiting(database.db)).toBe(count);

test('a login of 60 days is warned of after 53 and 59 days', async () => {
  await write(60);
  let day = 0;
  for (const [until, times] of [
    [52.9, 0],
    [53.1, 1],
    [58.9, 1],
    [59.1, 2],
    [61, 2],
  ] as const) {
    await passDays(until - day);
    day = until;
    expect(await warn()).toBe(false);
    await warn();
    await expectWarnings(times);
  }
});

describe('a login that is new and ends within days', () => {
  test('is warned of at once, and a day before its end', async () => {
    await write(3);
    await warn();
    await expectWarnings(1);
    await passDays(2.1);
    await warn();
    await warn();
    await expectWarnings(2);
  });

  test('is warned of once if it ends within a day', async () => {
    await write(0.5);
    await warn();
    await warn();
    await expectWarnings(1);
  });
});

test('the warning event has the account and the end of its login', async () => {
  await write(3);
  await warn();
  const { token_expires_at } = await readGranted(database.db, accountIds[0]!);
  const [event] = await listEvents();
  const body = JSON.parse(event!.body);
  expect(eventBody('account.expiring').parse(body)).toEqual(body);
  expect(body.data).toEqual({
    social_account_id: accountIds[0],
    platform: 'sandbox',
    account_name: 'ada',
    external_user_id: null,
    connection_type: 'byo',
    token_expires_at: token_expires_at!.toISOString(),
  });
});

test('a worker that is killed while it warns loses no warning', async () => {
  await write(0.5);
  const { db } = database;
  let killed: Promise<unknown>;
  await db.transaction().execute(async (trx) => {
    await sql`lock table events in exclusive mode`.execute(trx);
    killed = expect(warn()).rejects.toThrow();
    await waitForLockWaits(1);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(trx);
    await killed;
  });
  await expectWarnings(0);
  await warn();
  await expectWarnings(1);
});

test('two workers warn once', async () => {
  await write(0.5);
  const warnings = await inQuietTransaction(database.db, async (trx) => {
    await lockActiveAccounts(trx, [grantId]);
    const both = [warn(), warn()];
    await waitForLockWaits(2);
    return both;
  });
  await Promise.all(warnings);
  await expectWarnings(1);
});

test('more logins than fit in a group are each warned of once', async () => {
  const { db } = database;
  for (let i = 0; i < 60; i++) {
    const tokenExpiresAt = new Date(Date.now() + dayMs / 2);
    const grantId = await addGrant(db, { projectId, tokenExpiresAt });
    const { accountId } = await addAccountOf(db, projectId, grantId, `account${i}`);
    await endLoginSoon(db, accountId, tokenExpiresAt);
    accountIds.push(accountId);
  }
  await write(0.5);
  accountIds.sort();
  expect(await warn()).toBe(true);
  expect(await warn()).toBe(false);
  await expectWarnings(1);
});

test('a login that is ended while its warning waits is not warned of', async () => {
  await write(0.5);
  const warnings = await inQuietTransaction(database.db, async (trx) => {
    await lockActiveAccounts(trx, [grantId]);
    const warning = warn();
    await waitForLockWaits(1);
    await endGrants(trx, [grantId], { previewEvents: false });
    return [warning];
  });
  await Promise.all(warnings);
  await expectWarnings(0);
});

test('a login that is connected again is warned of again', async () => {
  await write(0.5);
  await warn();
  await write(60);
  await warn();
  await expectWarnings(1);
  await passDays(54);
  await warn();
  await expectWarnings(2);
});

test.each([
  ['does not expire', () => write(null)],
  ['is refreshed', () => write(0.5, network.platform)],
  [
    'has ended',
    async () => {
      await write(0.5);
      const dependencies = dependenciesOf(database.db, network);
      const access = await loadAccess(dependencies, accountIds[0]!);
      await setReconnectRequired(dependencies, access!, 'revoked');
    },
  ],
])('a login that %s is not warned of', async (_, prepare) => {
  await prepare();
  await warn();
  await expectWarnings(0);
});
