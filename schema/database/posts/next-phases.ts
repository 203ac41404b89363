// Writes the next phase of many targets together, each with the end of its call to the network.
import { sql } from 'kysely';
import type { Phase } from '../../posts/posts.ts';
import type { Notifier } from '../notifier.ts';
import { insertionOf } from '../live/changes.ts';
import { executePrepared } from '../prepared.ts';
import type { ClockState, Db, Writer } from '../tables.ts';
import { inStatement } from '../transaction.ts';
import { toHex, type SealedState } from './provider-state.ts';
import {
  changeOf,
  firstOfEach,
  lockTargets,
  setProgress,
  type GroupOptions,
} from './target-group.ts';
import { toAttemptColumns, type CallOutcome } from './target-steps.ts';
import { isOpenRow, type TargetRow } from './targets.ts';

interface NextPhase {
  phase: Phase;
  clock: ClockState;
  /** Null: now. */
  waitMs: number | null;
  /** Undefined: keeps it. */
  state?: SealedState | undefined;
}

/** A target that continues with another phase, or with the same phase again. */
export interface Continuation {
  row: TargetRow;
  next: NextPhase;
  /** How the row's last call ended. Undefined: there was no call, or its end is recorded already. */
  call?: CallOutcome | undefined;
}

/**
 * Ends the calls, and continues with the next phases. False: only the end of the call was written, because another
 * execution has changed the row.
 */
export async function setNextPhases(
  db: Db,
  notifier: Notifier,
  targets: readonly Continuation[],
  options: GroupOptions,
): Promise<(boolean | 'locked')[]> {
  // A second entry of a target is written alone.
  const first = firstOfEach(targets);
  const calls = [...first.values()].map(toColumns);
  const change = {
    ...changeOf('result.waiting', sql`changed where wait_ms is not null`),
    when: calls.some(({ wait_ms }) => wait_ms !== null),
  };
  const statement = (writer: Writer) => sql<{ id: string; has_changed: boolean }>`
    with call as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) as t (
        id text, steps int, phase text, clock jsonb, wait_ms float8, is_checked boolean,
        has_state boolean, state text, state_key_id text, outcome text, duration_ms int,
        error_code text, error_message text, provider_error jsonb)
    ), ${lockTargets(options)}, attempt as (
      update post_attempts a
      set outcome = call.outcome, duration_ms = call.duration_ms, error_code = call.error_code,
        error_message = call.error_message, provider_error = call.provider_error
      from call
      where a.result_id = any (array(select id from target)) and a.result_id = call.id
        and a.number = call.steps and call.outcome is not null
    ), changed as (
      update post_results r
      set phase = call.phase, phase_state = 'ready', clock = call.clock,
        next_attempt_at = now() + wait_ms * interval '1 ms',
        checked_at = case when is_checked then now() else checked_at end,
        provider_state = case when has_state then state::bytea else provider_state end,
        provider_state_key_id = case when has_state then state_key_id else provider_state_key_id end
      from call
      where r.id = any (array(select id from target)) and r.id = call.id and r.steps = call.steps
        and ${isOpenRow('r')}
      returning r.id, r.post_id, r.project_id, wait_ms
    ), change as (
      ${insertionOf(writer, change)}
    ), progress as (
      ${setProgress(sql`select post_id from changed where wait_ms is not null`)}
    )
    select target.id, changed.id is not null as has_changed from target left join changed using (id)`;
  const name = options.skipLocked ? 'set_next_phases' : 'set_next_phase';
  const rows = await inStatement(db, notifier, (writer) =>
    executePrepared(writer, name, statement(writer)),
  );
  const written = new Map(rows.map(({ id, has_changed }) => [id, has_changed]));
  return targets.map((target) => {
    if (first.get(target.row.id) !== target) return 'locked';
    return written.get(target.row.id) ?? (options.skipLocked ? 'locked' : false);
  });
}

function toColumns({ row, next, call }: Continuation) {
  const { phase, clock, waitMs, state } = next;
  return {
    id: row.id,
    steps: row.steps,
    phase,
    clock,
    wait_ms: waitMs,
    is_checked: row.phase === 'reconcile' && phase !== 'reconcile',
    has_state: state !== undefined,
    state: state && toHex(state.provider_state),
    state_key_id: state?.provider_state_key_id,
    ...(call && toAttemptColumns(call)),
  };
}

/** `setNextPhases` for one target. */
export async function setNextPhase(
  db: Db,
  notifier: Notifier,
  row: TargetRow,
  next: NextPhase,
  call?: CallOutcome,
): Promise<boolean> {
  const target = { row, next, call };
  const [isWritten] = await setNextPhases(db, notifier, [target], { skipLocked: false });
  return isWritten === true;
}
