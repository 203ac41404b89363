// The runtime of Temporal's SDK, which is native code and exists once for each process.
import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, Runtime, type RuntimeOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import { findFreePort } from './ports.ts';

export interface TemporalRuntime {
  /**
   * Call it before each start of a worker, because the SDK drops its runtime when the last connection closes.
   */
  install(): Promise<void>;
  /** Text for Prometheus; empty while the worker restarts. */
  readMetrics(): Promise<string>;
}

export function createTemporalRuntime(log: Logger): TemporalRuntime {
  const logger = createTemporalLogger(log);
  let metricsUrl: string | undefined;
  return {
    async install() {
      // The SDK serves its metrics only on an address of its own.
      const bindAddress = `127.0.0.1:${await findFreePort()}`;
      try {
        Runtime.install(runtimeOptions(logger, bindAddress));
      } catch (error) {
        if (error instanceof IllegalStateError) return;
        throw error;
      }
      metricsUrl = `http://${bindAddress}/metrics`;
    },
    readMetrics: async () => (metricsUrl === undefined ? '' : readMetrics(metricsUrl)),
  };
}

function runtimeOptions(logger: DefaultLogger, bindAddress: string): RuntimeOptions {
  return {
    // The SDK's signal handlers would race with ours.
    shutdownSignals: [],
    logger,
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      metrics: {
        prometheus: {
          bindAddress,
          countersTotalSuffix: true,
          unitSuffix: true,
          useSecondsForDurations: true,
        },
        attachServiceName: false,
      },
    },
  };
}

async function readMetrics(url: string): Promise<string> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(readWithinMs) });
    return answer.ok ? await answer.text() : '';
  } catch {
    return '';
  }
}

const readWithinMs = 2_000;
const maxErrorLength = 1_000;

const unhelpful = new Set([
  // The line `an activity failed` says more.
  'Activity failed',
  // The queue of crowded projects has no workflows.
  'No workflows registered, not polling for workflow tasks',
]);

/** Writes the warnings and errors of the SDK and its native core to our log. */
export function createTemporalLogger(log: Logger): DefaultLogger {
  const own = log.child({ component: 'temporal' });
  return new DefaultLogger('WARN', ({ level, message, meta = {} }) => {
    if (unhelpful.has(message)) return;
    // Other fields are left out, because some have data of a row, or bytes.
    const { target, workflowId: workflow_id, error, err = error } = meta;
    const text = describe(err)?.slice(0, maxErrorLength);
    own[level === 'ERROR' ? 'error' : 'warn']({ target, workflow_id, error: text }, message);
  });
}

function describe(error: unknown): string | undefined {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : undefined;
}
