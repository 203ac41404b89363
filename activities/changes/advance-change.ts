// Advances an edit or a removal until it ends or must wait. The row decides the next step, because after a crash
// only the row shows whether a call may have been sent.
import {
  findChangingTarget,
  findPublicReply,
  type ChangingTarget,
} from '../../schema/database/posts/after-publishing/result-changes.ts';
import { postingErrors, type PostingErrorCode } from '../../schema/posts/errors.ts';
import type { ChangeResultInput } from '../../schema/workflows.ts';
import { crowdedWaitMs } from '../call-places.ts';
import { asProject } from '../current-project.ts';
import { absenceOf } from '../platforms/index.ts';
import type { Platform } from '../platforms/platform.ts';
import { afterAbsent, checkAfterRestore, firstCheck, mayBePublic } from '../publishing/backoff.ts';
import { ownedForMs, readAgainMs } from '../publishing/call-ownership.ts';
import { findWait } from '../publishing/rate-limits.ts';
import { defaultCallTimeoutMs } from '../publishing/run-phase.ts';
import { stayForMs } from '../with-heartbeat.ts';
import type { ChangeDependencies } from './dependencies.ts';
import { applyStep } from './record-change.ts';
import { canCheck, runChange } from './run-change.ts';

/** Milliseconds until the next step. Null: the change has ended. */
export type ChangeProgress = number | null;

export async function advanceChange(
  dependencies: ChangeDependencies,
  { changeId }: ChangeResultInput,
): Promise<ChangeProgress> {
  const { db, clock, places, callTimeoutMs = defaultCallTimeoutMs } = dependencies;
  const leaveAtMs = performance.now() + stayForMs;
  for (;;) {
    const row = await findChangingTarget(db, changeId);
    if (!row) return null;
    const ownedMs = ownedForMs(row, clock, callTimeoutMs);
    if (ownedMs > 0) return Math.min(ownedMs, readAgainMs);
    const dueMs = (row.next_attempt_at?.getTime() ?? 0) - row.read_at.getTime();
    if (dueMs > 0) return dueMs;
    using place = places.acquire(row.project_id);
    const waitMs = place
      ? await asProject(row.project_id, () => takeStep(dependencies, row))
      : heldMs(row);
    if (waitMs > 0 || performance.now() > leaveAtMs) return waitMs;
  }
}

const lostAnswer = 'The response of the network was lost.';

/** The wait while a pause, a reply or other work of the project holds the change. */
const heldMs = ({ read_at, change }: ChangingTarget) =>
  crowdedWaitMs(read_at.getTime() - change.requested_at.getTime());

/** Returns how long the change is held. 0: the row must be read again. */
async function takeStep(dependencies: ChangeDependencies, row: ChangingTarget): Promise<number> {
  const { clock: limits, platforms } = dependencies;
  if (row.phase_state === 'begun' && row.phase === 'commit') {
    // The process that made the call is dead. The network may have carried out the call.
    const begunMs = (row.begun_at ?? row.read_at).getTime();
    return applyStep(dependencies, row, firstCheck(row.clock, limits, begunMs), lostAnswer);
  }
  const platform = platforms.get(row.platform);
  if (!platform) return failUnsent(dependencies, row, absenceOf(platforms, row.platform));
  if (row.phase === 'reconcile') {
    return canCheck(platform, row)
      ? runChange(dependencies, row, platform)
      : withoutCheck(dependencies, row, platform);
  }
  return (await findObstacle(dependencies, row)) ?? runChange(dependencies, row, platform);
}

/**
 * Repeats a removal, because that has no effect on a gone post, and an edit that has none on an edited post. After a
 * restore, an edit isn't repeated, because it may undo a later one. Otherwise nobody can tell whether it was made.
 */
function withoutCheck(
  dependencies: ChangeDependencies,
  row: ChangingTarget,
  { edit }: Platform,
): Promise<number> {
  const { clock: limits, now } = dependencies;
  const { change, clock, was_restored } = row;
  const mayRepeat = change.type === 'unpublish' || (edit?.isRepeatable && !was_restored);
  const step = mayRepeat
    ? afterAbsent({ commitRepeatsForMs: Infinity }, clock, limits, now())
    : ({ fail: 'outcome_unknown' } as const);
  return applyStep(dependencies, row, step, lostAnswer);
}

/** Handles what prevents the call. Undefined: the call may be made. */
async function findObstacle(
  dependencies: ChangeDependencies,
  row: ChangingTarget,
): Promise<number | undefined> {
  const { db, clock: limits } = dependencies;
  const { change, clock, was_restored } = row;
  // The restore may have undone a later edit, which an earlier edit must not overwrite.
  if (was_restored && change.type === 'edit') {
    const step = checkAfterRestore({ phase: 'commit', clock, was_due: true }, limits);
    return applyStep(dependencies, row, step, lostAnswer);
  }
  if (row.is_sending_paused) return heldMs(row);
  const reply = change.type === 'unpublish' ? await findPublicReply(db, row.id) : undefined;
  if (reply) {
    return reply.operation === null ? failUnsent(dependencies, row, 'has_replies') : heldMs(row);
  }
  const wait = await findWait({ db, clock: limits }, row);
  return wait && applyStep(dependencies, row, wait, 'The network limits the rate.');
}

/** Fails the change before a call. An earlier call may have been carried out. */
function failUnsent(
  dependencies: ChangeDependencies,
  row: ChangingTarget,
  code: PostingErrorCode,
): Promise<number> {
  const fail = mayBePublic(row) ? 'outcome_unknown' : code;
  return applyStep(dependencies, row, { fail }, postingErrors[fail].message);
}
