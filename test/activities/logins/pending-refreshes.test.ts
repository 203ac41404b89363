// New tokens of a single-use refresh while Postgres refuses writes, and while the process stops.
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { loadAccess, refreshAccess } from '../../../activities/logins/credentials.ts';
import { createPendingRefreshes } from '../../../activities/logins/pending-refreshes.ts';
import { dependenciesOf } from '../../support/networks/posting.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { readCredentials, readGranted } from '../../support/rows/grants.ts';
import { rowsVault } from '../../support/rows/rows.ts';
import { addAccount } from '../../support/rows/targets.ts';
import { useScriptedNetwork } from '../../support/scripted-network.ts';

const database = useDatabase();
const network = useScriptedNetwork();
const lines: Record<string, unknown>[] = [];

let accountId: string;

beforeEach(async () => {
  lines.length = 0;
  ({ accountId } = await addAccount(database.db));
  network.onRefresh = async () => {
    await refuseWrites();
    // The token works once.
    if (network.refreshes > 1) throw new PlatformError('reauthorize', 'Reused.');
  };
});
afterEach(async () => {
  await acceptWrites();
});

/** New credentials can't be written. Leases can. */
async function refuseWrites(): Promise<void> {
  // A sequence keeps its count although the transaction fails.
  await sql`create sequence if not exists refusals`.execute(database.db);
  await sql`alter sequence refusals restart`.execute(database.db);
  await sql`create or replace function refuse() returns trigger language plpgsql
    as $$ begin perform nextval('refusals'); raise 'read-only'; end $$`.execute(database.db);
  await sql`create or replace trigger refuse before update of credentials on grants
    for each row execute function refuse()`.execute(database.db);
}

async function countRefusals(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select case when is_called then last_value else 0 end::int as count from refusals`.execute(
    database.db,
  );
  return rows[0]!.count;
}

async function acceptWrites(): Promise<void> {
  await sql`drop trigger if exists refuse on grants`.execute(database.db);
}

/** A refresh in a process of its own. */
function createProcess() {
  const write = (line: string) => void lines.push(JSON.parse(line));
  const refreshes = createPendingRefreshes(pino({ base: null, timestamp: false }, { write }));
  const dependencies = { ...dependenciesOf(database.db, network), refreshes };
  return {
    refreshes,
    async refresh() {
      const access = (await loadAccess(dependencies, accountId))!;
      const platform = createPlatforms([network.platform]).get('sandbox')!;
      return refreshAccess(dependencies, platform, access);
    },
  };
}

const tokenOf = () => readCredentials(database.db, rowsVault, accountId);

test('new tokens are written after an outage, and one log line reports the write', async () => {
  const refreshed = createProcess().refresh();
  await expect.poll(() => lines.length).toBe(1);
  await expect.poll(countRefusals).toBeGreaterThan(1);
  await acceptWrites();
  expect(await refreshed).toBe('refreshed');
  expect(await tokenOf()).toEqual({ token: 't+' });
  expect(network.refreshes).toBe(1);
  const { grant_id, refresh_lease_id } = await readGranted(database.db, accountId);
  expect(refresh_lease_id).toBeNull();
  const msg = 'new credentials are not written yet';
  const error = 'error: read-only';
  expect(lines).toEqual([{ level: 50, component: 'logins', grant_id, error, msg }]);
});

test('after an outage, the holder of an expired lease writes before another process refreshes', async () => {
  const first = createProcess().refresh();
  await expect.poll(() => lines.length).toBe(1);
  await sql`update grants set refresh_lease_until = now() - interval '1 s'`.execute(database.db);
  const { refresh_lease_id: expired } = await readGranted(database.db, accountId);
  const second = createProcess().refresh();
  const readLease = async () => (await readGranted(database.db, accountId)).refresh_lease_id;
  await expect.poll(readLease).not.toBe(expired);
  await acceptWrites();
  expect(await Promise.all([first, second])).toEqual(['refreshed', 'replaced']);
  expect(network.refreshes).toBe(1);
  expect(await tokenOf()).toEqual({ token: 't+' });
  expect((await readGranted(database.db, accountId)).refresh_lease_id).toBeNull();
});

test('a stopping process waits until the new tokens are written', async () => {
  const { refresh, refreshes } = createProcess();
  const refreshed = refresh();
  await expect.poll(() => lines.length).toBe(1);
  const settled = refreshes.settle(10_000);
  await acceptWrites();
  await settled;
  expect(await tokenOf()).toEqual({ token: 't+' });
  expect(await refreshed).toBe('refreshed');
  expect(lines).toHaveLength(1);
});

test('a process that stops before the write logs the ID of the login, and no tokens', async () => {
  const { refresh, refreshes } = createProcess();
  const refused = expect(refresh()).rejects.toThrow('read-only');
  await expect.poll(() => lines.length).toBe(1);
  await refreshes.settle(50);
  const { grant_id } = await readGranted(database.db, accountId);
  const msg = 'stopped before the new credentials of a login were written';
  expect(lines.at(-1)).toEqual({ level: 50, component: 'logins', grant_id, msg });
  expect(JSON.stringify(lines)).not.toContain('t+');
  await refused;
});
