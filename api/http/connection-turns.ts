// Shares the connections of the database's pool between the projects whose requests and targets need them.
import { currentProject } from '../../activities/current-project.ts';
import { createFairPlaces } from '../../activities/fair-places.ts';
import type { ConnectOptions } from '../../schema/database/connect.ts';
import { AppError } from '../../schema/wire/errors.ts';

const defaultWaitMs = 5_000;

/**
 * One project never holds more than half of the connections. Its other work waits, and is refused after 5 s. Work
 * without a project takes no turns: the live feed, the probes, the relay, and the record of an answered call.
 */
export function createConnectionTurns(
  connections: number,
  maxWaitMs = defaultWaitMs,
): NonNullable<ConnectOptions['inTurn']> {
  const inPlace = createFairPlaces(connections);
  return async (use) => {
    const projectId = currentProject();
    if (projectId === undefined) return use();
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(tooMany()), maxWaitMs);
    const begin = () => {
      clearTimeout(timer);
      return use();
    };
    return inPlace(projectId, begin, waiting.signal);
  };
}

function tooMany(): AppError {
  const message = 'The project has too much in progress.';
  return new AppError('rate_limited', message, { retryAfterS: 1 });
}
