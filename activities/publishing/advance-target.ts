// Takes one target through its phases until it ends or must wait. The row decides, so a crash at any
// line leaves either a phase that may be begun, or one whose call may have gone out.
import { setTimeout as sleep } from 'node:timers/promises';
import { isOpen } from '../../schema/database/posts/open-results.ts';
import { findTarget, setPaused, type TargetRow } from '../../schema/database/posts/targets.ts';
import { postingErrors } from '../../schema/posts/errors.ts';
import type { TargetProgress } from '../../schema/workflows.ts';
import { loadAccess, refreshAccess, setReconnectRequired, type Access } from './credentials.ts';
import type { AdvanceDependencies } from './dependencies.ts';
import { ownedForMs } from './call-ownership.ts';
import { defaultCallTimeoutMs } from './call-phase.ts';
import { fetchFor } from '../egress/guarded-fetch.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import type { Platform } from '../platforms/platform.ts';
import { findWait, noteRefusal } from './rate-limits.ts';
import {
  failTarget,
  lostCommit,
  lostState,
  runPhase,
  takeStep,
  type Refused,
} from './run-phase.ts';
import {
  afterError,
  checkFirst,
  firstLook,
  isSending,
  mayBePublic,
  mayRepeat,
  nextLook,
} from './backoff.ts';

export interface AdvanceTargetInput {
  resultId: string;
  run: number;
}

/** A network may refuse a fresh token when another call has just ended it, but not again and again. */
const maxRenewals = 3;
/** Shorter waits are spent here: a round trip to Temporal would take as long. */
const shortWaitMs = 20;
/** While another process makes the row's call. */
const lookAgainMs = 500;
/** A look costs Postgres less here than it costs Temporal; but a worker that stops must not wait long. */
const waitHereMs = 5_000;
const ended: TargetProgress = { waitMs: null };

export async function advanceTarget(
  dependencies: AdvanceDependencies,
  { resultId, run }: AdvanceTargetInput,
): Promise<TargetProgress> {
  const { clock, callTimeoutMs = defaultCallTimeoutMs } = dependencies;
  const leaveAtMs = performance.now() + waitHereMs;
  for (let renewals = 0; ;) {
    const stored = await findOpenTarget(dependencies, { resultId, run });
    if (!stored) return ended;
    const ownedMs = ownedForMs(stored, clock, callTimeoutMs);
    if (ownedMs > 0) {
      if (performance.now() > leaveAtMs) return { waitMs: lookAgainMs };
      await sleep(Math.min(ownedMs, lookAgainMs));
      continue;
    }
    const waitMs = (stored.next_attempt_at?.getTime() ?? 0) - stored.read_at.getTime();
    if (waitMs > shortWaitMs) return { waitMs };
    if (waitMs > 0) await sleep(waitMs);

    const platform = dependencies.platforms.get(stored.platform);
    const row = atFirstPhase(stored, platform);
    const obstacle = await findObstacle(dependencies, row, platform);
    if (obstacle === 'written') continue;
    if (obstacle) return obstacle;
    if (!platform) return failUnsent(dependencies, row, 'platform_not_configured');
    const access = await loadAccess(dependencies, row.social_account_id);
    if (!access) return failUnsent(dependencies, row, 'account_disconnected');
    const { project_id } = row;
    const end = await fetchFor(project_id, () => runPhase(dependencies, row, platform, access));
    if (end === 'published') return ended;
    if (end === 'written') continue;
    if (end === 'superseded') {
      const isOpenStill = await findOpenTarget(dependencies, { resultId, run });
      return isOpenStill ? { waitMs: lookAgainMs } : ended;
    }
    const mayRenew = renewals++ < maxRenewals;
    await fetchFor(project_id, () => renewAccess(dependencies, platform, access, end, mayRenew));
  }
}

/** Undefined: it has ended, or another run carries it. */
async function findOpenTarget(
  { db }: AdvanceDependencies,
  { resultId, run }: AdvanceTargetInput,
): Promise<TargetRow | undefined> {
  const row = await findTarget(db, resultId);
  return row?.current_run === run && isOpen(row.status) ? row : undefined;
}

/** Where there is nothing to prepare, a target begins with its commit. */
function atFirstPhase(row: TargetRow, platform: Platform | undefined): TargetRow {
  const hasNone = row.phase === 'prepare' && platform && !platform.prepare;
  return hasNone ? { ...row, phase: 'commit' } : row;
}

/**
 * What stands before the row's next call. `written`: the row tells what to do instead; else this run
 * can only wait, or has ended.
 */
async function findObstacle(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  platform: Platform | undefined,
): Promise<'written' | TargetProgress | undefined> {
  const { db, clock: limits } = dependencies;
  if (row.phase_state === 'begun' && row.phase === 'commit') {
    // Its caller is dead, and may have sent it.
    const begunMs = (row.begun_at ?? row.read_at).getTime();
    await takeStep(dependencies, row, firstLook(row.clock, limits, begunMs), lostCommit);
    return 'written';
  }
  // A look is held up by nothing.
  if (!isSending(row.phase)) return undefined;
  if (row.must_check) {
    // An answer can't be looked for without the id of what it answers.
    const missing = await findMissing(dependencies, row);
    if (missing) return missing;
    await takeStep(dependencies, row, checkFirst(row, limits), lostState);
    return 'written';
  }
  if (
    row.phase === 'commit' &&
    platform &&
    !mayRepeat(platform, row.clock, row.read_at.getTime())
  ) {
    await takeStep(dependencies, row, nextLook(row.clock, limits), lostCommit);
    return 'written';
  }
  // What may be public already is looked for rather than left to wait.
  const look = mayBePublic(row) ? nextLook(row.clock, limits) : undefined;
  if (row.is_sending_paused && !look) return (await setPaused(db, row)) ? ended : 'written';
  const missing = await findMissing(dependencies, row);
  if (missing) return missing;
  const wait = row.is_sending_paused ? look : await findWait(dependencies, row);
  if (!wait) return undefined;
  await takeStep(dependencies, row, look ?? wait, 'The network limits the rate.');
  return 'written';
}

/** Undefined: what it answers is public, or it answers nothing of ours. */
async function findMissing(
  dependencies: AdvanceDependencies,
  row: TargetRow,
): Promise<TargetProgress | undefined> {
  if (row.answers_result_id === null || row.answered_status === 'published') return undefined;
  // One that is on its way still met a pause; this one is carried again together with it.
  if (isOpen(row.answered_status)) return ended;
  return failUnsent(dependencies, row, 'answered_post_missing');
}

async function failUnsent(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  code: 'account_disconnected' | 'answered_post_missing' | 'platform_not_configured',
): Promise<TargetProgress> {
  const { message } = postingErrors[code];
  const wasSent = row.must_check && row.was_due;
  if (wasSent || mayBePublic(row)) await failTarget(dependencies, row, 'outcome_unknown', message);
  else await failTarget(dependencies, row, code, message, 'validate');
  return ended;
}

/** Our credentials were refused: the account gets newer ones, or the row says what becomes of it without. */
async function renewAccess(
  dependencies: AdvanceDependencies,
  platform: Platform,
  access: Access,
  { row, error: refusal }: Refused,
  mayRenew: boolean,
): Promise<void> {
  const canRefresh = mayRenew && !refusal.options.isRevoked && platform.refresh;
  const error = canRefresh ? await refreshAccess(dependencies, platform, access) : refusal;
  if (!(error instanceof PlatformError)) return;
  if (error.kind === 'reauthorize') {
    const reason = error.options.isRevoked ? 'revoked' : 'token_expired';
    const isSet = await setReconnectRequired(dependencies, access, reason);
    // Its user has just connected it again.
    if (!isSet && mayRenew && (await loadAccess(dependencies, access.accountId))) return;
  }
  if (error.kind === 'rate_limited') await noteRefusal(dependencies, row, error);
  const step = afterError(error, row.phase, row.clock, dependencies.clock, dependencies.now());
  await takeStep(dependencies, row, step, error);
}
