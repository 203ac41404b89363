// Why an open target waits: one decision for the API, the log, the metrics and the command `stuck`.
import { sql } from 'kysely';
import type { WaitReason } from '../../posts/posts.ts';
import type { ClockState, PostResultRow } from '../tables.ts';
import { isOpen, isOpenRow } from './targets.ts';

/** `start`: no call was made yet, or the next one is due. `call`: a call is in progress. */
export type OpenReason = WaitReason | 'start' | 'call';

/** The facts that decide the reason. They have few values, so that targets can be counted by them. */
export interface WaitFacts {
  phase: PostResultRow['phase'];
  phase_state: string;
  is_paused: boolean;
  /** The next attempt has a time. */
  is_timed: boolean;
  /** The next attempt waits for its reserved slot. */
  is_slot: boolean;
  /** The post that the target replies to is open. */
  is_answer_open: boolean;
  /** Keys of the target's `clock`. */
  clock_keys: string[];
}

type WaitRow = Pick<
  PostResultRow,
  'phase' | 'phase_state' | 'is_paused' | 'clock' | 'next_attempt_at'
>;

/** Null: the target doesn't wait, or has ended. `results`: all results of its post. */
export function findWaitReason(row: PostResultRow, results: PostResultRow[]): WaitReason | null {
  if (!isOpen(row.status)) return null;
  const answered = results.find(({ id }) => id === row.answers_result_id);
  const reason = reasonOfRow(row, answered !== undefined && isOpen(answered.status));
  return reason === 'start' || reason === 'call' ? null : reason;
}

/** Why an open target waits. */
export function reasonOfRow(row: WaitRow, isAnswerOpen: boolean): OpenReason {
  const { phase, phase_state, is_paused, clock, next_attempt_at } = row;
  return reasonOf({
    phase,
    phase_state,
    is_paused,
    is_timed: next_attempt_at !== null,
    is_slot: isSlot(clock.slotAtMs, next_attempt_at),
    is_answer_open: isAnswerOpen,
    clock_keys: Object.keys(clock),
  });
}

export function reasonOf(facts: WaitFacts): OpenReason {
  const { phase } = facts;
  const has = (key: keyof ClockState) => facts.clock_keys.includes(key);
  if (facts.phase_state === 'begun') return 'call';
  if (facts.is_paused) return 'pause';
  if (facts.is_answer_open) return 'answered_post';
  if (!facts.is_timed) return 'start';
  if (has('mediaDelayMs')) return 'media';
  if (has('isOutOfCredits')) return 'app_credits';
  if (has('rateLimitedSinceMs')) return 'rate_limit';
  if (has('quotaSinceMs') && !has('unavailable')) return 'quota';
  if (phase === 'prepare' && has('prepareSinceMs') && !has('unavailable')) return 'preparation';
  if (phase === 'confirm') return 'confirmation';
  if (phase === 'reconcile') return 'lost_answer';
  return facts.is_slot ? 'rate_limit' : 'network';
}

/** Time between reserving a slot and writing the wait. */
const slotToleranceMs = 500;

/** A slot in the past was reserved for an earlier call. */
function isSlot(slotAtMs: number | undefined, until: Date | null): boolean {
  if (slotAtMs === undefined || until === null) return false;
  return Math.abs(until.getTime() - slotAtMs) < slotToleranceMs;
}

/** SQL: the facts of `post_results as r`, whose answered post is `answered`. */
export const waitFacts = sql`
  r.phase, r.phase_state, r.is_paused, r.next_attempt_at is not null as is_timed,
  coalesce(abs(extract(epoch from r.next_attempt_at) * 1000 - (r.clock ->> 'slotAtMs')::float8)
    < ${sql.lit(slotToleranceMs)}, false) as is_slot,
  coalesce(${isOpenRow('answered')}, false) as is_answer_open,
  array(select jsonb_object_keys(r.clock) order by 1) as clock_keys`;
