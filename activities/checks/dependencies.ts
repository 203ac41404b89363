// The dependencies of the steps of a check.
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
  publicUrls: Pick<PublicUrls, 'urlOf'>;
  safeFetch: Pick<SafeFetch, 'fetch'>;
}
