// The dependencies of the steps of a check.
import type { PlatformName } from '../../schema/platforms/index.ts';
import type { TargetClock } from '../../schema/retry.ts';
import type { CallPlaces } from '../call-places.ts';
import type { SafeFetch } from '../egress/client.ts';
import type { LoginDependencies } from '../logins/dependencies.ts';
import type { PublicUrls } from '../platforms/public-urls.ts';

export interface CheckDependencies extends LoginDependencies {
  clock: Pick<
    TargetClock,
    'unavailableDelaysMs' | 'reconcileDelaysMs' | 'confirmFirstMs' | 'confirmMaxMs'
  >;
  /** Milliseconds since the epoch, by the database's clock. */
  now: () => number;
  places: CallPlaces;
  /** The operator's ceilings; 0 or absent: no limit. */
  postsPerMinute?: Partial<Record<PlatformName, number>>;
  publicUrls: Pick<PublicUrls, 'urlOf'>;
  safeFetch: Pick<SafeFetch, 'fetch'>;
}
