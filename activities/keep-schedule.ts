// Keeps the schedules that start workflows in Temporal at an interval.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  ScheduleAlreadyRunning,
  ScheduleOverlapPolicy,
  type Client,
  type ScheduleDescription,
} from '@temporalio/client';
import type { Logger } from 'pino';

export interface ScheduleDependencies {
  temporal: Client;
  taskQueue: string;
  log: Logger;
}

/** A workflow that starts at an interval, with at most one run at a time. */
export interface ScheduledWorkflow {
  /** The ID is also the prefix of the workflows' IDs, to which Temporal appends the start time. */
  scheduleId: string;
  workflowType: string;
  args: unknown[];
  everyMs: number;
  jitterMs: number;
  /** The component that the log lines name. */
  component: string;
  /** Completes the log line `the schedule that …`. */
  purpose: string;
}

const checkEveryMs = 3_600_000;
const answerWithinMs = 10_000;
const retryMs = 60_000;
/** gRPC's code of a server without schedules. */
const unimplemented = 12;

/** Checks now and at every interval, since Temporal may lose its database while the worker runs. */
export function keepSchedule(
  dependencies: ScheduleDependencies,
  scheduled: ScheduledWorkflow,
): { stop(): Promise<void> } {
  const { temporal } = dependencies;
  const { component, purpose } = scheduled;
  const log = dependencies.log.child({ component });
  const stopping = new AbortController();
  const { signal } = stopping;

  async function keep(): Promise<void> {
    while (!signal.aborted) {
      let waitMs = checkEveryMs;
      try {
        await temporal.withAbortSignal(signal, () =>
          temporal.withDeadline(Date.now() + answerWithinMs, () =>
            ensureSchedule(dependencies, scheduled),
          ),
        );
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, `the schedule that ${purpose} could not be created`);
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
export async function ensureSchedule(
  { temporal, taskQueue }: Omit<ScheduleDependencies, 'log'>,
  scheduled: ScheduledWorkflow,
): Promise<void> {
  const { scheduleId, workflowType, args, everyMs, jitterMs } = scheduled;
  const wanted = {
    spec: { intervals: [{ every: everyMs }], jitter: jitterMs },
    action: {
      type: 'startWorkflow' as const,
      workflowType,
      workflowId: scheduleId,
      taskQueue,
      args,
    },
    // If a run was due while Temporal was down, it starts once.
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: everyMs },
  };
  try {
    await temporal.schedule.create({ scheduleId, ...wanted });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    const handle = temporal.schedule.getHandle(scheduleId);
    if (isCurrent(await handle.describe(), taskQueue, scheduled)) return;
    await handle.update(({ state }) => ({ ...wanted, state }));
  }
}

function isCurrent(
  { spec, action, policies }: ScheduleDescription,
  taskQueue: string,
  { workflowType, everyMs, jitterMs }: ScheduledWorkflow,
): boolean {
  const [interval, ...others] = spec.intervals ?? [];
  return (
    interval?.every === everyMs &&
    !interval.offset &&
    others.length === 0 &&
    spec.jitter === jitterMs &&
    policies.overlap === ScheduleOverlapPolicy.SKIP &&
    policies.catchupWindow === everyMs &&
    action.workflowType === workflowType &&
    action.taskQueue === taskQueue
  );
}

function isUnimplemented(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return isGrpcServiceError(cause) && (cause.code as number) === unimplemented;
}
