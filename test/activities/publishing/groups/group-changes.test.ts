// A group of posts while some of them are canceled, paused or broken: the other posts are published.
import { describe, expect, test } from 'vitest';
import { pause, resume } from '../../../../api/cli/pause.ts';
import { createPlatforms } from '../../../../activities/platforms/index.ts';
import type { Platform } from '../../../../activities/platforms/platform.ts';
import {
  failureKeyOf,
  listActivityFailures,
} from '../../../../schema/database/dispatch/activity-failures.ts';
import { createVault } from '../../../../schema/database/vault.ts';
import { cancel } from '../../../support/networks/posting.ts';
import { groupWorkflowId, usePostGroup } from '../../../support/post-group.ts';
import { useDatabase } from '../../../support/rows/database.ts';
import { quietNotifier } from '../../../support/rows/quiet-transaction.ts';
import { addAccount, type TestAccount } from '../../../support/rows/targets.ts';
import { useScriptedNetwork } from '../../../support/scripted-network.ts';

const database = useDatabase();
const network = useScriptedNetwork();
const group = usePostGroup(database, network);

/** Its key is no longer configured. */
const lostVault = createVault(new Map([['lost', Buffer.alloc(32, 1)]]), 'lost');
const begunCount = 20;
const waitingCount = 10;

const addPosts = (account: TestAccount, count: number) =>
  Promise.all(Array.from({ length: count }, () => group.addPost(account)));

const dependenciesWith = (commit: Platform['commit']) => ({
  ...group.dependencies,
  platforms: createPlatforms([{ ...network.platform, commit }]),
});

/**
 * Advances a group of two projects. Resolves when the network works on `begun`, and the other posts wait for their
 * places. `others`: posts of the other project.
 */
async function beginGroup() {
  const [account, other] = [await addAccount(database.db), await addAccount(database.db)];
  const begun = await addPosts(account, begunCount);
  const waiting = await addPosts(account, waitingCount);
  const others = await addPosts(other, waitingCount);
  const ids = [...begun, ...waiting, ...others].map(({ postId }) => postId);
  const gate = Promise.withResolvers<void>();
  const { admission } = group.dependencies;
  let entered = 0;
  const dependencies = {
    ...dependenciesWith(async (target, signal) => {
      await gate.promise;
      return network.platform.commit(target, signal);
    }),
    admission: {
      ...admission,
      run: async <T>(projectId: string, work: () => Promise<T>, signal: AbortSignal) => {
        if (++entered > begunCount) await gate.promise;
        return admission.run(projectId, work, signal);
      },
    },
  };
  const advancing = group.advance(ids, dependencies);
  await expect.poll(group.countBegun).toBe(begunCount);
  return {
    ...account,
    begun,
    waiting,
    others,
    /** The network answers, and the other posts get their places. */
    async finish(): Promise<void> {
      gate.resolve();
      await advancing;
      // On a busy machine, the first activity leaves some of the posts to another one.
      await group.advance(ids);
    },
  };
}

const postIdsOf = (posts: { postId: string }[]) => posts.map(({ postId }) => postId);
const sortedResults = (posts: { resultIds: string[] }[]) =>
  posts.flatMap(({ resultIds }) => resultIds).toSorted();

describe('in a group of posts', () => {
  test('a canceled post is not sent, and the others are published once', async () => {
    const { projectId, begun, waiting, others, finish } = await beginGroup();
    const canceled = await Promise.all(
      waiting.map(({ postId }) => cancel(database.db, { projectId, postId })),
    );
    expect(canceled.flat().toSorted()).toEqual(sortedResults(waiting));
    // The network works on these posts.
    const late = await Promise.all(
      begun.map(({ postId }) => cancel(database.db, { projectId, postId })),
    );
    expect(late.flat()).toEqual([]);
    await finish();
    expect(network.posts.toSorted()).toEqual(sortedResults([...begun, ...others]));
    expect(new Set(await group.statusesOf(postIdsOf(waiting)))).toEqual(new Set(['canceled']));
    expect(new Set(await group.statusesOf(postIdsOf([...begun, ...others])))).toEqual(
      new Set(['published']),
    );
  });

  test.each(['the project', 'the network'])(
    'a post is not sent while %s is paused, and posts that have begun are published once',
    async (paused) => {
      const { projectId, begun, waiting, others, finish } = await beginGroup();
      const scope = paused === 'the project' ? projectId : 'sandbox';
      await pause(database.db, scope);
      await finish();
      const [sent, held] =
        paused === 'the project'
          ? [[...begun, ...others], waiting]
          : [begun, [...waiting, ...others]];
      expect(network.posts.toSorted()).toEqual(sortedResults(sent));
      expect(new Set(await group.statusesOf(postIdsOf(sent)))).toEqual(new Set(['published']));
      expect(new Set(await group.statusesOf(postIdsOf(held)))).toEqual(new Set(['pending']));
      const resumed = await resume({ db: database.db, notifier: quietNotifier }, scope);
      expect(resumed.text).toBe(`Resumed ${scope}. Restarted ${held.length} posts.`);
      const asked = await database.db.deleteFrom('outbox').returning('input').execute();
      const restarted = asked.map(({ input }) => (input as { postId: string }).postId);
      expect(restarted.toSorted()).toEqual(postIdsOf(held).toSorted());
    },
  );

  test('a broken post waits alone, and the others are published', async () => {
    const { db } = database;
    const account = await addAccount(db);
    const [throwing, sealed, ...others] = await addPosts(account, 20);
    const unopenedAccount = await addAccount(db);
    const [unopened] = await addPosts(unopenedAccount, 1);
    const { ciphertext, keyId } = lostVault.seal('{}', 'a state');
    await db
      .updateTable('post_results')
      .set({ platform_options: JSON.stringify({ isBroken: true }) })
      .where('post_id', '=', throwing!.postId)
      .execute();
    await db
      .updateTable('post_results')
      .set({ provider_state: ciphertext, provider_state_key_id: keyId })
      .where('post_id', '=', sealed!.postId)
      .execute();
    await db
      .updateTable('grants')
      .set({ credentials: ciphertext, credentials_key_id: keyId })
      .where('project_id', '=', unopenedAccount.projectId)
      .execute();
    const dependencies = dependenciesWith((target, signal) => {
      if (target.platformOptions['isBroken']) throw new TypeError('The connector is broken.');
      return network.platform.commit(target, signal);
    });

    const ids = postIdsOf([throwing!, sealed!, unopened!, ...others]);
    const { ended, waiting, slow } = await group.advance(ids, dependencies);
    expect(ended.toSorted()).toEqual(postIdsOf(others).toSorted());
    expect(postIdsOf(waiting).toSorted()).toEqual(ids.slice(0, 3).toSorted());
    expect(slow).toEqual([]);
    expect(network.posts.toSorted()).toEqual(sortedResults(others));
    expect(new Set(await group.statusesOf(ids.slice(3)))).toEqual(new Set(['published']));
    // The connector's error counts as an unknown outcome, and the other two errors as Fanfare's own.
    const keys = ids.map((id) => failureKeyOf(groupWorkflowId, id));
    const failures = await listActivityFailures(db, keys);
    expect([...failures.keys()].toSorted()).toEqual(keys.slice(1, 3).toSorted());
  });
});
