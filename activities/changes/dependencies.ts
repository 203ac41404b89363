// The dependencies of the steps of a change.
import type { TargetClock } from '../../schema/retry.ts';
import type { CallPlaces } from '../call-places.ts';
import type { LoginDependencies } from '../logins/dependencies.ts';
import type { CallHeartbeats } from '../publishing/call-ownership.ts';

export interface ChangeDependencies extends LoginDependencies {
  clock: TargetClock;
  changeHeartbeats: CallHeartbeats;
  places: CallPlaces;
  /** Milliseconds since the epoch, by the database's clock. */
  now: () => number;
  /** How long one call to a network may take. */
  callTimeoutMs?: number;
}
