// What an open target or comment waits for, as its row tells it.
import { isOpen } from '../../schema/database/posts/open-results.ts';
import type { PostResultRow } from '../../schema/database/tables.ts';
import type { WaitReason } from '../../schema/posts/posts.ts';

/** Null: it is under way, or about to be, or has ended. `results`: all of its post. */
export function findWaitReason(row: PostResultRow, results: PostResultRow[]): WaitReason | null {
  if (!isOpen(row.status) || row.phase_state === 'begun') return null;
  if (row.is_paused) return 'pause';
  const answered = results.find(({ id }) => id === row.answers_result_id);
  if (answered && isOpen(answered.status)) return 'answered_post';
  return row.next_attempt_at && reasonOf(row, row.next_attempt_at);
}

function reasonOf({ phase, clock }: PostResultRow, until: Date): WaitReason {
  if (clock.rateLimitedSinceMs !== undefined) return 'rate_limit';
  if (phase === 'confirm') return 'confirmation';
  if (phase === 'reconcile') return 'lost_answer';
  return isTurn(clock.turnAtMs, until) ? 'rate_limit' : 'network';
}

/** A place that is past was reserved for an earlier call. */
function isTurn(turnAtMs: number | undefined, until: Date): boolean {
  return turnAtMs !== undefined && Math.abs(until.getTime() - turnAtMs) < turnToleranceMs;
}

/** Between reserving a place and writing that it is waited for. */
const turnToleranceMs = 500;
