// The worker of this process: runs workflows and activities, with the relay and the sweeper beside it.
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { bundleWorkflowCode, Worker, type NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Doorbell } from '../schema/database/doorbell.ts';
import type { Listener } from '../schema/database/listen.ts';
import type { Config } from '../schema/config.ts';
import { createActivities, type ActivityDependencies } from './index.ts';
import { startRelay } from './relay.ts';
import { startSweeper } from './sweeper.ts';

export interface WorkerDependencies extends ActivityDependencies {
  config: Config;
  connection: NativeConnection;
  temporal: Client;
  listener: Listener;
  doorbell: Doorbell;
  log: Logger;
  /** Where the workflow bundle is kept; undefined: it is built at every start. */
  cacheDirectory: string | undefined;
}

export interface RunningWorker {
  /** Settles when the worker has ended, by `stop` or by a fault. */
  done: Promise<void>;
  stop(): Promise<void>;
}

const room = fileURLToPath(new URL('../', import.meta.url));

export async function startWorker(dependencies: WorkerDependencies): Promise<RunningWorker> {
  const { config, connection, db, doorbell, listener, log, temporal } = dependencies;
  const { namespace, taskQueue } = config.temporal;
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: { code: await workflowBundle(dependencies.cacheDirectory) },
    activities: createActivities(dependencies),
    maxConcurrentActivityTaskExecutions: 200,
    maxConcurrentLocalActivityExecutions: 50,
    maxCachedWorkflows: 500,
    shutdownGraceTime: '12s',
    shutdownForceTime: '20s',
  });
  const relay = startRelay({ db, listener, temporal, taskQueue, log });
  const sweeper = startSweeper({
    db,
    doorbell,
    temporal,
    everyMs: config.sweepEveryS * 1_000,
    overdueMs: config.sweepOverdueS * 1_000,
    log,
  });
  const done = worker.run();
  return {
    done,
    async stop() {
      await Promise.all([relay.stop(), sweeper.stop()]);
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await done;
    },
  };
}

/** Bundling takes a second or two and much memory, so a bundle is kept by the content it was made of. */
async function workflowBundle(cacheDirectory: string | undefined): Promise<string> {
  const build = async () => {
    const { code } = await bundleWorkflowCode({
      workflowsPath: join(room, 'workflows', 'index.ts'),
      logger: silentLogger,
    });
    return code;
  };
  if (cacheDirectory === undefined) return build();
  const path = join(cacheDirectory, `workflows-${await contentHash()}.js`);
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  if (kept !== undefined) return kept;
  const code = await build();
  await mkdir(cacheDirectory, { recursive: true });
  await writeFile(`${path}.${process.pid}`, code);
  await rename(`${path}.${process.pid}`, path);
  return code;
}

async function contentHash(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of ['workflows', 'schema']) {
    for (const name of (await readdir(join(room, folder))).toSorted()) {
      if (name.endsWith('.ts')) hash.update(await readFile(join(room, folder, name)));
    }
  }
  hash.update(await readFile(join(room, 'package.json')));
  return hash.digest('hex').slice(0, 16);
}

const silentLogger = {
  log: () => undefined,
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
