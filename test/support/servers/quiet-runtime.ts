// Temporal's runtime for tests: no signal handlers of its own, and silent unless something fails.
import { DefaultLogger, makeTelemetryFilterString, Runtime } from '@temporalio/worker';

let isInstalled = false;

/** Call it once per process, before the first connection. */
export function installQuietRuntime(): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({
    shutdownSignals: [],
    logger: new DefaultLogger('ERROR'),
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }), forward: {} },
    },
  });
}
