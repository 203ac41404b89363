// Daily checks of logins that aren't refreshed: which are due, and what follows from an answer.
import { beforeEach, describe, expect, test } from 'vitest';
import { loginColumns } from '../../../activities/logins/login-columns.ts';
import { refreshDue } from '../../../activities/logins/refresh-due.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type { Login, Platform } from '../../../activities/platforms/platform.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { addGrant, readGranted } from '../../support/rows/grants.ts';
import { addProject, rowsVault } from '../../support/rows/rows.ts';
import { addAccountOf } from '../../support/rows/targets.ts';
import { useScriptedNetwork } from '../../support/scripted-network.ts';

const hourMs = 3_600_000;

const database = useDatabase();
const network = useScriptedNetwork();

let projectId: string;
let answer: PlatformError | undefined;
let checked: Login[];

beforeEach(async () => {
  projectId = await addProject(database.db);
  await database.db.updateTable('grants').set({ refresh_at: null, check_at: null }).execute();
  answer = undefined;
  checked = [];
});

/** It checks logins instead of refreshing them. */
function platformWithCheck(): Platform {
  const { refresh: _, ...platform } = network.platform;
  return {
    ...platform,
    check(login) {
      checked.push(login);
      return answer ? Promise.reject(answer) : Promise.resolve();
    },
  };
}

async function addLogin(): Promise<{ accountId: string; grantId: string }> {
  const { db } = database;
  const grantId = await addGrant(db, { projectId });
  const { accountId } = await addAccountOf(db, projectId, grantId, grantId);
  return { accountId, grantId };
}

const setCheckAt = (grantId: string, inHours: number) =>
  database.db
    .updateTable('grants')
    .set({ check_at: new Date(Date.now() + inHours * hourMs) })
    .where('id', '=', grantId)
    .execute();

const run = (platform = platformWithCheck(), except: string[] = []) =>
  refreshDue(dependenciesOf(database.db, { platform }), { except });

async function hoursToCheck(grantId: string): Promise<number | null> {
  const { check_at } = await database.db
    .selectFrom('grants')
    .select('check_at')
    .where('id', '=', grantId)
    .executeTakeFirstOrThrow();
  return check_at && (check_at.getTime() - Date.now()) / hourMs;
}

async function expectHours(grantId: string, hours: number): Promise<void> {
  const found = await hoursToCheck(grantId);
  expect(found).toBeGreaterThan(hours * 0.9);
  expect(found).toBeLessThan(hours * 1.1);
}

describe('a new login', () => {
  async function columnsOf(platform: Partial<Platform>, tokenExpiresAt: Date | null) {
    const { grantId } = await addLogin();
    const login = { credentials: { token: 't' }, tokenExpiresAt };
    const columns = loginColumns(rowsVault, platform, grantId, login);
    await database.db.updateTable('grants').set(columns).where('id', '=', grantId).execute();
    return grantId;
  }

  test('is checked after a day if its network has a check', async () => {
    await expectHours(await columnsOf(platformWithCheck(), null), 24);
    const ends = new Date(Date.now() + 90 * 24 * hourMs);
    const grantId = await columnsOf(platformWithCheck(), ends);
    await expectHours(grantId, 24);
    const { expiry_warning_at } = await database.db
      .selectFrom('grants')
      .select('expiry_warning_at')
      .where('id', '=', grantId)
      .executeTakeFirstOrThrow();
    expect(expiry_warning_at).not.toBeNull();
  });

  test('is not checked if it is refreshed, or if its network has no check', async () => {
    const { refresh } = network.platform;
    const soon = new Date(Date.now() + hourMs);
    const refreshed = await columnsOf({ ...platformWithCheck(), refresh: refresh! }, soon);
    expect(await hoursToCheck(refreshed)).toBeNull();
    expect(await hoursToCheck(await columnsOf({}, null))).toBeNull();
  });
});

describe('a due check', () => {
  test('checks the login, and is due again after a day', async () => {
    const { grantId } = await addLogin();
    await setCheckAt(grantId, -1);
    const other = await addLogin();
    await setCheckAt(other.grantId, 1);
    expect(await run()).toEqual({ isLeft: false, away: [] });
    expect(checked).toEqual([{ credentials: { token: 't' }, app: null }]);
    await expectHours(grantId, 24);
  });

  test('ends a login that no longer works, with its reason', async () => {
    const { accountId, grantId } = await addLogin();
    await setCheckAt(grantId, -1);
    answer = new PlatformError('reauthorize', 'The password was changed.', { isRevoked: true });
    await run();
    const account = await readGranted(database.db, accountId);
    expect(account).toMatchObject({ status: 'reconnect_required', credentials: null });
    expect(await hoursToCheck(grantId)).toBeNull();
    const event = await database.db
      .selectFrom('events')
      .select('kind')
      .where('social_account_id', '=', accountId)
      .executeTakeFirstOrThrow();
    expect(event.kind).toBe('account.disconnected');
  });

  test('is repeated after an hour if the network did not answer, and other checks of that network wait', async () => {
    const { accountId, grantId } = await addLogin();
    await setCheckAt(grantId, -1);
    answer = new PlatformError('unavailable', 'The network gave no answer.');
    expect(await run()).toEqual({ isLeft: false, away: [`${projectId}/sandbox`] });
    await expectHours(grantId, 1);
    expect((await readGranted(database.db, accountId)).status).toBe('active');
    await setCheckAt(grantId, -1);
    await run(platformWithCheck(), [`${projectId}/sandbox`]);
    expect(checked).toHaveLength(1);
  });
});
