// Shares the connections of the database's pool between the projects whose requests need them.
import { AsyncLocalStorage } from 'node:async_hooks';
import { createFairPlaces } from '../../activities/fair-places.ts';
import type { ConnectOptions } from '../../schema/database/connect.ts';
import { AppError } from '../../schema/wire/errors.ts';

const projects = new AsyncLocalStorage<string>();

/** What `work` asks of the database, it asks for this project. */
export function asProject<T>(projectId: string, work: () => T): T {
  return projects.run(projectId, work);
}

const defaultWaitMs = 5_000;

/**
 * One project never holds more than half of the connections. Its other requests wait, and are refused after 5 s.
 * The worker, the live feed and the probes take no turns.
 */
export function createConnectionTurns(
  connections: number,
  maxWaitMs = defaultWaitMs,
): NonNullable<ConnectOptions['inTurn']> {
  const inPlace = createFairPlaces(connections);
  return async (use) => {
    const projectId = projects.getStore();
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
  const message = 'The project has too many requests in progress.';
  return new AppError('rate_limited', message, { retryAfterS: 1 });
}
