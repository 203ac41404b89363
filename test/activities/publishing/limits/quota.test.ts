// A target waits while its account has used up its quota at the network, and its other targets ask by themselves.
// While an app has used up its quota, all targets of the app wait.
import { beforeEach, describe, expect, test } from 'vitest';
import { advanceTarget } from '../../../../activities/publishing/advance-target.ts';
import { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import { countWaitingTargets } from '../../../../schema/database/dispatch/late-targets.ts';
import { sealState } from '../../../../schema/database/posts/provider-state.ts';
import { reasonOfRow } from '../../../../schema/database/posts/wait-reason.ts';
import { defaultTargetClock } from '../../../../schema/retry.ts';
import { forEachTest } from '../../../support/fixtures.ts';
import { dependenciesOf } from '../../../support/networks/posting.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { rowsVault } from '../../../support/rows/rows.ts';
import { addAccount, addTargets, getResult, targetRun } from '../../../support/rows/targets.ts';
import { useScriptedNetwork } from '../../../support/scripted-network.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const database = useDatabase();
const network = useScriptedNetwork();
const dependencies = forEachTest(() => dependenciesOf(database.db, network, defaultTargetClock));

const outOfQuota = () => new PlatformError('rate_limited', 'All used.', { isOutOfQuota: true });
const advance = (resultId: string) => advanceTarget(dependencies, { resultId, run: targetRun });

/** As if the wait were over. */
const endWait = (resultId: string) =>
  database.db
    .updateTable('post_results')
    .set({ next_attempt_at: new Date(Date.now() - 1) })
    .where('id', '=', resultId)
    .execute();

/** Until the network is called: after a limit, each call of the account takes a slot of its own. */
async function callOnce(resultId: string): Promise<void> {
  for (const before = network.calls; network.calls === before;) {
    await endWait(resultId);
    await advance(resultId);
  }
}

async function addTwo(): Promise<[string, string]> {
  const account = await addAccount(database.db);
  const [one, two] = [
    await addTargets(database.db, account),
    await addTargets(database.db, account),
  ];
  return [one.resultIds[0]!, two.resultIds[0]!];
}

describe('an account that is out of quota', () => {
  test('lets a target wait 15 minutes at a time, and publish later', async () => {
    const [resultId] = await addTwo();
    network.script = [outOfQuota(), outOfQuota(), 'publish'];
    for (let refusals = 1; refusals <= 2; refusals++) {
      const { waitMs } = await advance(resultId);
      expect(waitMs).toBeGreaterThan(14 * minuteMs);
      expect(waitMs).toBeLessThanOrEqual(15 * minuteMs);
      expect(reasonOfRow(await getResult(database.db, resultId), false)).toBe('quota');
      expect(await countWaitingTargets(database.db)).toContainEqual({
        platform: 'sandbox',
        reason: 'quota',
        count: 1,
        overdueS: expect.any(Number),
      });
      await endWait(resultId);
    }

    await callOnce(resultId);
    expect(await getResult(database.db, resultId)).toMatchObject({ status: 'published' });
  });

  test('does not block its other targets, which may have separate quotas', async () => {
    const [first, second] = await addTwo();
    network.script = [outOfQuota(), 'publish'];
    await advance(first);
    expect((await advance(second)).waitMs).toBeNull();
  });

  test('keeps the start of its wait through network failures, and clears their count afterwards', async () => {
    const [resultId] = await addTwo();
    network.script = [outOfQuota(), new PlatformError('unavailable', 'Down.'), outOfQuota()];
    await advance(resultId);
    const { quotaSinceMs } = (await getResult(database.db, resultId)).clock;
    await callOnce(resultId);
    const failed = await getResult(database.db, resultId);
    expect(failed.clock).toMatchObject({ quotaSinceMs, unavailable: 1 });
    expect(reasonOfRow(failed, false)).toBe('network');
    await callOnce(resultId);
    const { clock } = await getResult(database.db, resultId);
    expect([clock.quotaSinceMs, clock.unavailable]).toEqual([quotaSinceMs, undefined]);
  });

  test('fails a target after 48 hours, not after the 6 hours of a rate limit', async () => {
    const [resultId] = await addTwo();
    network.script = [outOfQuota(), outOfQuota(), outOfQuota()];
    await advance(resultId);
    for (const agoMs of [47 * hourMs, 48 * hourMs]) {
      await database.db
        .updateTable('post_results')
        .set({ clock: JSON.stringify({ quotaSinceMs: Date.now() - agoMs }) })
        .where('id', '=', resultId)
        .execute();
      await callOnce(resultId);
    }
    expect(await getResult(database.db, resultId)).toMatchObject({
      status: 'failed',
      error_code: 'quota_exhausted',
      error_message: 'All used.',
      is_retriable: true,
      next_action: 'wait',
    });
  });
});

describe('an app that is out of quota', () => {
  const noQuotaOfApp = () =>
    new PlatformError('rate_limited', 'The app has used all.', {
      isOutOfQuota: true,
      throttled: 'app',
      retryAfterMs: 20 * hourMs,
    });
  const within = { least: 19 * hourMs, most: 20 * hourMs };
  beforeEach(async () => {
    await database.db.deleteFrom('rate_limits').execute();
  });

  const expectWait = (waitMs: number | null) => {
    expect(waitMs).toBeGreaterThan(within.least);
    expect(waitMs).toBeLessThanOrEqual(within.most);
  };

  test('holds its accounts without another call, for longer than a rate limit may last', async () => {
    const [[first], [other]] = [await addTwo(), await addTwo()];
    network.script = [noQuotaOfApp()];
    expectWait((await advance(first)).waitMs);
    expectWait((await advance(other)).waitMs);
    expect(network.calls).toBe(1);
    expect(reasonOfRow(await getResult(database.db, other), false)).toBe('quota');
  });

  test('holds no target that has begun', async () => {
    const [[first], [begun]] = [await addTwo(), await addTwo()];
    network.script = [noQuotaOfApp()];
    await advance(first);
    await database.db
      .updateTable('post_results')
      .set(sealState(rowsVault, begun, { upload: '1' }))
      .where('id', '=', begun)
      .execute();
    expect((await advance(begun)).waitMs).toBeNull();
    expect(network.posts).toEqual([begun]);
  });

  test('fails a target that has waited for 48 hours', async () => {
    const [[first], [other]] = [await addTwo(), await addTwo()];
    network.script = [noQuotaOfApp()];
    await advance(first);
    await database.db
      .updateTable('post_results')
      .set({ clock: JSON.stringify({ quotaSinceMs: Date.now() - 29 * hourMs }) })
      .where('id', '=', other)
      .execute();
    await advance(other);
    expect(await getResult(database.db, other)).toMatchObject({
      status: 'failed',
      error_code: 'quota_exhausted',
    });
    expect(network.calls).toBe(1);
  });
});
