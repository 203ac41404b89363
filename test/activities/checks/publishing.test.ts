// The post of a check: published at most once, whatever is lost, and removed.
import { beforeEach, describe, expect, test } from 'vitest';
import { advanceCheck } from '../../../activities/checks/advance-check.ts';
import type { CheckDependencies } from '../../../activities/checks/dependencies.ts';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type { AccountChecks, Platform, Unpublish } from '../../../activities/platforms/platform.ts';
import { addUsage } from '../../../schema/database/accounts/usage.ts';
import { insertPause } from '../../../schema/database/pauses.ts';
import {
  accountLimitKey,
  appLimitKey,
  reserveSlot,
  setBlocked,
} from '../../../schema/database/posts/rate-limits.ts';
import { publicUrlsAt } from '../../support/account-checks/media-host.ts';
import {
  addCheck,
  checkDependencies,
  readCheck,
  statusesOf,
  takeToEnd,
} from '../../support/account-checks/run-check.ts';
import type { Connection } from '../../support/networks/connection.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';
import { useScriptedNetwork } from '../../support/scripted-network.ts';

const database = useDatabase();
const network = useScriptedNetwork();
const month = '2026-01';

const connection: Connection = {
  credentials: { token: 't' },
  scope: [],
  tokenExpiresAt: null,
  externalAccountId: 'ada',
  accountName: 'ada',
};

let removed: string[];
let removalError: PlatformError | undefined;
beforeEach(() => {
  removed = [];
  removalError = undefined;
});

const checks: AccountChecks = {
  inspect: ({ externalAccountId }) =>
    Promise.resolve({ scope: [], accounts: [{ externalAccountId, problem: null }] }),
};

const unpublish: Unpublish = {
  remove({ externalId }) {
    if (removalError) return Promise.reject(removalError);
    removed.push(externalId);
    return Promise.resolve();
  },
};

async function begin(change: Partial<Platform> = {}) {
  const { db } = database;
  const platform = { ...network.platform, checks, unpublish, ...change };
  const added = await addCheck(db, { platform, connection }, { publishes: true });
  const { projectId, accountId, checkId } = added;
  await inQuietTransaction(db, (trx) => addUsage(trx, projectId, { accountId, month }, 1));
  await db
    .updateTable('account_checks')
    .set({ usage_month: month })
    .where('id', '=', checkId)
    .execute();
  const urls = publicUrlsAt('https://media.test');
  return { ...added, dependencies: checkDependencies(db, { platform, connection }, urls) };
}

async function readUsage(accountId: string): Promise<number> {
  const { published } = await database.db
    .selectFrom('account_usage')
    .select('published')
    .where('social_account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return published;
}

describe('the post of a check', () => {
  test('is published, read back, removed and counted', async () => {
    const { checkId, accountId, dependencies } = await begin();
    const check = await takeToEnd(dependencies, checkId);
    expect(check.status, JSON.stringify(check.steps)).toBe('passed');
    expect(network.posts).toEqual([check.result_id]);
    expect(removed).toEqual(['post-0']);
    expect(await readUsage(accountId)).toBe(1);
    expect(check).toMatchObject({ progress: null, usage_month: month });
  });

  test('is found and removed after a lost answer', async () => {
    network.script = ['lose_answer'];
    const { checkId, dependencies } = await begin();
    const check = await takeToEnd(dependencies, checkId);
    expect(check.status, JSON.stringify(check.steps)).toBe('passed');
    expect([network.calls, removed]).toEqual([1, ['post-0']]);
  });

  test('is looked for by another execution, and not sent again', async () => {
    const { checkId, dependencies } = await begin();
    // The process dies after the call, before it records the answer.
    await expect(advanceCheck(withoutRecord(dependencies), { checkId })).rejects.toThrow('died');
    expect(network.calls).toBe(1);
    const check = await takeToEnd(dependencies, checkId);
    expect(check.status, JSON.stringify(check.steps)).toBe('passed');
    expect([network.calls, removed]).toEqual([1, ['post-0']]);
  });

  test('does not count in the usage if the network refuses it', async () => {
    network.script = ['reject'];
    const { checkId, accountId, dependencies } = await begin();
    const check = await takeToEnd(dependencies, checkId);
    expect(statusesOf(check)).toMatchObject({
      publication: 'failed',
      read_back: 'skipped',
      removal: 'skipped',
    });
    expect(await readUsage(accountId)).toBe(0);
    expect(check.usage_month).toBeNull();
  });

  test('counts in the usage if its outcome is unknown', async () => {
    network.script = ['lose_answer'];
    const { reconcile: _, ...blind } = network.platform;
    const { checkId, accountId, dependencies } = await begin();
    const platforms = createPlatforms([{ ...blind, checks, unpublish }]);
    const check = await takeToEnd({ ...dependencies, platforms }, checkId);
    expect(check.steps.find(({ name }) => name === 'publication')).toMatchObject({
      status: 'failed',
      code: 'outcome_unknown',
    });
    expect(await readUsage(accountId)).toBe(1);
  });

  test('is removed even if it could not be read back', async () => {
    const { checkId, dependencies } = await begin({
      reconcile: () => Promise.resolve({ outcome: 'absent' }),
    });
    const check = await takeToEnd(dependencies, checkId);
    expect(statusesOf(check)).toMatchObject({ read_back: 'failed', removal: 'passed' });
    expect(removed).toEqual(['post-0']);
  });

  test('fails the check if it can not be removed', async () => {
    removalError = new PlatformError('rejected', 'The post is locked.');
    const { checkId, dependencies } = await begin();
    const check = await takeToEnd(dependencies, checkId);
    expect(check.status).toBe('failed');
    expect(check.steps.at(-1)).toMatchObject({
      name: 'removal',
      code: 'rejected',
      message: 'The post is locked.',
    });
  });

  test('is not published during a pause', async () => {
    const { projectId, checkId, accountId, dependencies } = await begin();
    await insertPause(database.db, projectId);
    const check = await takeToEnd(dependencies, checkId);
    expect(statusesOf(check)).toMatchObject({ login: 'passed', publication: 'failed' });
    expect([network.calls, await readUsage(accountId)]).toEqual([0, 0]);
  });

  test('is looked for if the database was restored since the check began', async () => {
    const { checkId, dependencies } = await begin();
    await database.db
      .insertInto('restores')
      .values({ restored_at: new Date(Date.now() + 60_000) })
      .execute();
    const check = await takeToEnd(dependencies, checkId);
    await database.db.deleteFrom('restores').execute();
    expect(statusesOf(check)['publication']).toBe('failed');
    expect(network.calls).toBe(0);
  });

  test('is looked for even during a pause if the database was restored', async () => {
    const prepared: unknown[] = [];
    const { projectId, checkId, dependencies } = await begin({
      checks: { ...checks, canPrepare: true },
      prepare: () => Promise.resolve({ outcome: 'prepared', state: { container: 'new' } }),
      reconcile: ({ state }) => {
        prepared.push(state);
        const published = { externalId: 'post-0', url: null, visibility: 'public' };
        const isOther = 'container' in state;
        return Promise.resolve(
          isOther ? { outcome: 'absent' } : { outcome: 'published', published },
        );
      },
    });
    await insertPause(database.db, projectId);
    await database.db
      .insertInto('restores')
      .values({ restored_at: new Date(Date.now() + 60_000) })
      .execute();
    const check = await takeToEnd(dependencies, checkId);
    await database.db.deleteFrom('restores').execute();
    expect(check.status, JSON.stringify(check.steps)).toBe('passed');
    expect([network.calls, removed, prepared]).toEqual([0, ['post-0'], [{}, {}]]);
  });

  test('is not sent after a long delay, and does not count in the usage', async () => {
    const { checkId, accountId, dependencies } = await begin();
    const check = await takeToEnd(laterBy(16 * 60_000, dependencies), checkId);
    const publication = check.steps.find(({ name }) => name === 'publication');
    expect(publication).toMatchObject({ status: 'failed', code: 'unavailable' });
    expect([network.calls, await readUsage(accountId)]).toEqual([0, 0]);
  });

  test('is looked for and removed even after a long outage', async () => {
    const { checkId, dependencies } = await begin();
    await expect(advanceCheck(withoutRecord(dependencies), { checkId })).rejects.toThrow('died');
    const check = await takeToEnd(laterBy(3_600_000, dependencies), checkId);
    expect(check.status, JSON.stringify(check.steps)).toBe('passed');
    expect([network.calls, removed]).toEqual([1, ['post-0']]);
  });

  test('is not sent if another execution took over during the refresh', async () => {
    const { checkId, dependencies } = await begin();
    network.expiredTokens.add('t');
    network.onRefresh = async () => {
      await database.db
        .updateTable('account_checks')
        .set(({ eb }) => ({ version: eb('version', '+', 1) }))
        .where('id', '=', checkId)
        .execute();
    };
    const check = await takeToEnd(dependencies, checkId);
    expect(statusesOf(check)['publication']).toBe('failed');
    expect([network.calls, network.posts]).toEqual([1, []]);
  });

  test('is not sent while a rate limit holds the posts of the account', async () => {
    const { checkId, accountId, dependencies } = await begin();
    await setBlocked(database.db, accountLimitKey(accountId), 60_000);
    const check = await takeToEnd(dependencies, checkId);
    const publication = check.steps.find(({ name }) => name === 'publication');
    expect(publication).toMatchObject({ status: 'failed', code: 'rate_limited' });
    expect([network.calls, await readUsage(accountId)]).toEqual([0, 0]);
  });

  test("counts toward the operator's limit of posts per minute", async () => {
    const { checkId, dependencies } = await begin();
    const { name } = network.platform.definition;
    const reserve = () => reserveSlot(database.db, appLimitKey(name), 60_000);
    const { at: before } = await reserve();
    const check = await takeToEnd({ ...dependencies, postsPerMinute: { [name]: 1 } }, checkId);
    const { at: after } = await reserve();
    expect(check.status, JSON.stringify(check.steps)).toBe('passed');
    expect(after.getTime() - before.getTime()).toBe(120_000);
  });
});

test('a check of an erased account ends', async () => {
  const { checkId, dependencies } = await begin();
  await database.db.deleteFrom('account_checks').where('id', '=', checkId).execute();
  expect(await advanceCheck(dependencies, { checkId })).toBeNull();
});

test('a check waits while its project has no free place for a call', async () => {
  const { checkId, dependencies } = await begin();
  const places = { acquire: () => undefined };
  expect(await advanceCheck({ ...dependencies, places }, { checkId })).toBe(1_000);
  expect((await readCheck(database.db, checkId)).version).toBe(0);
});

test('a check tries less and less often while its project has no free place for a call', async () => {
  const { checkId, dependencies } = await begin();
  const crowded = { ...dependencies, places: { acquire: () => undefined } };
  const ask = (ms: number) => advanceCheck(laterBy(ms, crowded), { checkId });
  expect(await ask(100_000)).toBeGreaterThanOrEqual(10_000);
  expect(await ask(3_600_000)).toBe(30_000);
});

test('a check ends after half an hour if its step always throws', async () => {
  const { checkId, accountId, dependencies } = await begin();
  await database.db
    .updateTable('account_checks')
    .set({ progress: Buffer.from('lost'), progress_key_id: 'lost' })
    .where('id', '=', checkId)
    .execute();
  await expect(advanceCheck(dependencies, { checkId })).rejects.toThrow();
  const check = await takeToEnd(laterBy(31 * 60_000, dependencies), checkId);
  expect(check.steps[0]).toMatchObject({ status: 'failed', code: 'unavailable' });
  expect([check.status, await readUsage(accountId)]).toEqual(['failed', 0]);
});

test("a problem is stored without the characters that Postgres can't store", async () => {
  const problem = `No\0\uD800${'!'.repeat(2_000)}`;
  const inspect: AccountChecks['inspect'] = ({ externalAccountId }) =>
    Promise.resolve({ scope: [], accounts: [{ externalAccountId, problem }] });
  const { checkId, dependencies } = await begin({ checks: { ...checks, inspect } });
  const check = await takeToEnd(dependencies, checkId);
  expect(check.steps[1]).toMatchObject({ name: 'scopes', code: 'permission_missing' });
  expect(check.steps[1]!.message).toMatch(/^No\uFFFD!{997}$/);
});

/** Some time after the check began. */
const laterBy = (ms: number, dependencies: CheckDependencies): CheckDependencies => ({
  ...dependencies,
  now: () => Date.now() + ms,
});

/** Writes nothing more once the network has answered the commit. */
function withoutRecord(dependencies: CheckDependencies): CheckDependencies {
  const { vault } = dependencies;
  const dying = {
    ...vault,
    seal(text: string, context: string) {
      if (network.calls > 0) throw new Error('The process died.');
      return vault.seal(text, context);
    },
  };
  return { ...dependencies, vault: dying };
}
