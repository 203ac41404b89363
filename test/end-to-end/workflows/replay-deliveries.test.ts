// How a replay waits: a second while it reopens, then longer and longer. Time is skipped.
import { Worker } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ReplayState } from '../../../activities/delivering/replay.ts';
import { workflowBundle } from '../../../activities/dispatch/workflow-bundle.ts';
import { replayDeliveriesWorkflow, replayDeliveriesWorkflowId } from '../../../schema/workflows.ts';
import {
  createTimeSkippingEnvironment,
  type TimeSkippingEnvironment,
} from '../../support/servers/time-skipping.ts';

let environment: TimeSkippingEnvironment;
let bundle: { codePath: string };

beforeAll(async () => {
  [environment, bundle] = await Promise.all([
    createTimeSkippingEnvironment(),
    workflowBundle(inject('cacheDirectory')),
  ]);
});
afterAll(() => environment.teardown());

/** Returns one state after the other, then `concluded`. Returns the times of the calls, in ms. */
async function run(replayId: string, states: ReplayState[]) {
  const askedAtMs: number[] = [];
  const worker = await Worker.create({
    connection: environment.nativeConnection,
    taskQueue: 'replays',
    workflowBundle: bundle,
    activities: {
      async advanceReplay(input: unknown): Promise<ReplayState> {
        expect(input).toEqual({ replayId });
        askedAtMs.push(await environment.currentTimeMs());
        return states[askedAtMs.length - 1] ?? 'concluded';
      },
    },
  });
  const { workflow } = environment.client;
  const workflowId = replayDeliveriesWorkflowId(replayId, 'obx_1');
  const history = await worker.runUntil(async () => {
    const started = await workflow.start(replayDeliveriesWorkflow, {
      taskQueue: 'replays',
      workflowId,
      args: [{ replayId }],
    });
    await started.result();
    return workflow.getHandle(workflowId, started.firstExecutionRunId).fetchHistory();
  });
  const waits = askedAtMs.slice(1).map((ms, i) => Math.round((ms - askedAtMs[i]!) / 100) / 10);
  return { waits, asked: askedAtMs.length, history };
}

describe('replayDeliveries', () => {
  test('polls each second while there is more to reopen, then less and less often', async () => {
    const states = [
      ...Array<ReplayState>(3).fill('reopening'),
      ...Array<ReplayState>(9).fill('reopened'),
    ];
    const { waits } = await run('rpl_waits', states);
    const expected = [1, 1, 1, 1, 1.5, 2.3, 3.4, 5.1, 7.6, 11.4, 15, 15];
    expect(waits).toHaveLength(expected.length);
    waits.forEach((wait, i) => {
      expect(wait).toBeGreaterThanOrEqual(expected[i]! - 0.2);
      expect(wait).toBeLessThan(expected[i]! + 1);
    });
  });

  test('continues as a new execution before its history is long', async () => {
    const { asked, history } = await run('rpl_long', Array<ReplayState>(210).fill('reopening'));
    expect(asked).toBe(211);
    const end = history.events!.at(-1)!;
    expect(end.workflowExecutionContinuedAsNewEventAttributes).toBeTruthy();
    expect(history.events!.length).toBeLessThan(3_000);
  });
});
