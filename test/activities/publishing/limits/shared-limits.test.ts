// Rate limits that other calls reported: which calls wait for them, for how long, and until when.
import { beforeEach, describe, expect, test } from 'vitest';
import { advanceTarget } from '../../../../activities/publishing/advance-target.ts';
import { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import { insertPause } from '../../../../schema/database/pauses.ts';
import { defaultTargetClock } from '../../../../schema/retry.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { dependenciesOf } from '../../../support/networks/posting.ts';
import { forEachTest } from '../../../support/fixtures.ts';
import { useScriptedNetwork } from '../../../support/scripted-network.ts';
import {
  addAccount,
  addTargets,
  advanceToEnd,
  getResult,
  targetRun,
} from '../../../support/rows/targets.ts';

const hourMs = 3_600_000;

const database = useDatabase();

beforeEach(async () => {
  await database.db.deleteFrom('rate_limits').execute();
  await database.db.deleteFrom('sending_pauses').execute();
});
const network = useScriptedNetwork();
const dependencies = forEachTest(() =>
  dependenciesOf(database.db, network, {
    ...defaultTargetClock,
    reconcileDelaysMs: [0, 50, 5],
    unavailableDelaysMs: [1, 1],
  }),
);

/** A target, and the limit that its network reported for its account. */
async function addTarget(blockedForMs?: number): Promise<{ resultId: string; key: string }> {
  const account = await addAccount(database.db);
  const { resultIds } = await addTargets(database.db, account);
  const key = `account/${account.accountId}`;
  if (blockedForMs !== undefined) await block(key, blockedForMs);
  return { resultId: resultIds[0]!, key };
}

const block = (key: string, forMs: number) =>
  database.db
    .insertInto('rate_limits')
    .values({ key, blocked_until: new Date(Date.now() + forMs) })
    .execute();

const blockedUntil = async (key: string) => {
  const known = database.db
    .selectFrom('rate_limits')
    .select('blocked_until')
    .where('key', '=', key);
  return (await known.executeTakeFirst())?.blocked_until ?? null;
};

async function setClock(resultId: string, clock: object, phase: 'commit' | 'reconcile' = 'commit') {
  await database.db
    .updateTable('post_results')
    .set({ clock: JSON.stringify(clock), phase, status: 'publishing' })
    .where('id', '=', resultId)
    .execute();
}

const advance = (resultId: string) => advanceTarget(dependencies, { resultId, run: targetRun });
const advanceWhole = (resultId: string) => advanceToEnd(dependencies, resultId);

describe('a limit of the account', () => {
  test('does not delay the check for a post whose answer was lost', async () => {
    const { resultId } = await addTarget(7 * hourMs);
    network.posts.push(resultId);
    await setClock(resultId, { reconcileChecks: 1 }, 'reconcile');
    expect((await advanceWhole(resultId)).status).toBe('published');
    expect(network.calls).toBe(0);
  });

  test.each(['a limit', 'a pause'])(
    'continues to check while %s delays the repeat of a commit that may have arrived',
    async (obstacle) => {
      const { resultId } = await addTarget(obstacle === 'a limit' ? 7 * hourMs : undefined);
      if (obstacle === 'a pause') await insertPause(database.db, 'sandbox');
      network.posts.push(resultId);
      await setClock(resultId, { reconcileChecks: 1 });
      expect((await advanceWhole(resultId)).status).toBe('published');
      expect(network.calls).toBe(0);
    },
  );
});

describe('a wait that a network requests', () => {
  test.each([
    [1e20, 26 * hourMs],
    [Infinity, 30_000],
    [NaN, 30_000],
    [-1, 30_000],
    [0, 30_000],
  ])('%d ms counts as %i ms', async (retryAfterMs, expectedMs) => {
    dependencies.clock = { ...dependencies.clock, rateLimitedForMs: 48 * hourMs };
    const { resultId, key } = await addTarget();
    network.script = [new PlatformError('rate_limited', 'Slow down.', { retryAfterMs })];
    const { waitMs } = await advance(resultId);
    expect(Math.abs(waitMs! - expectedMs)).toBeLessThan(5_000);
    const until = await blockedUntil(key);
    expect(Math.abs(until!.getTime() - Date.now() - expectedMs)).toBeLessThan(5_000);
  });

  test.each([
    [1e20, 26 * hourMs],
    [Infinity, null],
    [NaN, null],
    [-1, null],
  ])('%d ms, reported with a post, lasts %i ms', async (waitMs, expectedMs) => {
    const { resultId, key } = await addTarget();
    network.throttle = { scope: 'account', waitMs };
    expect((await advanceWhole(resultId)).status).toBe('published');
    const until = await blockedUntil(key);
    if (expectedMs === null) expect(until).toBeNull();
    else expect(Math.abs(until!.getTime() - Date.now() - expectedMs)).toBeLessThan(5_000);
  });
});

describe('how long a target waits for limits', () => {
  const limited = () => new PlatformError('rate_limited', 'Slow.', { retryAfterMs: hourMs });

  test('is counted from the first limit', async () => {
    const { resultId } = await addTarget();
    await setClock(resultId, { rateLimitedSinceMs: Date.now() - 5.5 * hourMs });
    network.script = [limited()];
    await advance(resultId);
    expect(await getResult(database.db, resultId)).toMatchObject({ error_code: 'rate_limited' });
  });

  test.each(['cut_before', new PlatformError('unknown_outcome', 'No answer.')] as const)(
    'starts anew after a call that was not limited: %s',
    async (behaviour) => {
      const { resultId } = await addTarget();
      await setClock(resultId, { rateLimitedSinceMs: Date.now() - 5.5 * hourMs });
      network.script = [behaviour, limited()];
      await advanceUntilLimited(resultId);
      const { status, clock } = await getResult(database.db, resultId);
      expect(status).toBe('publishing');
      expect(Date.now() - clock.rateLimitedSinceMs!).toBeLessThan(5_000);
    },
  );
});

async function advanceUntilLimited(resultId: string): Promise<void> {
  await expect
    .poll(async () => (await advance(resultId)).waitMs, { interval: 10 })
    .toBeGreaterThan(hourMs / 2);
}
