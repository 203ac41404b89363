// The baseline of posts, in a process of its own: runs empty workflows as the program runs its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker';

export interface EmptyRun {
  workflows: number;
  /** Of each workflow, all at once. */
  activities: number;
  /** All are due at that moment and are started before it. Absent: they are due at once. */
  dueInMs?: number;
}

const [address] = process.argv.slice(2);
const taskQueue = 'bench-empty';
/** Workflows that are being started at a time. */
const startsAtOnce = 50;

let left = 0;
let started = 0;
let allDone = Promise.withResolvers<void>();
const logger = new DefaultLogger('ERROR');
Runtime.install({ logger });
const connection = await NativeConnection.connect({ address: address! });
const client = new Client({ connection });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../empty-workflow.ts', import.meta.url)),
    logger,
  }),
  activities: {
    async doNothing(): Promise<void> {
      if (--left === 0) allDone.resolve();
    },
  },
  maxConcurrentActivityTaskExecutions: 1_000,
  maxConcurrentWorkflowTaskExecutions: 500,
  maxCachedWorkflows: 500,
});

/** Until Temporal has written the end of each, those of earlier runs included. */
async function waitUntilOver(): Promise<void> {
  const query = "WorkflowType = 'emptyWorkflow' and ExecutionStatus = 'Completed'";
  while ((await client.workflow.count(query)).count < started) await sleep(250);
}

/** Seconds from the first start, or the moment when they were due, to the last end. */
async function run({ workflows, activities, dueInMs = 0 }: EmptyRun): Promise<number> {
  left = workflows * activities;
  started += workflows;
  allDone = Promise.withResolvers();
  const fromMs = Date.now() + dueInMs;
  let unstarted = workflows;
  async function start(): Promise<void> {
    while (unstarted-- > 0) {
      const delayMs = fromMs - Date.now();
      await client.workflow.start('emptyWorkflow', {
        taskQueue,
        workflowId: `empty/${crypto.randomUUID()}`,
        args: [activities],
        ...(delayMs > 0 ? { startDelay: delayMs } : { requestEagerStart: true }),
      });
    }
  }
  await Promise.all(Array.from({ length: startsAtOnce }, start));
  await allDone.promise;
  await waitUntilOver();
  return (Date.now() - fromMs) / 1_000;
}

process.on('message', (asked: EmptyRun) => void run(asked).then((took) => process.send!(took)));
process.on('disconnect', () => worker.shutdown());
const running = worker.run();
process.send!('ready');
await running;
await connection.close();
