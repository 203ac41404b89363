// How a run of a post calls its activities. Stand-ins replace them, and time is skipped.
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { workflowBundle } from '../../../activities/dispatch/workflow-bundle.ts';
import { crowdedQueueOf, publishPostWorkflow } from '../../../schema/workflows.ts';
import {
  createTimeSkippingEnvironment,
  type TimeSkippingEnvironment,
} from '../../support/servers/time-skipping.ts';

const taskQueue = 'publish';
const done = { waitMs: null };

let environment: TimeSkippingEnvironment;
let bundle: { codePath: string };
let runs = 0;

beforeAll(async () => {
  [environment, bundle] = await Promise.all([
    createTimeSkippingEnvironment(),
    workflowBundle(inject('cacheDirectory')),
  ]);
});

afterAll(() => environment.teardown());

type StandIns = Partial<
  Pick<Activities, 'beginPost' | 'advanceTarget' | 'advanceCrowded' | 'concludePost'>
>;
const three = [{ resultId: 'a' }, { resultId: 'b' }, { resultId: 'c' }];

/**
 * Runs one post with three targets to its end, and returns the calls in their order. By default, the first
 * task does nothing.
 */
async function publish(standIns: StandIns): Promise<string[]> {
  const calls: string[] = [];
  const activities: Required<StandIns> = {
    beginPost: async (input) => {
      calls.push('begin');
      return standIns.beginPost ? standIns.beginPost(input) : three;
    },
    advanceTarget: async (input) => {
      calls.push(input.resultId);
      return standIns.advanceTarget ? standIns.advanceTarget(input) : done;
    },
    advanceCrowded: async (input) => {
      calls.push(`${input.resultId} crowded`);
      return standIns.advanceCrowded ? standIns.advanceCrowded(input) : done;
    },
    concludePost: async (input) => {
      calls.push('conclude');
      await standIns.concludePost?.(input);
    },
  };
  const connection = environment.nativeConnection;
  const worker = await Worker.create({ connection, taskQueue, workflowBundle: bundle, activities });
  const crowdedWorker = await Worker.create({
    connection,
    taskQueue: crowdedQueueOf(taskQueue),
    activities: { advanceCrowded: activities.advanceCrowded },
  });
  const bothUntil = (end: Promise<void>) => worker.runUntil(crowdedWorker.runUntil(end));
  await bothUntil(
    environment.client.workflow.execute(publishPostWorkflow, {
      taskQueue,
      workflowId: `post-${++runs}`,
      args: [{ postId: 'post', run: 7 }],
    }),
  );
  return calls;
}

/** The targets of the last run as its workflow asked for them, and again as it learned of their ends. */
async function readOrder(): Promise<string[]> {
  const handle = environment.client.workflow.getHandle(`post-${runs}`);
  const { events } = await handle.fetchHistory();
  const names = new Map<string, string>();
  return events!.flatMap((event) => {
    const asked = event.activityTaskScheduledEventAttributes;
    const ended = event.activityTaskCompletedEventAttributes;
    if (asked) {
      const [input] = asked.input!.payloads!;
      const { resultId } = JSON.parse(Buffer.from(input!.data!).toString()) as {
        resultId?: string;
      };
      if (resultId === undefined) return [];
      names.set(String(event.eventId), resultId);
      return [resultId];
    }
    const name = ended ? names.get(String(ended.scheduledEventId)) : undefined;
    return name === undefined ? [] : [`${name} ended`];
  });
}

describe('publishPost', () => {
  test('advances all targets in parallel, and concludes once after the last target', async () => {
    let arrived = 0;
    const all = Promise.withResolvers<void>();
    const inputs: unknown[] = [];
    const calls = await publish({
      // Each one ends only when all have begun.
      advanceTarget: async (input) => {
        inputs.push(input);
        if (++arrived === 3) all.resolve();
        await all.promise;
        return done;
      },
    });
    expect(calls[0]).toBe('begin');
    expect(calls.slice(1, 4).toSorted()).toEqual(['a', 'b', 'c']);
    expect(calls.slice(4)).toEqual(['conclude']);
    expect(inputs).toContainEqual({ resultId: 'a', run: 7 });
  });

  test('continues the targets that its first task did not end, and no others', async () => {
    const calls = await publish({
      beginPost: () =>
        Promise.resolve([
          { resultId: 'a', progress: done },
          { resultId: 'b', progress: { waitMs: 60_000 } },
          { resultId: 'c' },
        ]),
    });
    expect(calls).toEqual(['begin', 'c', 'b', 'conclude']);
  });

  test('advances a target of a crowded project in the queue for crowded targets', async () => {
    const crowded = { waitMs: 0, isCrowded: true };
    let bWaits = 2;
    const calls = await publish({
      beginPost: () => Promise.resolve([{ resultId: 'a', progress: crowded }, { resultId: 'b' }]),
      advanceTarget: () => Promise.resolve(crowded),
      advanceCrowded: ({ resultId }) =>
        Promise.resolve(resultId === 'b' && --bWaits > 0 ? { waitMs: 100 } : done),
    });
    const callsOf = (id: string) => calls.filter((call) => call.split(' ')[0] === id);
    expect(callsOf('a')).toEqual(['a crowded']);
    expect(callsOf('b')).toEqual(['b', 'b crowded', 'b', 'b crowded']);
    expect(calls.at(-1)).toBe('conclude');
  });

  test('begins again when the post was not due yet', async () => {
    let claims = 0;
    const calls = await publish({
      beginPost: () => Promise.resolve(++claims < 3 ? { waitMs: 300 } : three),
    });
    expect(calls.slice(0, 3)).toEqual(['begin', 'begin', 'begin']);
    expect(calls).toHaveLength(7);
  });

  test('begins a reply when the target that it replies to has ended', async () => {
    const calls = await publish({
      beginPost: () =>
        Promise.resolve([
          { resultId: 'a' },
          { resultId: 'b', after: 'a' },
          { resultId: 'comment', after: 'a' },
          { resultId: 'c', after: 'b' },
        ]),
    });
    expect(calls.toSorted()).toEqual(['a', 'b', 'begin', 'c', 'comment', 'conclude']);
    const order = await readOrder();
    expect(order.slice(0, 2)).toEqual(['a', 'a ended']);
    expect(order.indexOf('b ended')).toBeLessThan(order.indexOf('c'));
  });

  test('waits 6 h for a target that requests it, while the others end', async () => {
    const sixHoursMs = 6 * 3_600_000;
    const at: Record<string, number[]> = { a: [], b: [], c: [] };
    let concludedAtMs = 0;
    const calls = await publish({
      advanceTarget: async ({ resultId }) => {
        const times = at[resultId]!;
        times.push(await environment.currentTimeMs());
        return { waitMs: resultId === 'b' && times.length === 1 ? sixHoursMs : null };
      },
      concludePost: async () => {
        concludedAtMs = await environment.currentTimeMs();
      },
    });
    const [first, second] = at['b']!;
    expect(second! - first!).toBeGreaterThanOrEqual(sixHoursMs);
    expect(second! - first!).toBeLessThan(sixHoursMs + 5_000);
    expect(at['a']![0]! - first!).toBeLessThan(5_000);
    expect(at['c']![0]! - first!).toBeLessThan(5_000);
    expect(concludedAtMs).toBeGreaterThanOrEqual(second!);
    expect(calls.slice(4)).toEqual(['b', 'conclude']);
  });

  test('ends when the run was superseded, or was concluded in its first task', async () => {
    expect(await publish({ beginPost: () => Promise.resolve(null) })).toEqual(['begin']);
  });

  test('concludes a run without open targets', async () => {
    expect(await publish({ beginPost: () => Promise.resolve([]) })).toEqual(['begin', 'conclude']);
  });

  test('repeats only the failed activity until it succeeds', async () => {
    const failures: Record<string, number> = { begin: 1, b: 3, conclude: 2 };
    const fail = (name: string) => {
      if ((failures[name] ?? 0) > 0) {
        failures[name]!--;
        throw new Error('The database is away.');
      }
    };
    const calls = await publish({
      beginPost: async () => {
        fail('begin');
        return three;
      },
      advanceTarget: async ({ resultId }) => {
        fail(resultId);
        return done;
      },
      concludePost: async () => fail('conclude'),
    });
    const count = (name: string) => calls.filter((call) => call === name).length;
    expect(['begin', 'a', 'b', 'c', 'conclude'].map(count)).toEqual([2, 1, 4, 1, 3]);
    expect(calls.slice(-3)).toEqual(['conclude', 'conclude', 'conclude']);
  });
});
