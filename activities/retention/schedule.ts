// Sees to it that Temporal has the schedule that starts `pruneRecords`.
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
const tryAgainMs = 60_000;
/** gRPC's code of a server that knows no schedules. */
const unimplemented = 12;

/** Looks now and once per interval, since Temporal's database may be lost while the worker runs. */
export function keepPruningSchedule(dependencies: PruningScheduleDependencies): PruningSchedule {
  const { temporal, log } = dependencies;
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
        log.warn({ err: error }, 'Old records are not pruned, since Temporal took no schedule.');
        if (isUnimplemented(error)) return;
        waitMs = tryAgainMs;
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

/** As it is wanted here, but paused if somebody has paused it. */
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
    // A time that passed while Temporal was away is made good for, once.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: everyMs },
  };
  try {
    await temporal.schedule.create({ scheduleId, ...wanted });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const handle = temporal.schedule.getHandle(scheduleId);
    if (isAsWanted(await handle.describe(), taskQueue)) return;
    await handle.update(({ state }) => ({ ...wanted, state }));
  }
}

function isAsWanted({ spec, action, policies }: ScheduleDescription, taskQueue: string): boolean {
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
