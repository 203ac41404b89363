// The dependencies of the steps that advance a target.
import type { PlatformName } from '../../schema/platforms/index.ts';
import type { TargetClock } from '../../schema/retry.ts';
import type { CallPlaces } from '../call-places.ts';
import type { LoginDependencies } from '../logins/dependencies.ts';
import type { LoadMedia } from '../media/load-media.ts';
import type { CallHeartbeats } from './call-ownership.ts';
import type { GroupedReads } from './grouped-reads.ts';
import type { GroupedWrites } from './grouped-writes.ts';

export interface AdvanceDependencies extends LoginDependencies {
  clock: TargetClock;
  heartbeats: CallHeartbeats;
  reads: GroupedReads;
  writes: GroupedWrites;
  places: CallPlaces;
  /** Milliseconds since the epoch, by the database's clock. */
  now: () => number;
  /** The operator's ceilings; 0 or absent: no limit. */
  postsPerMinute?: Partial<Record<PlatformName, number>>;
  /** How long one call to a network may take. */
  callTimeoutMs?: number;
  loadMedia: LoadMedia;
}
