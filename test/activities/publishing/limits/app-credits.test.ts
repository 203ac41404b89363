// A target waits while its app has no credits left at the network, and the project learns of it once a day.
import { describe, expect, test } from 'vitest';
import { advanceTarget } from '../../../../activities/publishing/advance-target.ts';
import { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import { putApp } from '../../../../schema/database/accounts/apps.ts';
import { countWaitingTargets } from '../../../../schema/database/dispatch/late-targets.ts';
import { reasonOfRow } from '../../../../schema/database/posts/wait-reason.ts';
import { defaultTargetClock } from '../../../../schema/retry.ts';
import { forEachTest } from '../../../support/fixtures.ts';
import { dependenciesOf } from '../../../support/networks/posting.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { addGrant } from '../../../support/rows/grants.ts';
import { addProject, rowsVault } from '../../../support/rows/rows.ts';
import {
  addAccountOf,
  addTargets,
  targetRun,
  type TestAccount,
} from '../../../support/rows/targets.ts';
import { useScriptedNetwork } from '../../../support/scripted-network.ts';

const minuteMs = 60_000;
const database = useDatabase();
const network = useScriptedNetwork();
const dependencies = forEachTest(() => dependenciesOf(database.db, network, defaultTargetClock));

const outOfCredits = () =>
  new PlatformError('rate_limited', 'No credits.', {
    isOutOfCredits: true,
    retryAfterMs: 15 * minuteMs,
  });

/** A project with an account, whose app is its own or the operator's. */
async function addSender(owner: 'project' | 'operator') {
  const { db } = database;
  const projectId = await addProject(db);
  const app = { platform: 'sandbox', clientId: `client-${projectId}`, clientSecret: 's' } as const;
  const { id } = await putApp(db, owner === 'project' ? projectId : null, rowsVault, app);
  const grantId = await addGrant(db, { projectId, appId: id });
  return { projectId, account: await addAccountOf(db, projectId, grantId, 'ada') };
}

async function addTarget(account: TestAccount) {
  const { resultIds } = await addTargets(database.db, account);
  const resultId = resultIds[0]!;
  const { db } = database;
  return {
    advance: () => advanceTarget(dependencies, { resultId, run: targetRun }),
    read: () =>
      db
        .selectFrom('post_results')
        .selectAll()
        .where('id', '=', resultId)
        .executeTakeFirstOrThrow(),
    /** As if the wait were over. */
    endWait: () =>
      db
        .updateTable('post_results')
        .set({ next_attempt_at: new Date(Date.now() - 1) })
        .where('id', '=', resultId)
        .execute(),
  };
}

const listEvents = (projectId: string) =>
  database.db
    .selectFrom('events')
    .select(['kind', 'body', 'environment'])
    .where('project_id', '=', projectId)
    .execute();

describe('an app without credits', () => {
  test('lets a target wait 15 minutes at a time, and publish later', async () => {
    const { account } = await addSender('operator');
    const target = await addTarget(account);
    network.script = [outOfCredits(), outOfCredits(), 'publish'];
    for (let refusals = 1; refusals <= 2; refusals++) {
      const { waitMs } = await target.advance();
      expect(waitMs).toBeGreaterThan(14 * minuteMs);
      expect(waitMs).toBeLessThanOrEqual(15 * minuteMs);
      const row = await target.read();
      expect(reasonOfRow(row, false)).toBe('app_credits');
      expect(await countWaitingTargets(database.db)).toContainEqual({
        platform: 'sandbox',
        reason: 'app_credits',
        count: 1,
        overdueS: expect.any(Number),
      });
      expect(row.clock.unavailable).toBeUndefined();
      await target.endWait();
    }
    // After a limit, each call of the account takes a slot of its own.
    while ((await target.advance()).waitMs !== null) await target.endWait();
    expect((await target.read()).status).toBe('published');
  });

  test("does not block the account's other targets, because each target makes its own attempt", async () => {
    const { account } = await addSender('operator');
    const [first, second] = [await addTarget(account), await addTarget(account)];
    network.script = [outOfCredits(), 'publish'];
    await first.advance();
    expect((await second.advance()).waitMs).toBeNull();
  });

  test('is replaced as the reason to wait by a later rate limit', async () => {
    const { account } = await addSender('operator');
    const target = await addTarget(account);
    network.script = [outOfCredits(), new PlatformError('rate_limited', 'Slow.')];
    await target.advance();
    await target.endWait();
    await target.advance();
    expect(reasonOfRow(await target.read(), false)).toBe('rate_limit');
  });

  test('causes one event a day if the app is the project’s own', async () => {
    const { projectId, account } = await addSender('project');
    const targets = [await addTarget(account), await addTarget(account), await addTarget(account)];
    network.script = [outOfCredits(), outOfCredits(), outOfCredits()];
    await targets[0]!.advance();
    await targets[1]!.advance();
    const [event, ...others] = await listEvents(projectId);
    expect(others).toEqual([]);
    expect(event!.kind).toBe('platform_app.credits_exhausted');
    expect(JSON.parse(event!.body).data).toEqual({
      platform: 'sandbox',
      client_id: `client-${projectId}`,
    });
    await database.db
      .updateTable('platform_apps')
      .set({ credits_exhausted_at: new Date(Date.now() - 25 * 60 * minuteMs) })
      .where('project_id', '=', projectId)
      .execute();
    await targets[2]!.advance();
    expect(await listEvents(projectId)).toHaveLength(2);
  });

  test('causes no event for a project that uses the operator’s app', async () => {
    const { projectId, account } = await addSender('operator');
    network.script = [outOfCredits()];
    await (await addTarget(account)).advance();
    expect(await listEvents(projectId)).toEqual([]);
  });
});
