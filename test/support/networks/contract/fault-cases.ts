// How the connector of every network handles a fault, on the engine with its database.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Target } from '../../../../activities/platforms/platform.ts';
import type { PostAttemptRow } from '../../../../schema/database/tables.ts';
import { newId } from '../../../../schema/wire/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../rows/database.ts';
import { refusal } from '../../checks/platform-refusal.ts';
import { findExpectedEnd } from '../expected-end.ts';
import { createSwitchboard, type Fault } from '../faults.ts';
import { advanceToEnd, dependenciesOf, writePost } from '../posting.ts';
import { expectConsistent } from '../consistency.ts';
import { createConnector } from './connector.ts';
import { toKind } from './kind.ts';
import type { NetworkSubject } from './subject.ts';
import { prepareTarget, publishTarget } from '../target.ts';
import { readGranted } from '../../rows/grants.ts';
import { connectTo } from '../connection.ts';

const silent: readonly Fault[] = ['cut_before', 'hang_before', 'refused', 'error_before'];
const lost: readonly Fault[] = ['answer_lost', 'hang_after', 'error_after', 'garbage'];
const troubles: readonly Fault[] = [
  'limited',
  'unavailable',
  'error_before',
  'cut_before',
  'hang_before',
  'garbage',
  'echoed',
];

export function describeFaultCases(subject: NetworkSubject): void {
  const kind = toKind(subject);
  const { publishingCall = 1 } = subject;
  let database: TestDatabase;
  beforeAll(async () => {
    vi.setConfig({ maxConcurrency: 8 });
    database = await createTestDatabase();
  });
  afterAll(async () => {
    vi.resetConfig();
    await database?.drop();
  });

  /** Publishes a post until it ends. The first commit meets the fault. */
  async function publishThrough(fault: Fault) {
    await using network = await kind.start(database.db);
    const { db } = database;
    network.switchboard.plans.push({ stage: 'commit', call: publishingCall, times: 1, fault });
    const dependencies = dependenciesOf(db, network);
    const post = await writePost(db, network);
    const startedMs = performance.now();
    await advanceToEnd(dependencies, post.resultIds[0]!);
    const tookMs = performance.now() - startedMs;
    const [row] = await expectConsistent(dependencies, network, post);
    const posts = await network.listPosts();
    const end = {
      status: row!.status,
      ...(row!.status === 'failed' && { errorCode: row!.error_code, stage: row!.failure_stage }),
      postCount: posts.length,
    };
    const attempts = await db
      .selectFrom('post_attempts')
      .selectAll()
      .where('result_id', '=', row!.id)
      .orderBy('number')
      .execute();
    const account = await readGranted(db, post.accountId);
    const events = await db
      .selectFrom('events')
      .select('kind')
      .where('social_account_id', '=', post.accountId)
      .execute();
    expect(network.switchboard.count('commit')).toBeGreaterThan(0);
    return { row: row!, end, attempts, account, events, tookMs, network };
  }

  const expected = (fault: Fault) =>
    findExpectedEnd(kind, { stage: 'commit', call: publishingCall, fault, isLasting: false });
  const outcomesOf = (attempts: PostAttemptRow[]) => attempts.map(({ outcome }) => outcome);

  describe.concurrent('a fault', () => {
    test.each([
      ['limited', 0],
      ['limited_with_retry_after', 900],
    ] as const)('waits out a rate limit: %s', async (fault, leastMs) => {
      const { end, attempts, tookMs } = await publishThrough(fault);
      expect(end).toEqual({ status: 'published', postCount: 1 });
      expect(outcomesOf(attempts)).toContain('rate_limited');
      expect(tookMs).toBeGreaterThan(subject.hasNoRetryAfter ? 0 : leastMs);
    });

    test.each(silent)('resolves a commit that the network did not take: %s', async (fault) => {
      expect((await publishThrough(fault)).end).toEqual(expected(fault));
    });

    test('publishes after the network was unavailable, or reports an unknown outcome', async () => {
      expect((await publishThrough('unavailable')).end).toEqual(expected('unavailable'));
    });

    test.each(lost)('resolves a commit whose answer was lost: %s', async (fault) => {
      expect((await publishThrough(fault)).end).toEqual(expected(fault));
    });

    test('keeps the code and the words of a refusal that it does not know', async () => {
      const { row, end, attempts } = await publishThrough('rejected');
      expect(end).toEqual(expected('rejected'));
      const { platformCode, message } = subject.refusal;
      expect(row.platform_error_code).toBe(platformCode);
      expect(row.error_message).toContain(message);
      expect(attempts.at(-1)).toMatchObject({ outcome: 'rejected', error_code: platformCode });
      expect(JSON.stringify(attempts.at(-1)!.provider_error)).toContain(message);
    });

    test('keeps no token that a refusal repeats', async () => {
      const { row, end } = await publishThrough('echoed');
      expect(end).toMatchObject({ status: 'failed', errorCode: 'rejected', postCount: 0 });
      expect(row.error_message).toContain(subject.refusal.message);
    });

    test("finds a post by what its target was accepted with, or says that it can't", async () => {
      await using network = await kind.start(database.db);
      const { platform, connection } = network;
      const { externalAccountId, credentials, traits = {} } = connection;
      const dueAt = new Date();
      const targetOf = (caption: string): Target => ({
        resultId: newId('result'),
        externalAccountId,
        caption,
        media: subject.media ?? [],
        replyTo: null,
        platformOptions: { ...subject.requiredOptions },
        dueAt,
        credentials,
        traits,
        state: {},
      });
      const [taken, absent] = [targetOf('Taken'), targetOf('Absent')];
      const { signal } = new AbortController();
      const state = platform.prepare ? await prepareTarget(platform, taken, signal) : {};
      const outcome = await publishTarget(platform, { ...taken, state }, signal);
      const find = (target: Target) => platform.reconcile?.(target, signal);
      const hasFound = [await find(taken), await find(absent)];
      if (subject.resolution === 'none' || subject.resolution === 'proof') {
        const unknown = platform.reconcile && { outcome: 'unknown' };
        expect(hasFound).toEqual([unknown, unknown]);
        return;
      }
      expect(outcome).toMatchObject({ outcome: 'published' });
      const { published } = outcome as Extract<typeof outcome, { outcome: 'published' }>;
      const { externalId, url, visibility } = published;
      expect(hasFound).toEqual([
        { outcome: 'published', published: { externalId, url, visibility } },
        { outcome: 'absent' },
      ]);
    });

    if (kind.hasRefresh) {
      test('refreshes an expired token', async () => {
        const { end, account } = await publishThrough('token_expired');
        expect(end).toEqual({ status: 'published', postCount: 1 });
        expect(account).toMatchObject({ status: 'active', credential_version: 2 });
      });
    }

    if (!subject.publicStages?.includes('commit')) {
      test('disconnects the account whose token was revoked', async () => {
        const { end, account, events } = await publishThrough('token_revoked');
        expect(end).toEqual(expected('token_revoked'));
        expect(account.status).toBe('reconnect_required');
        expect(events).toContainEqual({ kind: 'account.disconnected' });
      });
    }

    test('reports a network in trouble without its secrets', async () => {
      const switchboard = createSwitchboard();
      await using network = await subject.start(switchboard, database.db);
      const platform = switchboard.watch(createConnector(subject.name, network, switchboard));
      for (const fault of troubles) {
        switchboard.plans = [{ stage: 'connect', call: 1, times: Infinity, fault }];
        const error = await refusal(connectTo(platform, network, AbortSignal.timeout(5_000)));
        expect(['rate_limited', 'unavailable', 'rejected'], fault).toContain(error.kind);
        const reported = JSON.stringify([error.message, error.options]);
        expect(network.listSecrets().filter((secret) => reported.includes(secret))).toEqual([]);
      }
    });
  });
}
