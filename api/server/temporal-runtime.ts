// The runtime of Temporal's SDK, which is native code and exists once for each process.
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Logger } from 'pino';

/** Its signal handlers would race with ours. */
export function installTemporalRuntime(log: Logger): void {
  Runtime.install({
    shutdownSignals: [],
    logger: createTemporalLogger(log),
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
  });
}

const maxErrorLength = 1_000;

/** Writes the warnings and errors of the SDK and its native core to our log. */
export function createTemporalLogger(log: Logger): DefaultLogger {
  const own = log.child({ component: 'temporal' });
  return new DefaultLogger('WARN', ({ level, message, meta = {} }) => {
    // The line `an activity failed` says more.
    if (message === 'Activity failed') return;
    // No other fields: some have data of a row, or bytes.
    const { target, workflowId: workflow_id, error, err = error } = meta;
    const text = describe(err)?.slice(0, maxErrorLength);
    own[level === 'ERROR' ? 'error' : 'warn']({ target, workflow_id, error: text }, message);
  });
}

function describe(error: unknown): string | undefined {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : undefined;
}
