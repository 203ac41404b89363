// The baseline of an idle program, in a process of its own: a worker of the SDK that has nothing to do.
import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker';

const [address] = process.argv.slice(2);
const logger = new DefaultLogger('ERROR');
Runtime.install({ logger });
const connection = await NativeConnection.connect({ address: address! });
const worker = await Worker.create({
  connection,
  taskQueue: 'bench-empty',
  workflowBundle: await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('empty-workflow.ts', import.meta.url)),
    logger,
  }),
  activities: {
    async doNothing(): Promise<void> {},
  },
  maxConcurrentActivityTaskExecutions: 1_000,
  maxConcurrentWorkflowTaskExecutions: 500,
  maxCachedWorkflows: 500,
});

process.on('disconnect', () => worker.shutdown());
const running = worker.run();
process.send!('ready');
await running;
await connection.close();
