// A prepare of several steps, and a commit that finds nothing prepared.
import { expect, test } from 'vitest';
import { advanceTarget } from '../../../activities/publishing/advance-target.ts';
import type { AdvanceDependencies } from '../../../activities/publishing/dependencies.ts';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { reopenResult } from '../../../schema/database/posts/changes.ts';
import { sealState } from '../../../schema/database/posts/provider-state.ts';
import { findWaitReason } from '../../../schema/database/posts/wait-reason.ts';
import {
  startContainers,
  type ContainerNetwork,
} from '../../support/networks/container-then-publish.ts';
import {
  advanceToEnd,
  cancel,
  dependenciesOf,
  listTargets,
  run,
  shortClock,
  writePost,
  type TestPost,
} from '../../support/networks/posting.ts';
import { expectConsistent } from '../../support/networks/consistency.ts';
import { useDatabase } from '../../support/rows/database.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

const database = useDatabase();

interface TestTarget extends AsyncDisposable {
  post: TestPost;
  network: ContainerNetwork;
  dependencies: AdvanceDependencies;
  resultId: string;
  /** Advances the target to its end, and checks what must hold for each ended target. */
  end(): ReturnType<typeof read>;
  read(): ReturnType<typeof read>;
  /** `<phase>: <outcome>` of each call. */
  listCalls(): Promise<string[]>;
}

const read = async (post: TestPost) => (await listTargets(database.db, post))[0]!;

async function start({
  readyAtCheck,
  calls = {},
  clock = shortClock,
}: {
  readyAtCheck?: number;
  calls?: Partial<Platform>;
  clock?: typeof shortClock;
} = {}): Promise<TestTarget> {
  const network = await startContainers({ ...(readyAtCheck && { readyAtCheck }) });
  const platform = { ...network.platform, ...calls };
  const dependencies = dependenciesOf(database.db, { platform }, clock);
  const post = await writePost(database.db, network);
  const resultId = post.resultIds[0]!;
  return {
    network,
    dependencies,
    post,
    resultId,
    async end() {
      await advanceToEnd(dependencies, resultId);
      const [row] = await expectConsistent(dependencies, network, post);
      return row!;
    },
    read: () => read(post),
    async listCalls() {
      const attempts = await database.db
        .selectFrom('post_attempts')
        .selectAll()
        .where('result_id', '=', resultId)
        .orderBy('number')
        .execute();
      return attempts.map(({ phase, outcome }) => `${phase}: ${outcome}`);
    },
    [Symbol.asyncDispose]: () => network[Symbol.asyncDispose](),
  };
}

const more = (count: number) => Array.from({ length: count }, () => 'prepare: more');

test('a prepare polls one container until it is ready', async () => {
  await using target = await start({ readyAtCheck: 8 });
  expect(await target.end()).toMatchObject({ status: 'published' });
  expect(await target.listCalls()).toEqual([...more(8), 'prepare: prepared', 'commit: published']);
  expect(target.network.countContainers()).toBe(1);
});

test('a prepare fails when its steps and their waits take too long', async () => {
  const wait = () => Promise.resolve({ outcome: 'more', state: {}, waitMs: 100 } as const);
  const clock = { ...shortClock, prepareForMs: 450 };
  await using target = await start({ calls: { prepare: wait }, clock });
  expect(await target.end()).toMatchObject({
    status: 'failed',
    error_code: 'unavailable',
    failure_stage: 'prepare',
    attempts: 0,
  });
  expect((await target.listCalls()).length).toBeLessThanOrEqual(5);
});

test("a prepare follows the network's own deadline", async () => {
  const wait = () => Promise.resolve({ outcome: 'more', state: {}, waitMs: 100 } as const);
  await using target = await start({ calls: { prepare: wait } });
  const { platforms, ...rest } = target.dependencies;
  const [name, platform] = [...platforms][0]!;
  const definition = { ...platform.definition, clock: { prepareForMs: 50 } };
  const own = { ...rest, platforms: new Map([[name, { ...platform, definition }]]) };
  expect(await advanceTarget(own, { resultId: target.resultId, run })).toEqual({ waitMs: null });
  expect(await target.read()).toMatchObject({ status: 'failed', error_code: 'unavailable' });
});

test('a target between two steps shows what it waits for', async () => {
  const wait = () => Promise.resolve({ outcome: 'more', state: {}, waitMs: 5_000 } as const);
  await using target = await start({ calls: { prepare: wait } });
  await advanceTarget(target.dependencies, { resultId: target.resultId, run });
  const row = await target.read();
  expect(findWaitReason(row, [row])).toBe('preparation');
});

test('a target is prepared again when its prepared container has expired', async () => {
  await using target = await start();
  const { switchboard } = target.network;
  switchboard.onCall = (moment, stage, call) => {
    if (`${moment} ${stage} ${call}` === 'before commit 1') target.network.expireContainers();
    return Promise.resolve();
  };
  expect(await target.end()).toMatchObject({ status: 'published', attempts: 2 });
  const prepared = [...more(2), 'prepare: prepared'];
  expect(await target.listCalls()).toEqual([
    ...prepared,
    'commit: stale',
    ...prepared,
    'commit: published',
  ]);
  expect(target.network.countContainers()).toBe(2);
});

test('a target is prepared again at most twice', async () => {
  await using target = await start();
  const { switchboard } = target.network;
  switchboard.onCall = (moment, stage) => {
    if (moment === 'before' && stage === 'commit') target.network.expireContainers();
    return Promise.resolve();
  };
  expect(await target.end()).toMatchObject({
    status: 'failed',
    error_code: 'unavailable',
    failure_stage: 'commit',
    attempts: 3,
  });
});

/** The first commit is lost, and its repeats find the container expired. */
function loseCommit(network: ContainerNetwork, fault: 'cut_before' | 'answer_lost'): void {
  network.switchboard.plans.push({ stage: 'commit', call: 1, times: 1, fault });
  network.switchboard.onCall = (moment, stage, call) => {
    if (`${moment} ${stage} ${call}` === 'before commit 2') network.expireContainers();
    return Promise.resolve();
  };
}

test('a target is checked, and never prepared again, if a lost commit may have used its container', async () => {
  await using target = await start();
  loseCommit(target.network, 'cut_before');
  expect(await target.end()).toMatchObject({ status: 'failed', error_code: 'outcome_unknown' });
  const calls = await target.listCalls();
  expect(calls.slice(3)).toEqual([
    'commit: unknown_outcome',
    'reconcile: absent',
    'commit: stale',
    'reconcile: absent',
    'reconcile: absent',
    'commit: stale',
  ]);
  expect(target.network.countContainers()).toBe(1);
});

test('a target is published once by a network whose checks miss the post and call its container stale', async () => {
  const never = () => Promise.resolve({ outcome: 'absent' } as const);
  await using target = await start({ calls: { reconcile: never } });
  const { network, resultId, dependencies } = target;
  network.switchboard.plans.push({ stage: 'commit', call: 1, times: 1, fault: 'answer_lost' });
  const { platforms } = dependencies;
  const platform = platforms.get('sandbox')!;
  let commits = 0;
  const forgetful: Platform = {
    ...platform,
    commit: (given, signal) =>
      ++commits === 1 ? platform.commit(given, signal) : Promise.resolve({ outcome: 'stale' }),
  };
  const own = { ...dependencies, platforms: new Map([['sandbox' as const, forgetful]]) };
  await advanceToEnd(own, resultId);
  expect(await target.read()).toMatchObject({ error_code: 'outcome_unknown' });
  expect(await network.listPosts()).toHaveLength(1);

  const row = await target.read();
  await inQuietTransaction(own.db, (trx) => reopenResult(trx, row.project_id, row));
  await advanceToEnd(own, resultId);
  expect(await target.read()).toMatchObject({ error_code: 'outcome_unknown' });
  expect(await network.listPosts()).toHaveLength(1);
});

test('a failed or canceled target keeps its state only for a check', async () => {
  const rejected = () => Promise.reject(new PlatformError('rejected', 'Not like this.'));
  await using failed = await start({ calls: { commit: rejected } });
  expect(await failed.end()).toMatchObject({ error_code: 'rejected', provider_state: null });

  const wait = () =>
    Promise.resolve({ outcome: 'more', state: { url: 'u' }, waitMs: 5_000 } as const);
  await using stopped = await start({ calls: { prepare: wait } });
  await advanceTarget(stopped.dependencies, { resultId: stopped.resultId, run });
  expect((await stopped.read()).provider_state).not.toBeNull();
  await cancel(database.db, stopped.post);
  expect(await stopped.read()).toMatchObject({ status: 'canceled', provider_state: null });
});

test('a prepare is bounded by the time that passes, whatever its calls answer', async () => {
  let calls = 0;
  const alternate = () =>
    ++calls % 2 === 0
      ? Promise.reject(new PlatformError('unavailable', 'Later.'))
      : Promise.resolve({ outcome: 'more', state: { calls }, waitMs: 1 } as const);
  const clock = { ...shortClock, unavailableDelaysMs: [50, 50], prepareForMs: 300 };
  await using target = await start({ calls: { prepare: alternate }, clock });
  const startedMs = performance.now();
  expect(await target.end()).toMatchObject({ error_code: 'unavailable', failure_stage: 'prepare' });
  expect(performance.now() - startedMs).toBeLessThan(10_000);
});

test('a prepare continues after a restart with the state of its last step', async () => {
  await using target = await start({ readyAtCheck: 3 });
  const { switchboard } = target.network;
  const dies = new Promise<never>(() => undefined);
  const call = target.dependencies.platforms.get('sandbox')!;
  let steps = 0;
  const dying: Platform = {
    ...call,
    prepare: (given, signal) => (++steps === 2 ? dies : call.prepare!(given, signal)),
  };
  const first = { ...target.dependencies, platforms: new Map([['sandbox' as const, dying]]) };
  void advanceTarget(first, { resultId: target.resultId, run });
  await expect.poll(() => steps).toBe(2);
  await first.heartbeats.releaseAll();
  await advanceToEnd(target.dependencies, target.resultId);
  expect(await target.read()).toMatchObject({ status: 'published' });
  expect(target.network.countContainers()).toBe(1);
  expect(switchboard.count('prepare')).toBe(4);
});

test('the state is sealed, and no call is made with a state that cannot be opened', async () => {
  const wait = () =>
    Promise.resolve({
      outcome: 'more',
      state: { url: 'https://n.test/secret' },
      waitMs: 30,
    } as const);
  await using target = await start({ calls: { prepare: wait } });
  const { db, vault } = target.dependencies;
  const step = { resultId: target.resultId, run };
  await advanceTarget(target.dependencies, step);
  const { provider_state } = await target.read();
  expect(provider_state!.toString('latin1')).not.toContain('secret');

  // A state is bound to its row.
  const foreign = sealState(vault, 'res_other', { url: 'https://n.test/other' });
  await db
    .updateTable('post_results')
    .set({ ...foreign, next_attempt_at: new Date() })
    .where('id', '=', step.resultId)
    .execute();
  const before = await target.listCalls();
  await expect(advanceTarget(target.dependencies, step)).rejects.toThrow(
    `The provider state of ${step.resultId} is unavailable`,
  );
  expect(await target.listCalls()).toEqual(before);
  expect(await target.read()).toMatchObject({ status: 'publishing', phase_state: 'ready' });
});
