// Advances one target through its phases until it ends or must wait. The row decides the next step, because
// after a crash only the row shows whether a call may have been sent.
import { setTimeout as sleep } from 'node:timers/promises';
import { isOpen, mediaOf, setPaused, type TargetRow } from '../../schema/database/posts/targets.ts';
import type { MediaRow } from '../../schema/database/tables.ts';
import { reasonOfRow, type OpenReason } from '../../schema/database/posts/wait-reason.ts';
import { postingErrors } from '../../schema/posts/errors.ts';
import type { FailureStage } from '../../schema/posts/posts.ts';
import type { TargetProgress } from '../../schema/workflows.ts';
import { loadAccess, openAccess, refreshAccess, type Access } from '../logins/credentials.ts';
import type { AdvanceDependencies } from './dependencies.ts';
import { setReconnectRequired } from '../logins/end-grants.ts';
import { canRefresh } from '../logins/login-columns.ts';
import { ownedForMs, readAgainMs } from './call-ownership.ts';
import { deadlineOf, isPastDeadline } from './deadline.ts';
import { defaultCallTimeoutMs, runPhase } from './run-phase.ts';
import { failTarget, lostCommit, lostState, applyStep, type Refused } from './record-outcome.ts';
import { asProject } from '../current-project.ts';
import { stayForMs } from '../with-heartbeat.ts';
import type { MediaFailure } from '../media/load-media.ts';
import { absenceOf, rulesOf } from '../platforms/index.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import type { Platform } from '../platforms/platform.ts';
import { logPaused } from './log-wait.ts';
import { toStepConnector } from './step-connector.ts';
import { findWait, recordRefusal } from './rate-limits.ts';
import {
  describeMediaWait,
  findMediaObstacle,
  listTargetMedia,
  loadTargetMedia,
  withoutMediaWait,
} from './target-media.ts';
import {
  afterError,
  checkAfterRestore,
  firstCheck,
  isSending,
  mayBePublic,
  mayRepeat,
  nextCheck,
} from './backoff.ts';

export interface AdvanceTargetInput {
  resultId: string;
  run: number;
}

/** A refresh by another call may invalidate a fresh token, but not again and again. */
const maxRenewals = 3;
/** The activity sleeps through shorter waits, because a round trip to Temporal takes as long. */
const shortWaitMs = 20;
const ended: TargetProgress = { waitMs: null };

/** `mayCrowd`: the activity has a slot for crowded projects, so its calls need no place. */
export async function advanceTarget(
  installed: AdvanceDependencies,
  input: AdvanceTargetInput,
  { mayCrowd = false } = {},
): Promise<TargetProgress> {
  const target = await findOpenTarget(installed, input);
  if (!target) return ended;
  using place = mayCrowd ? undefined : installed.places.acquire(target.project_id);
  if (!mayCrowd && !place) return { waitMs: Math.max(waitOf(target), 0), isCrowded: true };
  return await asProject(target.project_id, () => advanceFrom(target, installed, input));
}

async function advanceFrom(
  target: TargetRow,
  installed: AdvanceDependencies,
  input: AdvanceTargetInput,
): Promise<TargetProgress> {
  const { callTimeoutMs = defaultCallTimeoutMs } = installed;
  const leaveAtMs = performance.now() + stayForMs;
  let renewals = 0;
  let stored: TargetRow | undefined = target;
  for (; stored; stored = await findOpenTarget(installed, input)) {
    const ownedMs = ownedForMs(stored, installed.clock, callTimeoutMs);
    if (ownedMs > 0) {
      if (performance.now() > leaveAtMs) return { waitMs: readAgainMs };
      await sleep(Math.min(ownedMs, readAgainMs));
      continue;
    }
    const waitMs = waitOf(stored);
    if (waitMs > shortWaitMs) return { waitMs };
    if (waitMs > 0) await sleep(waitMs);

    const platform = connectorOf(installed, stored);
    const clock = { ...installed.clock, ...platform?.definition.clock };
    const dependencies = { ...installed, clock };
    const row = atFirstPhase(stored, platform);
    const mediaRows = await listTargetMedia(dependencies, row);
    const obstacle = await findObstacle(dependencies, row, mediaRows, platform);
    if (obstacle === 'written') continue;
    if (obstacle) return obstacle;
    if (!platform) {
      return failUnsent(
        dependencies,
        row,
        'validate',
        absenceOf(installed.platforms, row.platform),
      );
    }
    const access = openAccess(dependencies.vault, row.login);
    if (!access) return failUnsent(dependencies, row, 'validate', 'account_disconnected');
    const network = { title: platform.definition.title, rules: rulesOf(platform, access.traits) };
    const media = await loadTargetMedia(dependencies, row, mediaRows, network);
    if (media instanceof PlatformError) {
      await applyStep(dependencies, row, stepAfter(dependencies, row, media), media);
      continue;
    }
    if ('code' in media) return failUnsent(dependencies, row, 'prepare', media.code, media.message);
    const end = await runPhase(dependencies, withoutMediaWait(row), platform, access, media);
    if (end === 'published') return ended;
    if (end === 'stalled') {
      // The process is overloaded. The target keeps its places for as long as it stalled, so that fewer targets begin.
      await sleep(clock.lostAfterMs / 2);
      return { waitMs: readAgainMs };
    }
    if (end === 'written') {
      if (performance.now() > leaveAtMs) return { waitMs: 0 };
      continue;
    }
    if (end === 'superseded') {
      const isStillOpen = await findOpenTarget(dependencies, input);
      return isStillOpen ? { waitMs: readAgainMs } : ended;
    }
    const mayRenew = renewals++ < maxRenewals;
    await renewAccess(dependencies, platform, access, end, mayRenew);
  }
  return ended;
}

/** Undefined: this installation doesn't publish to the network. */
function connectorOf(
  { platforms }: AdvanceDependencies,
  { platform: name, step }: TargetRow,
): Platform | undefined {
  const platform = platforms.get(name);
  return platform && step !== null ? toStepConnector(platform, step) : platform;
}

/** Negative: the target's next step is due. */
function waitOf(row: TargetRow): number {
  const dueMs = row.next_attempt_at?.getTime() ?? 0;
  const deadlineMs = deadlineOf(row)?.getTime() ?? Infinity;
  return Math.min(dueMs, deadlineMs) - row.read_at.getTime();
}

/** Undefined: the target has ended, or belongs to another run. */
async function findOpenTarget(
  { reads }: AdvanceDependencies,
  { resultId, run }: AdvanceTargetInput,
): Promise<TargetRow | undefined> {
  const row = await reads.target(resultId);
  return row?.current_run === run && isOpen(row.status) ? row : undefined;
}

/** A target that needs no preparation begins with the commit. */
function atFirstPhase(row: TargetRow, platform: Platform | undefined): TargetRow {
  if (row.phase !== 'prepare' || !platform) return row;
  const hasNothing = platform.definition.preparesOnlyMedia && mediaOf(row).length === 0;
  return !platform.prepare || hasNothing ? { ...row, phase: 'commit' } : row;
}

/**
 * Handles everything that prevents the row's next call. `written`: the row has changed and must be read
 * again. A TargetProgress: this run must wait, or is done with the target. Undefined: the call may be made.
 */
async function findObstacle(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  mediaRows: readonly MediaRow[],
  platform: Platform | undefined,
): Promise<'written' | TargetProgress | undefined> {
  const { db, clock: limits } = dependencies;
  if (row.phase_state === 'begun' && row.phase === 'commit') {
    // The process that made the call is dead. It may have sent the commit.
    const begunMs = (row.begun_at ?? row.read_at).getTime();
    await applyStep(dependencies, row, firstCheck(row.clock, limits, begunMs), lostCommit);
    return 'written';
  }
  // A reply can't be found without the ID of the post that it replies to.
  if (row.phase === 'reconcile') return findMissing(dependencies, row);
  // Neither pauses nor limits delay the phases `confirm` and `reconcile`.
  if (!isSending(row.phase)) return undefined;
  if (row.must_check) {
    const missing = await findMissing(dependencies, row);
    if (missing) return missing;
    await applyStep(dependencies, row, checkAfterRestore(row, limits), lostState);
    return 'written';
  }
  if (
    row.phase === 'commit' &&
    platform &&
    !mayRepeat(platform.definition, row.clock, row.read_at.getTime())
  ) {
    await applyStep(dependencies, row, nextCheck(row.clock, limits), lostCommit);
    return 'written';
  }
  if (isPastDeadline(row)) {
    await failTarget(dependencies, row, 'deadline_passed', describePassed(row));
    return ended;
  }
  // If the post may be public, the next step is a check instead of a wait.
  const check = mayBePublic(row) ? nextCheck(row.clock, limits) : undefined;
  if (row.is_sending_paused && !check) {
    if (!(await setPaused(db, row))) return 'written';
    if (!row.is_paused) logPaused(dependencies, row);
    return ended;
  }
  const missing = await findMissing(dependencies, row);
  if (missing) return missing;
  const obstacle = findMediaObstacle(row, mediaRows);
  if (obstacle && 'code' in obstacle) {
    return failUnsent(dependencies, row, 'prepare', obstacle.code, obstacle.message);
  }
  if (obstacle) {
    await applyStep(dependencies, row, obstacle, describeMediaWait(mediaRows));
    return 'written';
  }
  const ready = withoutMediaWait(row);
  const wait = row.is_sending_paused ? check : await findWait(dependencies, ready);
  if (!wait) return undefined;
  await applyStep(dependencies, row, check ?? wait, 'The network limits the rate.');
  return 'written';
}

const lateReasons: Partial<Record<OpenReason, string>> = {
  rate_limit: 'The target waited for a rate limit.',
  quota: 'The target waited for the quota of its account or app.',
  app_credits: 'The target waited for credits of its app.',
  network: 'The network was unreachable or refused every call.',
  preparation: 'The network was still processing the upload.',
  media: 'The media of the target had not arrived.',
};

function describePassed(row: TargetRow): string {
  const reason = lateReasons[reasonOfRow(row, false)];
  return [postingErrors.deadline_passed.message, reason].filter(Boolean).join(' ');
}

/** Undefined: the target doesn't reply to one of our targets, or that target is published and has an ID. */
async function findMissing(
  dependencies: AdvanceDependencies,
  row: TargetRow,
): Promise<TargetProgress | undefined> {
  if (row.answers_result_id === null) return undefined;
  if (row.answered_status === 'published' && row.answered_external_id !== null) return undefined;
  // The target that this one replies to met a pause. The run that resumes it also advances this target.
  if (isOpen(row.answered_status)) return ended;
  return failUnsent(dependencies, row, 'validate', 'answered_post_missing');
}

async function failUnsent(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  stage: FailureStage,
  code:
    | 'account_disconnected'
    | 'answered_post_missing'
    | 'platform_not_configured'
    | MediaFailure['code'],
  message: string = postingErrors[code].message,
): Promise<TargetProgress> {
  const wasSent = row.must_check && row.was_due;
  if (wasSent || mayBePublic(row)) await failTarget(dependencies, row, 'outcome_unknown', message);
  else await failTarget(dependencies, row, code, message, stage);
  return ended;
}

/** The network refused our credentials. Refreshes them, or decides the next step without credentials. */
async function renewAccess(
  dependencies: AdvanceDependencies,
  platform: Platform,
  access: Access,
  { row, error: refusal }: Refused,
  mayRenew: boolean,
): Promise<void> {
  const isRefreshed =
    mayRenew && !refusal.options.isRevoked && canRefresh(platform, access.credentials);
  const error = isRefreshed ? await refreshAccess(dependencies, platform, access) : refusal;
  if (!(error instanceof PlatformError)) return;
  if (error.kind === 'reauthorize') {
    const reason = error.options.isRevoked ? 'revoked' : 'token_expired';
    const isSet = await setReconnectRequired(dependencies, access, reason);
    // The user has just reconnected the account.
    if (!isSet && mayRenew && (await loadAccess(dependencies, access.accountId))) return;
  }
  if (error.kind === 'rate_limited') await recordRefusal(dependencies, row, error);
  await applyStep(dependencies, row, stepAfter(dependencies, row, error), error);
}

function stepAfter({ clock, now }: AdvanceDependencies, row: TargetRow, error: PlatformError) {
  return afterError(error, row.phase, row.clock, clock, now());
}
