// Takes one target through its phases until it ends or must wait. The row decides, so a crash at any
// line leaves either a phase that may be begun, or one whose call may have gone out.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  findEarlierCall,
  findTarget,
  setPaused,
  type TargetRow,
} from '../schema/database/targets.ts';
import { postingErrors } from '../schema/posting-errors.ts';
import type { TargetProgress } from '../schema/workflows.ts';
import { loadAccess, refreshAccess, setReconnectRequired, type Access } from './account-access.ts';
import { defaultCallTimeoutMs } from './call-phase.ts';
import { PlatformError } from './platforms/platform-error.ts';
import { lostCommit, runPhase, takeStep, failTarget, type PhaseDependencies } from './run-phase.ts';
import { findWait } from './rate-turn.ts';
import { afterError, firstLook, isSending, mayBePublic } from './target-clock.ts';

export type AdvanceDependencies = PhaseDependencies;

export interface AdvanceTargetInput {
  resultId: string;
  run: number;
}

/** A network may refuse a fresh token when another call has just ended it, but not again and again. */
const maxRefreshes = 3;
/** Shorter waits are spent here: a round trip to Temporal would take as long. */
const shortWaitMs = 20;
/** While the call of an earlier run is under way. */
const lookAgainMs = 1_000;
const ended: TargetProgress = { waitMs: null };

export async function advanceTarget(
  dependencies: AdvanceDependencies,
  { resultId, run }: AdvanceTargetInput,
): Promise<TargetProgress> {
  let refreshes = 0;
  for (;;) {
    const row = await findTarget(dependencies.db, resultId);
    if (!row || row.current_run !== run || !isOpen(row)) return ended;
    const waitMs = (row.next_attempt_at?.getTime() ?? 0) - Date.now();
    if (waitMs > shortWaitMs) return { waitMs };
    if (waitMs > 0) await sleep(waitMs);

    const obstacle = await findObstacle(dependencies, row);
    if (obstacle === 'written') continue;
    if (obstacle) return obstacle;
    const platform = dependencies.platforms.get(row.platform);
    const access = await loadAccess(dependencies, row.social_account_id);
    if (!platform || !access) {
      const code = platform ? 'account_disconnected' : 'platform_not_configured';
      const shown = mayBePublic(row) ? 'outcome_unknown' : code;
      await failTarget(dependencies, row, shown, postingErrors[code].message);
      return ended;
    }
    const end = await runPhase(dependencies, row, platform, access);
    if (end === 'published') return ended;
    if (end === 'written') continue;
    // Our means were refused.
    if (refreshes === maxRefreshes || end.error.options.isRevoked || !platform.refresh) {
      await loseAccount(dependencies, end.row, access, end.error);
      continue;
    }
    const refreshed = await refreshAccess(dependencies, platform, access);
    if (refreshed instanceof PlatformError) {
      await loseAccount(dependencies, end.row, access, refreshed);
    } else if (refreshed === 'refreshed') {
      refreshes++;
    }
  }
}

const isOpen = (row: TargetRow) => row.status === 'pending' || row.status === 'publishing';

/**
 * What stands before the row's next call. `written`: the row tells what to do instead; else this run
 * can only wait, or has ended.
 */
async function findObstacle(
  dependencies: AdvanceDependencies,
  row: TargetRow,
): Promise<'written' | TargetProgress | undefined> {
  if (row.phase_state === 'begun' && row.phase === 'commit') {
    // Whoever began it for an earlier run may be at it still; otherwise whoever sent it is gone.
    const earlier = await findEarlierCall(dependencies.db, row);
    const ageMs = Date.now() - (earlier?.getTime() ?? 0);
    if (ageMs < (dependencies.callTimeoutMs ?? defaultCallTimeoutMs))
      return { waitMs: lookAgainMs };
    await takeStep(dependencies, row, firstLook(row.clock, dependencies.clock), lostCommit);
    return 'written';
  }
  if (isSending(row.phase)) {
    if (row.is_sending_paused) {
      return (await setPaused(dependencies.db, row)) ? ended : 'written';
    }
    if (row.answers_result_id !== null && row.answered_status !== 'published') {
      // One that is on its way still met a pause; this one is carried again together with it.
      if (row.answered_status === 'pending' || row.answered_status === 'publishing') return ended;
      const code = 'answered_post_missing';
      await failTarget(dependencies, row, code, postingErrors[code].message);
      return ended;
    }
  }
  const wait = await findWait(dependencies, row);
  if (!wait) return undefined;
  await takeStep(dependencies, row, wait, 'The network limits the rate.');
  return 'written';
}

async function loseAccount(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  access: Access,
  error: PlatformError,
): Promise<void> {
  if (error.kind === 'reauthorize') {
    const reason = error.options.isRevoked ? 'revoked' : 'token_expired';
    await setReconnectRequired(dependencies, access, reason);
  }
  const step = afterError(error, row.phase, row.clock, dependencies.clock, Date.now());
  await takeStep(dependencies, row, step, error);
}
