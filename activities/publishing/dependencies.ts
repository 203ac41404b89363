// The dependencies of the steps that advance a target.
import type { Db } from '../../schema/database/tables.ts';
import type { Notifier } from '../../schema/database/notifier.ts';
import type { Vault } from '../../schema/database/vault.ts';
import type { PlatformName } from '../../schema/platforms/index.ts';
import type { TargetClock } from '../../schema/retry.ts';
import type { CallHeartbeats } from './call-ownership.ts';
import type { PendingRefreshes } from './pending-refreshes.ts';
import type { Platforms } from '../platforms/index.ts';
import type { LoadMedia } from '../media/load-media.ts';

export interface AdvanceDependencies {
  db: Db;
  vault: Vault;
  notifier: Notifier;
  platforms: Platforms;
  clock: TargetClock;
  heartbeats: CallHeartbeats;
  refreshes: PendingRefreshes;
  /** Milliseconds since the epoch, by the database's clock. */
  now: () => number;
  /** The operator's ceilings; 0 or absent: no limit. */
  postsPerMinute?: Partial<Record<PlatformName, number>>;
  /** How long one call to a network may take. */
  callTimeoutMs?: number;
  loadMedia: LoadMedia;
  previewEvents: boolean;
}
