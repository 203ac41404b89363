// The activity `advancePosts`, which publishes a group of posts.
import { sql } from 'kysely';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import { listActivityFailures } from '../../../../schema/database/dispatch/activity-failures.ts';
import { elapse } from '../../../support/elapse.ts';
import { dependenciesOf } from '../../../support/networks/posting.ts';
import { groupWorkflowId, usePostGroup } from '../../../support/post-group.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { addAccount, targetRun } from '../../../support/rows/targets.ts';
import { useScriptedNetwork } from '../../../support/scripted-network.ts';

const database = useDatabase();
const network = useScriptedNetwork();
const group = usePostGroup(database, network);
const { addPost, addPosts, advance, statusesOf, countBegun } = group;

/** Makes the post due in `ms`. */
const schedule = (postId: string, ms: number) =>
  database.db
    .updateTable('posts')
    .set({ status: 'scheduled', scheduled_at: sql<Date>`now() + ${ms} * interval '1 ms'` })
    .where('id', '=', postId)
    .execute();

describe('advancePosts', () => {
  test('publishes and concludes every post of the group', async () => {
    const ids = await addPosts(30);
    const { ended, waiting, slow } = await advance(ids);
    expect(ended.toSorted()).toEqual(ids.toSorted());
    expect([...waiting, ...slow]).toEqual([]);
    expect(new Set(await statusesOf(ids))).toEqual(new Set(['published']));
    expect(network.posts).toHaveLength(30);
  });

  test('publishes nothing twice if it is repeated, and names the ended posts again', async () => {
    const ids = await addPosts(5);
    await advance(ids);
    expect((await advance(ids)).ended.toSorted()).toEqual(ids.toSorted());
    expect(network.calls).toBe(5);
  });

  test('leaves out posts that belong to another workflow', async () => {
    const [own, other] = await addPosts(2);
    await database.db
      .updateTable('posts')
      .set({ workflow_id: 'posts/2' })
      .where('id', '=', other!)
      .execute();
    expect(await advance([own!, other!])).toEqual({ ended: [own], waiting: [], slow: [] });
    expect(network.calls).toBe(1);
  });

  test('returns how long each post waits', async () => {
    const ids = await addPosts(3);
    network.script = ['publish', new PlatformError('unavailable', 'Away.')];
    const { ended, waiting } = await advance(ids);
    expect(ended).toHaveLength(2);
    expect(waiting).toHaveLength(1);
    expect(waiting[0]!.run).toBe(targetRun);
    expect(waiting[0]!.waitMs).toBeGreaterThan(40_000);
    expect(waiting[0]!.waitMs).toBeLessThanOrEqual(60_000);
  });

  test('returns a post with a slow call after two seconds, and delays no other post', async () => {
    const account = await addAccount(database.db);
    const { postId: slowId } = await addPost(account, [{}, { answers: 0 }]);
    const others = await addPosts(3);
    const answer = Promise.withResolvers<void>();
    const { platform } = network;
    const slowly: typeof platform.commit = async (target, signal) => {
      if (target.externalAccountId === 'slow') await answer.promise;
      return platform.commit(target, signal);
    };
    await database.db
      .updateTable('social_accounts')
      .set({ external_account_id: 'slow' })
      .where('id', '=', account.accountId)
      .execute();
    const dependencies = {
      ...group.dependencies,
      ...dependenciesOf(database.db, { platform: { ...platform, commit: slowly } }),
    };
    const startedMs = performance.now();
    const { ended, slow } = await advance([slowId, ...others], dependencies);
    expect(performance.now() - startedMs).toBeGreaterThan(1_900);
    expect(ended.toSorted()).toEqual(others.toSorted());
    expect(slow).toMatchObject([{ postId: slowId, run: targetRun }]);
    // The call is in progress, and the reply waits for it.
    const targets = slow[0]!.targets;
    expect(targets.map(({ progress }) => progress)).toEqual([undefined, undefined]);
    expect(targets[1]!.after).toBe(targets[0]!.resultId);
    answer.resolve();
    await expect.poll(() => network.posts, { timeout: 10_000 }).toContain(targets[0]!.resultId);
  });

  test('makes a post with an internal error wait, and records and logs the error', async () => {
    const ids = await addPosts(3);
    const { loadMedia, ...rest } = group.dependencies;
    let failing: string | undefined;
    const lines: object[] = [];
    const dependencies = {
      ...rest,
      log: pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) }),
      loadMedia: (target: Parameters<typeof loadMedia>[0]) => {
        failing ??= target.post_id;
        if (target.post_id === failing) throw new Error('No key in the vault.');
        return loadMedia(target, [], { title: '', rules: network.platform.definition.rules });
      },
    };
    const { ended, waiting } = await advance(ids, dependencies);
    expect(ended).toHaveLength(2);
    expect(waiting).toMatchObject([{ postId: failing }]);
    expect(waiting[0]!.waitMs).toBeGreaterThan(4_000);
    const key = `${groupWorkflowId}/${failing}`;
    expect((await listActivityFailures(database.db, [key])).get(key)).toMatchObject({
      activity: 'advancePosts',
      error: 'Error: No key in the vault.',
    });
    expect(lines).toMatchObject([{ post_id: failing, error: 'Error: No key in the vault.' }]);
  });

  test('waits for posts that are due soon if no other post is due, and publishes none early', async () => {
    const [soon, next, later] = (await addPosts(3)) as [string, string, string];
    await schedule(soon, 1_000);
    await schedule(next, 1_500);
    await schedule(later, 60_000);
    const { ended, waiting } = await advance([soon, next, later]);
    expect(ended.toSorted()).toEqual([soon, next].toSorted());
    expect(waiting).toMatchObject([{ postId: later }]);
    // The workflow asks again a second before the post is due.
    expect(waiting[0]!.waitMs).toBeLessThan(59_000);
    const { rows } = await sql<{ is_early: boolean }>`
      select started.created_at < p.scheduled_at as is_early
      from posts p join changes started on subject_id = p.id and kind = 'started'
      where p.id in (${soon}, ${next})`.execute(database.db);
    expect(rows).toEqual([{ is_early: false }, { is_early: false }]);
  });

  test('does not hold up a due post for one that is due soon', async () => {
    const [due, soon] = (await addPosts(2)) as [string, string];
    await schedule(soon, 4_000);
    const startedMs = performance.now();
    const { ended, waiting } = await advance([due, soon]);
    expect(performance.now() - startedMs).toBeLessThan(3_000);
    expect(ended).toEqual([due]);
    expect(waiting).toMatchObject([{ postId: soon }]);
  });

  test('begins no other post when the worker stops, and returns the posts that are left', async () => {
    const ids = await addPosts(60);
    const { platform } = network;
    const commit: typeof platform.commit = async (target, signal) => {
      await elapse(300, 'the network takes this long for each call');
      return platform.commit(target, signal);
    };
    const dependencies = {
      ...group.dependencies,
      ...dependenciesOf(database.db, { platform: { ...platform, commit } }),
    };
    const running = advance(ids, dependencies);
    await expect.poll(() => countBegun(), { timeout: 10_000 }).toBeGreaterThan(0);
    group.stop();
    const { ended, waiting } = await running;
    expect(ended.length + waiting.length).toBe(60);
    expect(waiting.length).toBeGreaterThan(0);
    expect(waiting).toMatchObject(waiting.map(() => ({ waitMs: 0 })));
  });

  test('publishes a text that was edited while the post waited for its place', async () => {
    const [postId] = await addPosts(1);
    const captions: string[] = [];
    const { platform } = network;
    const commit: typeof platform.commit = (target, signal) => {
      captions.push(target.caption);
      return platform.commit(target, signal);
    };
    const places = Promise.withResolvers<void>();
    const { admission } = group.dependencies;
    const dependencies = {
      ...group.dependencies,
      ...dependenciesOf(database.db, { platform: { ...platform, commit } }),
      admission: {
        ...admission,
        run: async <T>(projectId: string, work: () => Promise<T>, signal: AbortSignal) => {
          await places.promise;
          return admission.run(projectId, work, signal);
        },
      },
    };
    const running = advance([postId!], dependencies);
    await database.db
      .updateTable('posts')
      .set({ caption: 'edited' })
      .where('id', '=', postId!)
      .execute();
    places.resolve();
    await running;
    expect(captions).toEqual(['edited']);
  });
});
