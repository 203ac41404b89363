// The worker of this process, which runs workflows and activities. Also runs the relay and the sweeper in
// this process.
import type { Client } from '@temporalio/client';
import {
  Worker,
  type NativeConnection,
  type WorkerDeploymentOptions,
  type WorkerOptions,
} from '@temporalio/worker';
import type { Listener } from '../schema/database/live/listen.ts';
import type { Config } from '../schema/config/config.ts';
import { crowdedQueueOf, maxBatchSize } from '../schema/workflows.ts';
import { createFailureReporter } from './activity-failures.ts';
import { createCallPlaces } from './call-places.ts';
import {
  heartbeatsOfChanges,
  heartbeatsOfTargets,
} from '../schema/database/posts/call-heartbeats.ts';
import { createCallHeartbeats } from './publishing/call-ownership.ts';
import { createMediaLoader } from './media/load-media.ts';
import type { PublicUrls } from './platforms/public-urls.ts';
import { createGroupedReads } from './publishing/grouped-reads.ts';
import { createGroupedWrites } from './publishing/grouped-writes.ts';
import { createAdmission } from './publishing/admission.ts';
import { createFirstAttempts } from './delivering/first-attempts.ts';
import { createActivities, type ActivityDependencies } from './index.ts';
import { keepSchedule } from './keep-schedule.ts';
import { pruningSchedule, refreshSchedule } from './schedules.ts';
import { startRelay } from './dispatch/relay.ts';
import { startSweeper } from './dispatch/sweeper.ts';
import { workflowBundle } from './dispatch/workflow-bundle.ts';

export interface WorkerDependencies extends Omit<
  ActivityDependencies,
  | 'admission'
  | 'changeHeartbeats'
  | 'heartbeats'
  | 'loadMedia'
  | 'places'
  | 'reads'
  | 'stopping'
  | 'writes'
> {
  config: Config;
  connection: NativeConnection;
  temporal: Client;
  listener: Listener;
  publicUrls: PublicUrls;
  /** Where the workflow bundle is kept. */
  cacheDirectory: string;
}

export interface RunningWorker {
  /** Settles when the worker has ended, through `stop` or an error. */
  done: Promise<void>;
  stop(): Promise<void>;
}

/** A request that hangs occupies a slot for its whole timeout, so there are many slots. */
const maxActivities = 1_000;
/** This number leaves a fifth of the slots for other activities. */
const maxCalls = 800;
/** Slots in addition to `maxCalls`, for calls of projects that already use their share of `maxCalls`. */
const maxCrowdedCalls = 200;
/** How long a stopping worker waits for calls to networks, so that it records their outcomes. */
const settleWithinMs = 8_000;

export async function startWorker(dependencies: WorkerDependencies): Promise<RunningWorker> {
  const { config, connection, db, notifier, listener, log, temporal, inFlight } = dependencies;
  const { namespace, taskQueue, buildId } = config.temporal;
  const stopping = new AbortController();
  const admission = createAdmission();
  const heartbeats = createCallHeartbeats(heartbeatsOfTargets(db), config.targetClock);
  const changeHeartbeats = createCallHeartbeats(heartbeatsOfChanges(db), config.targetClock);
  // At least the number of connections to one endpoint. Otherwise some of the connections would stay idle.
  const maxInFlight = Math.max(maxBatchSize, config.deliveriesPerEndpoint);
  const common: WorkerOptions = {
    connection,
    namespace,
    taskQueue,
    ...(buildId !== undefined && { workerDeploymentOptions: deploymentOf(taskQueue, buildId) }),
    activities: createActivities({
      ...dependencies,
      stopping: stopping.signal,
      admission,
      heartbeats,
      reads: createGroupedReads(db),
      changeHeartbeats,
      writes: createGroupedWrites(dependencies),
      places: createCallPlaces(maxCalls),
      loadMedia: createMediaLoader(dependencies),
    }),
    interceptors: { activity: [createFailureReporter(dependencies)] },
    shutdownGraceTime: '12s',
    shutdownForceTime: '20s',
  };
  const worker = await Worker.create({
    ...common,
    workflowBundle: await workflowBundle(dependencies.cacheDirectory),
    maxConcurrentActivityTaskExecutions: maxActivities,
    maxConcurrentLocalActivityExecutions: 500,
    maxConcurrentWorkflowTaskExecutions: 500,
    maxCachedWorkflows: 500,
  });
  const crowdedWorker = await Worker.create({
    ...common,
    taskQueue: crowdedQueueOf(taskQueue),
    maxConcurrentActivityTaskExecutions: maxCrowdedCalls,
  });
  const workers = [worker, crowdedWorker];
  const relay = startRelay({
    db,
    listener,
    temporal,
    taskQueue,
    isVersioned: buildId !== undefined,
    fullWebhooks: () => inFlight.keysFrom(maxInFlight),
    crowdedProjects: () => admission.crowdedProjects(),
    attempts: createFirstAttempts(dependencies),
    log,
  });
  const sweeper = startSweeper({
    db,
    notifier,
    temporal,
    everyMs: config.sweepEveryS * 1_000,
    overdueMs: config.sweepOverdueS * 1_000,
    config,
    log,
  });
  const schedules = [pruningSchedule(taskQueue), refreshSchedule(taskQueue)].map((scheduled) =>
    keepSchedule({ temporal, taskQueue, log }, scheduled),
  );
  const stopWorkers = () => {
    stopping.abort();
    for (const each of workers) if (each.getState() === 'RUNNING') each.shutdown();
  };
  // Even if the worker fails, the relay must not claim work for its closed connection.
  const stopOthers = () =>
    Promise.all([relay, sweeper, ...schedules].map((running) => running.stop()));
  const run = async () => {
    try {
      await Promise.all(workers.map((each) => each.run().finally(stopWorkers)));
    } finally {
      await stopOthers();
      const calls = [heartbeats, changeHeartbeats];
      await Promise.all([relay.settled(), ...calls.map((each) => each.settled(settleWithinMs))]);
      await Promise.all(calls.map((each) => each.releaseAll()));
    }
  };
  const done = run();
  return {
    done,
    async stop() {
      await stopOthers();
      stopWorkers();
      await done;
    },
  };
}

/** A workflow ends on the build that began it, so a new build may change the code of workflows. */
function deploymentOf(deploymentName: string, buildId: string): WorkerDeploymentOptions {
  return {
    version: { deploymentName, buildId },
    useWorkerVersioning: true,
    defaultVersioningBehavior: 'PINNED',
  };
}
