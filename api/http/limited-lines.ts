// Log lines about requests that are refused or fail: at most one of each kind every few seconds.
import type { Logger } from 'pino';
import { errorKinds, type AppError } from '../../schema/wire/errors.ts';

const refusedEveryMs = 10_000;
const unavailableEveryMs = 1_000;
const refusalStatuses: ReadonlySet<number> = new Set([401, 403]);

interface Line {
  loggedAtMs: number;
  /** How many requests have got no line since `loggedAtMs`. */
  unlogged: number;
}

const linesOf = new WeakMap<Logger, Map<string, Line>>();

/** How many requests a line stands for. 0: this request gets no line. */
function countForLine(log: Logger, kind: string, everyMs: number): number {
  const lines = linesOf.get(log) ?? new Map<string, Line>();
  linesOf.set(log, lines);
  const { loggedAtMs, unlogged } = lines.get(kind) ?? { loggedAtMs: -Infinity, unlogged: 0 };
  const nowMs = performance.now();
  const isDue = nowMs - loggedAtMs >= everyMs;
  const line = isDue ? { loggedAtMs: nowMs, unlogged: 0 } : { loggedAtMs, unlogged: unlogged + 1 };
  lines.set(kind, line);
  return isDue ? unlogged + 1 : 0;
}

/** Logs a refused key or request (401 or 403). The line contains no part of the key. */
export function logRefusal(log: Logger, { code }: AppError, requestId: string | undefined): void {
  const { status } = errorKinds[code];
  if (!refusalStatuses.has(status)) return;
  const refused = countForLine(log, code, refusedEveryMs);
  if (refused === 0) return;
  const fields = { status, code, refused, request_id: requestId };
  log.info({ component: 'http', ...fields }, 'requests are refused');
}

/** A refused scrape of the metrics. */
export function logRefusedScrape(log: Logger, status: number, requestId: string): void {
  const refused = countForLine(log, 'scrape', refusedEveryMs);
  if (refused === 0) return;
  log.info({ component: 'http', status, refused, request_id: requestId }, 'scrapes are refused');
}

/** Logs a request that failed because Postgres or another backend can't be reached. */
export function logUnavailable(log: Logger, err: Error, requestId: string | undefined): void {
  const failed = countForLine(log, 'unavailable', unavailableEveryMs);
  if (failed === 0) return;
  log.warn({ component: 'http', err, failed, request_id: requestId }, 'a backend is unavailable');
}
