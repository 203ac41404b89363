// The dependencies of follow-ups.
import type { CallPlaces } from '../call-places.ts';
import type { LoginDependencies } from '../logins/dependencies.ts';

export interface FollowDependencies extends LoginDependencies {
  places: CallPlaces;
  /** How long one call to a network may take. */
  callTimeoutMs?: number;
}
