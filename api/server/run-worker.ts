// The worker of this process, with everything that its activities need.
import { createDeliveryRecorder } from '../../activities/delivering/recorder.ts';
import { createWebhookHealth } from '../../activities/delivering/webhook-health.ts';
import { createPendingRefreshes } from '../../activities/logins/pending-refreshes.ts';
import { createKeyedCounter } from '../../activities/keyed-limits.ts';
import type { Config } from '../../schema/config/config.ts';
import { startDatabaseClock } from '../../schema/database/database-clock.ts';
import type { PlatformName } from '../../schema/platforms/index.ts';
import type { ProcessContext } from './health.ts';
import { keepWorker, type KeepDependencies, type KeptWorker } from './keep-worker.ts';

/** Below the limit of the whole stop, so that lost credentials are logged. */
const stopWithinMs = 22_000;

export async function runWorker(
  context: ProcessContext,
  options: Pick<KeepDependencies, 'address' | 'listener' | 'safeFetch' | 'cacheDirectory'>,
): Promise<KeptWorker> {
  const { config, db, notifier, log } = context;
  const webhookHealth = createWebhookHealth({ db, notifier, log, rule: config.disabling });
  const refreshes = createPendingRefreshes(log);
  const clock = await startDatabaseClock(db);
  const worker = keepWorker({
    ...context,
    ...options,
    inFlight: createKeyedCounter(),
    refreshes,
    recorder: createDeliveryRecorder(db, notifier, webhookHealth.follow),
    clock: config.targetClock,
    postsPerMinute: postsPerMinuteOf(config),
    delaysMs: config.deliveryDelaysMs,
    timeoutMs: config.deliveryTimeoutMs,
    now: clock.now,
    previewEvents: config.previewEvents,
  });
  return {
    ...worker,
    async stop() {
      const untilMs = performance.now() + stopWithinMs;
      try {
        await worker.stop();
      } finally {
        await refreshes.settle(untilMs - performance.now());
        await webhookHealth.settled();
        clock.stop();
      }
    },
  };
}

function postsPerMinuteOf({ platforms }: Config): Partial<Record<PlatformName, number>> {
  const ceilings = Object.entries(platforms).map(([name, settings]) => [
    name,
    settings.postsPerMinute,
  ]);
  return Object.fromEntries(ceilings) as Partial<Record<PlatformName, number>>;
}
