// A target waits while its account has used up its quota at the network, and its other targets ask by themselves.
import { describe, expect, test } from 'vitest';
import { advanceTarget } from '../../../../activities/publishing/advance-target.ts';
import { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import { countWaitingTargets } from '../../../../schema/database/dispatch/late-targets.ts';
import { reasonOfRow } from '../../../../schema/database/posts/wait-reason.ts';
import { defaultTargetClock } from '../../../../schema/retry.ts';
import { forEachTest } from '../../../support/fixtures.ts';
import { dependenciesOf } from '../../../support/networks/posting.ts';
import { useDatabase } from '../../../support/rows/database.ts';
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
