// Restarts the worker of this process whenever it fails, such as when it loses Temporal.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import {
  startWorker,
  type RunningWorker,
  type WorkerDependencies,
} from '../../activities/worker.ts';
import { connectNative } from './temporal-connection.ts';
import type { TemporalRuntime } from './temporal-runtime.ts';

export interface KeptWorker {
  /** Resolves when a worker runs for the first time. */
  ready: Promise<void>;
  isRunning(): boolean;
  stop(): Promise<void>;
}

export type KeepDependencies = Omit<WorkerDependencies, 'connection' | 'temporal'> & {
  address: string;
  temporalRuntime?: TemporalRuntime | undefined;
};

const retryMs = 1_000;

export function keepWorker(dependencies: KeepDependencies): KeptWorker {
  const { address, config, temporalRuntime } = dependencies;
  const log = dependencies.log.child({ component: 'worker' });
  const stopping = new AbortController();
  const ready = Promise.withResolvers<void>();
  let worker: RunningWorker | undefined;

  async function runOnce(): Promise<void> {
    let connection: NativeConnection | undefined;
    try {
      await temporalRuntime?.install();
      connection = await connectNative({ address, config });
      // The relay's client uses the worker's connection, because eager workflow start needs that.
      const temporal = new Client({ connection, namespace: config.temporal.namespace });
      worker = await startWorker({ ...dependencies, connection, temporal });
      ready.resolve();
      if (stopping.signal.aborted) await worker.stop();
      await worker.done;
    } finally {
      worker = undefined;
      await connection?.close().catch(() => undefined);
    }
  }

  async function keep(): Promise<void> {
    while (!stopping.signal.aborted) {
      await runOnce().catch((error: unknown) =>
        log.warn({ err: error }, 'worker failed, restarting'),
      );
      await sleep(retryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const kept = keep();
  return {
    ready: ready.promise,
    isRunning: () => worker !== undefined,
    async stop() {
      stopping.abort();
      await worker?.stop();
      await kept;
    },
  };
}
