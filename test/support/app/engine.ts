// The parts of a worker that deliver, on a test's database and without an API.
import { rmSync } from 'node:fs';
import { inject } from 'vitest';
import { pino } from 'pino';
import { createDeliveryRecorder } from '../../../activities/delivering/recorder.ts';
import { createKeyedCounter } from '../../../activities/keyed-limits.ts';
import { openFileStore } from '../../../activities/media/store/file.ts';
import { createPendingRefreshes } from '../../../activities/logins/pending-refreshes.ts';
import { createPublicUrls } from '../../../activities/platforms/public-urls.ts';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import { createSafeFetch } from '../../../activities/egress/client.ts';
import { createUrlGuard } from '../../../activities/egress/url-guard.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { createNotifier } from '../../../schema/database/notifier.ts';
import { createListener } from '../../../schema/database/live/listen.ts';
import { readers } from '../media/images.ts';
import { createMarkedFolder } from '../media/marked-folder.ts';
import type { TestDatabase } from '../rows/database.ts';
import { rowsVault } from '../rows/rows.ts';

export type Engine = ReturnType<typeof createEngine>;

/** `onWarning`: called for each line of the log. */
export function createEngine(
  { db, url }: TestDatabase,
  {
    namespace,
    env = {},
    onWarning = () => undefined,
  }: { namespace: string; env?: Record<string, string>; onWarning?: (line: string) => void },
) {
  const config = readConfig({
    FANFARE_DATA_DIR: inject('cacheDirectory'),
    FANFARE_ALLOW_PRIVATE_CIDRS: '127.0.0.0/8',
    TEMPORAL_NAMESPACE: namespace,
    ...env,
  });
  const log = pino({ level: 'warn' }, { write: onWarning });
  const folder = createMarkedFolder('fanfare-engine-');
  const listener = createListener(url);
  const notifier = createNotifier(url);
  const safeFetch = createSafeFetch({
    guard: createUrlGuard({ allowPrivateCidrs: config.allowPrivateCidrs }),
  });
  return {
    config,
    db,
    listener,
    notifier,
    safeFetch,
    inFlight: createKeyedCounter(),
    refreshes: createPendingRefreshes(log),
    vault: rowsVault,
    platforms: createPlatforms([]),
    publicUrls: createPublicUrls(rowsVault, 'https://fanfare.test'),
    media: { store: openFileStore(folder), ...readers, maxBytes: 1e9, projectMaxBytes: 1e10 },
    recorder: createDeliveryRecorder(db, notifier),
    clock: config.targetClock,
    delaysMs: config.deliveryDelaysMs,
    timeoutMs: config.deliveryTimeoutMs,
    now: Date.now,
    previewEvents: false,
    cacheDirectory: inject('cacheDirectory'),
    log,
    async close() {
      await Promise.all([listener.close(), notifier.close(), safeFetch.close()]);
      rmSync(folder, { recursive: true });
    },
  };
}
