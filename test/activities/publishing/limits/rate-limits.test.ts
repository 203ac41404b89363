// Rate limits shared by all workers: one call learns of a limit, and every other call waits.
import { beforeEach, describe, expect, test } from 'vitest';
import { advanceTarget } from '../../../../activities/publishing/advance-target.ts';
import { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import { connectDatabase } from '../../../../schema/database/connect.ts';
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

const database = useDatabase();

beforeEach(async () => {
  await database.db.deleteFrom('rate_limits').execute();
});
const network = useScriptedNetwork();
const dependencies = forEachTest(() => dependenciesOf(database.db, network, defaultTargetClock));

async function addTarget(account: Awaited<ReturnType<typeof addAccount>>): Promise<string> {
  const { resultIds } = await addTargets(database.db, account);
  return resultIds[0]!;
}

const advance = (resultId: string) => advanceTarget(dependencies, { resultId, run: targetRun });

describe('a refusal of an account', () => {
  test("delays the account's other targets without a call, and delays no other account", async () => {
    const [throttled, other] = [await addAccount(database.db), await addAccount(database.db)];
    network.script = ['rate_limit'];
    await advance(await addTarget(throttled));
    const second = await addTarget(throttled);
    const { waitMs } = await advance(second);
    expect(waitMs).toBeGreaterThan(50_000);
    expect(network.calls).toBe(1);
    expect(await getResult(database.db, second)).toMatchObject({ steps: 0, status: 'pending' });
    expect((await getResult(database.db, second)).next_attempt_at).not.toBeNull();
    expect(await advance(await addTarget(other))).toEqual({ waitMs: null });
    expect(network.posts).toHaveLength(1);
  });

  test('delays targets for the configured time if it names no time', async () => {
    const account = await addAccount(database.db);
    network.script = ['rate_limit_app'];
    await advance(await addTarget(account));
    const { waitMs } = await advance(await addTarget(await addAccount(database.db)));
    expect(waitMs).toBeGreaterThan(20_000);
    expect(waitMs).toBeLessThan(30_500);
    expect(network.calls).toBe(1);
  });

  test('fails a target that would have to wait for more than six hours', async () => {
    const account = await addAccount(database.db);
    await database.db
      .insertInto('rate_limits')
      .values({
        key: `account/${account.accountId}`,
        blocked_until: new Date(Date.now() + 6 * 3_600_000 + 60_000),
      })
      .execute();
    const resultId = await addTarget(account);
    await advance(resultId);
    expect(await getResult(database.db, resultId)).toMatchObject({
      status: 'failed',
      error_code: 'rate_limited',
      is_retriable: true,
      next_action: 'wait',
    });
    expect(network.calls).toBe(0);
  });
});

describe('refusals in a row that ask for one second', () => {
  const refusal = () => new PlatformError('rate_limited', 'Slow down.', { retryAfterMs: 1_000 });

  /** Lets all waits pass. */
  async function passWaits(): Promise<void> {
    await database.db
      .updateTable('rate_limits')
      .set({ blocked_until: new Date(0) })
      .execute();
    await database.db.updateTable('post_results').set({ next_attempt_at: null }).execute();
  }

  test('delay the targets of the account longer each time', async () => {
    const account = await addAccount(database.db);
    const [first, second] = [await addTarget(account), await addTarget(account)];
    network.script = Array.from({ length: 7 }, refusal);
    const waits: number[] = [];
    for (let i = 0; i < 7; i++) {
      await passWaits();
      await database.db
        .updateTable('rate_limits')
        .set({ next_free_at: new Date(0) })
        .execute();
      await advance(first);
      waits.push((await advance(second)).waitMs!);
    }
    for (const [i, leastMs] of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000].entries()) {
      expect(waits[i]).toBeLessThanOrEqual(leastMs);
      if (leastMs > 2_000) expect(waits[i]).toBeGreaterThan(leastMs - 2_000);
    }
    expect(network.calls).toBe(7);
  });

  test('let the targets of the account try one after the other', async () => {
    const account = await addAccount(database.db);
    const resultIds = await Promise.all(Array.from({ length: 6 }, () => addTarget(account)));
    network.script = [refusal()];
    for (const id of resultIds) await advance(id);
    expect(network.calls).toBe(1);
    await passWaits();
    await Promise.all(resultIds.map(advance));
    expect(network.calls).toBeLessThan(1 + resultIds.length);
    const rows = await Promise.all(resultIds.map((id) => getResult(database.db, id)));
    const slots = rows.flatMap(({ clock }) => clock.slotAtMs ?? []).toSorted((a, b) => a - b);
    expect(slots.length).toBeGreaterThan(1);
    for (const [i, slot] of slots.entries()) {
      expect(slot - slots[0]!).toBeGreaterThanOrEqual(i * 1_000 - 1);
    }
  });
});

describe('a limit that a network reports with a success', () => {
  test.each(['account', 'app'] as const)('delays every other target: %s', async (scope) => {
    const [account, other] = [await addAccount(database.db), await addAccount(database.db)];
    network.throttle = { scope, waitMs: 60_000 };
    const first = await addTarget(account);
    await advance(first);
    expect((await getResult(database.db, first)).status).toBe('published');
    const { waitMs } = await advance(await addTarget(account));
    expect(waitMs).toBeGreaterThan(50_000);
    expect(network.calls).toBe(1);
    const elsewhere = await advance(await addTarget(other));
    if (scope === 'account') expect(elsewhere).toEqual({ waitMs: null });
    else expect(elsewhere.waitMs).toBeGreaterThan(50_000);
  });
});

test('a later report of a shorter limit does not end a longer limit', async () => {
  const account = await addAccount(database.db);
  const until = new Date(Date.now() + 120_000);
  await database.db
    .insertInto('rate_limits')
    .values({ key: `account/${account.accountId}`, blocked_until: until })
    .execute();
  network.script = ['rate_limit'];
  const { waitMs } = await advance(await addTarget(account));
  expect(waitMs).toBeGreaterThan(100_000);
});

describe("the operator's ceiling", () => {
  test('gives each commit its own slot, from any worker', async () => {
    Object.assign(dependencies, { postsPerMinute: { sandbox: 300 } });
    const connecting = { url: database.url, maxConnections: 5, applicationName: 'another worker' };
    const connection = connectDatabase(connecting);
    const workers = [dependencies, { ...dependencies, db: connection.db }];
    const startedAt = Date.now();
    const accounts = await Promise.all(Array.from({ length: 4 }, () => addAccount(database.db)));
    const resultIds = await Promise.all(accounts.map(addTarget));
    const ended = await Promise.all(
      resultIds.map((id, i) => advanceToEnd(workers[i % workers.length]!, id)),
    );
    await connection.close();
    expect(ended.map((row) => row.status)).toEqual(Array(4).fill('published'));
    // Slots at 0, 200, 400 and 600 ms. A commit may be late, which brings the next one closer.
    const times = ended.map((row) => row.published_at!.getTime()).toSorted((a, b) => a - b);
    for (const [i, time] of times.entries()) {
      expect(time - startedAt).toBeGreaterThanOrEqual(i * 200 - 10);
    }
  });

  test('shows when a target that waits for its slot will be tried', async () => {
    Object.assign(dependencies, { postsPerMinute: { sandbox: 1 } });
    const account = await addAccount(database.db);
    expect(await advance(await addTarget(account))).toEqual({ waitMs: null });
    const second = await addTarget(account);
    const { waitMs } = await advance(second);
    expect(waitMs).toBeGreaterThan(50_000);
    const { next_attempt_at } = await getResult(database.db, second);
    expect(next_attempt_at!.getTime() - Date.now()).toBeGreaterThan(50_000);
    // If it is advanced too early, it reserves no second slot.
    expect((await advance(second)).waitMs).toBeGreaterThan(50_000);
    const row = await database.db
      .selectFrom('rate_limits')
      .select('next_free_at')
      .where('key', '=', 'app/sandbox')
      .executeTakeFirstOrThrow();
    expect(row.next_free_at!.getTime() - Date.now()).toBeLessThan(121_000);
  });

  test.each([
    [60_000, 'is lost'],
    [1_000, 'counts'],
  ])('a slot that was due %i ms ago %s', async (agoMs, word) => {
    Object.assign(dependencies, { postsPerMinute: { sandbox: 1 } });
    const resultId = await addTarget(await addAccount(database.db));
    await database.db
      .updateTable('post_results')
      .set({ clock: JSON.stringify({ slotAtMs: Date.now() - agoMs }) })
      .where('id', '=', resultId)
      .execute();
    // Others have reserved the slots up to then.
    await database.db
      .insertInto('rate_limits')
      .values({ key: 'app/sandbox', next_free_at: new Date(Date.now() + 30_000) })
      .execute();
    const { waitMs } = await advance(resultId);
    if (word === 'counts') expect(waitMs).toBeNull();
    else expect(waitMs).toBeGreaterThan(25_000);
    expect(network.calls).toBe(word === 'counts' ? 1 : 0);
  });
});
