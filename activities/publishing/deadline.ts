// The deadline of a target. After the deadline, a target fails instead of being sent.
import type { TargetRow } from '../../schema/database/posts/targets.ts';
import { isSending, mayBePublic } from './backoff.ts';

/**
 * Null: the target has no deadline, or its post may be public, so that the target must be checked or
 * finished.
 */
export function deadlineOf(row: TargetRow): Date | null {
  return isSending(row.phase) && !mayBePublic(row) ? row.deadline : null;
}

/** Uses the clock of the database. */
export function isPastDeadline(row: TargetRow): boolean {
  const deadline = deadlineOf(row);
  return deadline !== null && deadline <= row.read_at;
}
