// How a group of posts calls its activities. Stand-ins replace them, and time is skipped.
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { workflowBundle } from '../../../activities/dispatch/workflow-bundle.ts';
import {
  publishPostsWorkflow,
  type AdvancedPosts,
  type PublishPostInput,
  type PublishPostsResult,
} from '../../../schema/workflows.ts';
import {
  createTimeSkippingEnvironment,
  type TimeSkippingEnvironment,
} from '../../support/servers/time-skipping.ts';

const taskQueue = 'publish-groups';
const run = 7;

let environment: TimeSkippingEnvironment;
let bundle: { codePath: string };
let workflows = 0;

beforeAll(async () => {
  [environment, bundle] = await Promise.all([
    createTimeSkippingEnvironment(),
    workflowBundle(inject('cacheDirectory')),
  ]);
});

afterAll(() => environment.teardown());

interface Published {
  /** The calls in their order: the ids of the posts, or of the target. */
  calls: string[];
  ended: string[];
}

/** Publishes posts with these ids to their end. */
async function publish(
  ids: string[],
  advance: (ids: string[]) => Partial<AdvancedPosts> | Promise<Partial<AdvancedPosts>>,
  { advanceTarget }: Partial<Pick<Activities, 'advanceTarget'>> = {},
): Promise<Published> {
  const calls: string[] = [];
  const activities: Pick<Activities, 'advancePosts' | 'advanceTarget' | 'concludePost'> = {
    advancePosts: async ({ posts }) => {
      const asked = posts.map(({ postId }) => postId);
      calls.push(asked.join(' '));
      return { ended: [], waiting: [], slow: [], ...(await advance(asked)) };
    },
    advanceTarget: async (input) => {
      calls.push(`target ${input.resultId}`);
      return advanceTarget ? advanceTarget(input) : { waitMs: null };
    },
    concludePost: ({ postId }) => {
      calls.push(`conclude ${postId}`);
      return Promise.resolve();
    },
  };
  const connection = environment.nativeConnection;
  const worker = await Worker.create({ connection, taskQueue, workflowBundle: bundle, activities });
  const result = await worker.runUntil(
    environment.client.workflow.execute<
      (input: { posts: PublishPostInput[] }) => Promise<PublishPostsResult>
    >(publishPostsWorkflow, {
      taskQueue,
      workflowId: `posts-${++workflows}`,
      args: [{ posts: ids.map((postId) => ({ postId, run })) }],
    }),
  );
  return { calls, ended: result.ended.toSorted() };
}

const waiting = (postId: string, waitMs: number) => ({ postId, run, waitMs });

describe('publishPosts', () => {
  test('ends after one activity if that ends every post, and names the posts', async () => {
    const { calls, ended } = await publish(['a', 'b'], (ended) => ({ ended }));
    expect(calls).toEqual(['a b']);
    expect(ended).toEqual(['a', 'b']);
  });

  test('does not name posts that an activity leaves out', async () => {
    expect(await publish(['a', 'b'], () => ({ ended: ['a'] }))).toMatchObject({ ended: ['a'] });
  });

  test('advances posts together that are due at about the same time', async () => {
    const times: number[] = [];
    const { calls, ended } = await publish(['a', 'b', 'c'], async (ids) => {
      times.push(await environment.currentTimeMs());
      if (ids.length < 3) return { ended: ids };
      return { waiting: [waiting('a', 60_000), waiting('b', 61_000), waiting('c', 3_600_000)] };
    });
    expect(calls).toEqual(['a b c', 'a b', 'c']);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(61_000);
    expect(times[2]! - times[0]!).toBeGreaterThanOrEqual(3_600_000);
    expect(ended).toEqual(['a', 'b', 'c']);
  });

  test('continues the targets of a slow post in their own activities, while others wait', async () => {
    const slow = {
      postId: 'a',
      run,
      targets: [{ resultId: 'first' }, { resultId: 'reply', after: 'first' }],
    };
    let polls = 0;
    const { calls, ended } = await publish(
      ['a', 'b'],
      (ids) =>
        ids.length === 2 ? { slow: [slow], waiting: [waiting('b', 1_000)] } : { ended: ids },
      { advanceTarget: () => Promise.resolve({ waitMs: ++polls === 1 ? 30_000 : null }) },
    );
    expect(calls).toEqual([
      'a b',
      'target first',
      'b',
      'target first',
      'target reply',
      'conclude a',
    ]);
    expect(ended).toEqual(['a', 'b']);
  });

  test('keeps less than 2,000 activities pending, which is the limit of Temporal', async () => {
    const slow = Array.from({ length: 60 }, (_, post) => ({
      postId: String(post),
      run,
      targets: Array.from({ length: 25 }, (_, i) => ({ resultId: `${post}-${i}` })),
    }));
    const ids = slow.map(({ postId }) => postId);
    const { ended } = await publish(ids, () => ({ slow }));
    expect(ended).toEqual(ids.toSorted());
    const { events } = await environment.client.workflow
      .getHandle(`posts-${workflows}`)
      .fetchHistory();
    let [pending, most] = [0, 0];
    for (const { activityTaskScheduledEventAttributes: begun, ...event } of events!) {
      if (begun) pending++;
      if (event.activityTaskCompletedEventAttributes) pending--;
      most = Math.max(most, pending);
    }
    expect(pending).toBe(0);
    expect(most).toBeLessThanOrEqual(1_100);
    expect(most).toBeGreaterThan(500);
  }, 120_000);

  test('repeats the activity until it succeeds', async () => {
    let failures = 3;
    const { calls } = await publish(['a'], (ended) => {
      if (failures-- > 0) throw new Error('The database is unavailable.');
      return { ended };
    });
    expect(calls).toEqual(['a', 'a', 'a', 'a']);
  });

  test('continues as a new execution when its history is long, and still names every ended post', async () => {
    let advances = 0;
    const { ended } = await publish(['a', 'b'], (ids) => {
      advances++;
      if (ids.length === 2) return { ended: ['b'], waiting: [waiting('a', 1_000)] };
      return advances > 500 ? { ended: ids } : { waiting: [waiting('a', 1_000)] };
    });
    expect(ended).toEqual(['a', 'b']);
    const { raw } = await environment.client.workflow.getHandle(`posts-${workflows}`).describe();
    expect(raw.workflowExecutionInfo!.firstRunId).not.toBe(
      raw.workflowExecutionInfo!.execution!.runId,
    );
  }, 120_000);
});
