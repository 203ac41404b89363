// The worker of this process: runs workflows and activities, with the relay and the sweeper beside it.
import type { Client } from '@temporalio/client';
import { Worker, type NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Notifier } from '../schema/database/live/notifier.ts';
import type { Listener } from '../schema/database/live/listen.ts';
import type { Config } from '../schema/config/config.ts';
import { createFailureReporter } from './activity-failures.ts';
import { createCallHeartbeats } from './publishing/call-ownership.ts';
import { createFirstTasks } from './publishing/admission.ts';
import { createHeadStart } from './delivering/eager-start.ts';
import { createActivities, type ActivityDependencies } from './index.ts';
import { keepPruningSchedule } from './retention/schedule.ts';
import { startRelay } from './dispatch/relay.ts';
import { startSweeper } from './dispatch/sweeper.ts';
import { workflowBundle } from './dispatch/workflow-bundle.ts';

export interface WorkerDependencies extends Omit<
  ActivityDependencies,
  'firstTasks' | 'heartbeats'
> {
  config: Config;
  connection: NativeConnection;
  temporal: Client;
  listener: Listener;
  notifier: Notifier;
  log: Logger;
  /** Where the workflow bundle is kept. */
  cacheDirectory: string;
}

export interface RunningWorker {
  /** Settles when the worker has ended, by `stop` or by a fault. */
  done: Promise<void>;
  stop(): Promise<void>;
}

export async function startWorker(dependencies: WorkerDependencies): Promise<RunningWorker> {
  const { config, connection, db, notifier, listener, log, temporal } = dependencies;
  const { namespace, taskQueue } = config.temporal;
  const headStart = createHeadStart(dependencies);
  const firstTasks = createFirstTasks();
  const heartbeats = createCallHeartbeats(db, config.targetClock);
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: await workflowBundle(dependencies.cacheDirectory),
    activities: createActivities({ ...dependencies, headStart, firstTasks, heartbeats }),
    interceptors: { activity: [createFailureReporter(dependencies)] },
    // A request that hangs keeps a place for as long as it may: there must be room beside many.
    maxConcurrentActivityTaskExecutions: 1_000,
    maxConcurrentLocalActivityExecutions: 500,
    maxConcurrentWorkflowTaskExecutions: 500,
    maxCachedWorkflows: 500,
    shutdownGraceTime: '12s',
    shutdownForceTime: '20s',
  });
  const relay = startRelay({
    db,
    listener,
    temporal,
    taskQueue,
    fullWebhooks: () => dependencies.inHand.full(),
    isCrowded: () => firstTasks.isCrowded(),
    headStart,
    log,
  });
  const sweeper = startSweeper({
    db,
    notifier,
    temporal,
    everyMs: config.sweepEveryS * 1_000,
    overdueMs: config.sweepOverdueS * 1_000,
    log,
  });
  const schedule = keepPruningSchedule({ temporal, taskQueue, log });
  // However the worker ends, a relay on its closed connection must not go on claiming.
  const stopOthers = () => Promise.all([relay.stop(), sweeper.stop(), schedule.stop()]);
  const run = async () => {
    try {
      await worker.run();
    } finally {
      await stopOthers();
      await headStart.settled();
      await heartbeats.handOver();
    }
  };
  const done = run();
  return {
    done,
    async stop() {
      await stopOthers();
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    },
  };
}
