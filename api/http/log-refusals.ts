// Log lines for refused keys and requests (401 and 403), at most one for each code in ten seconds.
import type { Logger } from 'pino';
import { errorKinds, type AppError } from '../../schema/wire/errors.ts';

const everyMs = 10_000;
const refusalStatuses: ReadonlySet<number> = new Set([401, 403]);

interface Refusals {
  loggedAtMs: number;
  /** Refusals without a line since then. */
  unlogged: number;
}

const refusalsOf = new WeakMap<Logger, Map<string, Refusals>>();

/** `refused`: how many refusals of this code the line stands for. The line has nothing of the key. */
export function logRefusal(log: Logger, error: AppError, requestId: string | undefined): void {
  const { code } = error;
  const { status } = errorKinds[code];
  if (!refusalStatuses.has(status)) return;
  const refusals = refusalsOf.get(log) ?? new Map<string, Refusals>();
  refusalsOf.set(log, refusals);
  const { loggedAtMs, unlogged } = refusals.get(code) ?? { loggedAtMs: -Infinity, unlogged: 0 };
  const nowMs = performance.now();
  if (nowMs - loggedAtMs < everyMs) {
    refusals.set(code, { loggedAtMs, unlogged: unlogged + 1 });
    return;
  }
  refusals.set(code, { loggedAtMs: nowMs, unlogged: 0 });
  const fields = { status, code, refused: unlogged + 1, request_id: requestId };
  log.info({ component: 'http', ...fields }, 'requests are refused');
}
