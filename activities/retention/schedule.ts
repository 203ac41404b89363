// Keeps the schedule that starts `pruneRecords` in Temporal.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleDescription,
} from '@temporalio/client';
import type { Logger } from 'pino';
import {
  pruneRecordsWorkflow,
  pruneScheduleId,
  type PruneRecordsInput,
} from '../../schema/workflows.ts';

export interface PruningScheduleDependencies {
  temporal: Client;
  taskQueue: string;
  log: Logger;
}

export interface PruningSchedule {
  stop(): Promise<void>;
}

const everyMs = 3_600_000;
const jitterMs = 600_000;
const answerWithinMs = 10_000;
const retryMs = 60_000;
/** gRPC's code of a server without schedules. */
const unimplemented = 12;

/** Checks now and at every interval, since Temporal may lose its database while the worker runs. */
export function keepPruningSchedule(dependencies: PruningScheduleDependencies): PruningSchedule {
  const { temporal } = dependencies;
  const log = dependencies.log.child({ component: 'retention' });
  const stopping = new AbortController();
  const { signal } = stopping;

  async function keep(): Promise<void> {
    while (!signal.aborted) {
      let waitMs = everyMs;
      try {
        await temporal.withAbortSignal(signal, () =>
          temporal.withDeadline(Date.now() + answerWithinMs, () =>
            ensurePruningSchedule(dependencies),
          ),
        );
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, 'the schedule that prunes records could not be created');
        if (isUnimplemented(error)) return;
        waitMs = retryMs;
      }
      await sleep(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  const kept = keep();
  return {
    async stop() {
      stopping.abort();
      await kept;
    },
  };
}

/** Creates or corrects the schedule. A paused one stays paused. */
export async function ensurePruningSchedule({
  temporal,
  taskQueue,
}: Omit<PruningScheduleDependencies, 'log'>): Promise<void> {
  const scheduleId = pruneScheduleId(taskQueue);
  const input: PruneRecordsInput = { after: '' };
  const wanted = {
    spec: { intervals: [{ every: everyMs }], jitter: jitterMs },
    action: {
      type: 'startWorkflow' as const,
      workflowType: pruneRecordsWorkflow,
      workflowId: scheduleId,
      taskQueue,
      args: [input],
    },
    // A run that was due while Temporal was down starts once.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: everyMs },
  };
  try {
    await temporal.schedule.create({ scheduleId, ...wanted });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const handle = temporal.schedule.getHandle(scheduleId);
    if (isCurrent(await handle.describe(), taskQueue)) return;
    await handle.update(({ state }) => ({ ...wanted, state }));
  }
}

function isCurrent({ spec, action, policies }: ScheduleDescription, taskQueue: string): boolean {
  const [interval, ...others] = spec.intervals ?? [];
  return (
    interval?.every === everyMs &&
    !interval.offset &&
    others.length === 0 &&
    spec.jitter === jitterMs &&
    policies.overlap === ScheduleOverlapPolicy.SKIP &&
    policies.catchupWindow === everyMs &&
    action.workflowType === pruneRecordsWorkflow &&
    action.taskQueue === taskQueue
  );
}

function isUnimplemented(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return isGrpcServiceError(cause) && (cause.code as number) === unimplemented;
}
