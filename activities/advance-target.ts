// Takes one target through its phases until it ends or must wait. The row decides, so a crash at any
// line leaves either a phase that may be begun, or one whose call may have gone out.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../schema/database/database.ts';
import type { Doorbell } from '../schema/database/doorbell.ts';
import {
  beginPhase,
  endAttempt,
  findTarget,
  setFailed,
  setNextPhase,
  setPublished,
  type CallOutcome,
  type TargetRow,
} from '../schema/database/targets.ts';
import type { Vault } from '../schema/database/vault.ts';
import type { PostingErrorCode } from '../schema/posting-errors.ts';
import type { Phase } from '../schema/posts.ts';
import type { TargetClock } from '../schema/retry.ts';
import { loadAccess, refreshAccess, setReconnectRequired, type Access } from './account-access.ts';
import { callPhase, type PhaseOutcome } from './call-phase.ts';
import { toFailure, toPlatformError } from './failures.ts';
import type { Platform } from './platforms/platform.ts';
import { PlatformError } from './platforms/platform-error.ts';
import type { Platforms } from './platforms/index.ts';
import {
  afterAbsent,
  afterError,
  mayBePublic,
  nextLook,
  nextPoll,
  type NextStep,
} from './target-clock.ts';

export interface AdvanceDependencies {
  db: Db;
  vault: Vault;
  doorbell: Doorbell;
  platforms: Platforms;
  clock: TargetClock;
  previewEvents: boolean;
}

export interface AdvanceTargetInput {
  resultId: string;
  run: number;
}

/** Milliseconds until the target wants to be advanced again; null once it has ended. */
export interface TargetProgress {
  waitMs: number | null;
}

/** A network may refuse a fresh token when another call has just ended it, but not again and again. */
const maxRefreshes = 3;
/** Shorter waits are spent here: a round trip to Temporal would take as long. */
const shortWaitMs = 20;
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

    // A commit that was begun and has no outcome: whoever sent it is gone.
    if (row.phase_state === 'begun' && row.phase === 'commit') {
      await takeStep(dependencies, row, nextLook(row.clock, dependencies.clock), lostCommit);
      continue;
    }
    const platform = dependencies.platforms.get(row.platform);
    const access = await loadAccess(dependencies, row.social_account_id);
    if (!platform || !access) {
      const code = platform ? 'account_disconnected' : 'platform_not_configured';
      const message = failureMessages[code];
      await fail(dependencies, row, mayBePublic(row.phase) ? 'outcome_unknown' : code, message);
      continue;
    }
    const refused = await runPhase(dependencies, row, platform, access);
    if (!refused) continue;
    if (refreshes === maxRefreshes || refused.error.options.isRevoked || !platform.refresh) {
      await loseAccount(dependencies, refused.row, access, refused.error);
      continue;
    }
    const refreshed = await refreshAccess(dependencies, platform, access);
    if (refreshed instanceof PlatformError) {
      await loseAccount(dependencies, refused.row, access, refreshed);
    } else if (refreshed === 'refreshed') {
      refreshes++;
    }
  }
}

const isOpen = (row: TargetRow) => row.status === 'pending' || row.status === 'publishing';
const lostCommit = new PlatformError('unknown_outcome', 'The answer to the commit was lost.');

/** Our means were refused in this phase, and what becomes of it is still to be decided. */
interface Refused {
  row: TargetRow;
  error: PlatformError;
}

/** Runs the row's phase and writes its outcome, but for a refusal of our means. */
async function runPhase(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  platform: Platform,
  access: Access,
): Promise<Refused | undefined> {
  const phase: Phase = row.phase === 'prepare' && !platform.prepare ? 'commit' : row.phase;
  const startedAt = new Date();
  const hasBegun = await dependencies.db
    .transaction()
    .execute((trx) => beginPhase(trx, row, phase, startedAt));
  if (!hasBegun) return undefined;
  const begun: TargetRow = { ...row, phase, phase_state: 'begun', steps: row.steps + 1 };

  let outcome: PhaseOutcome;
  try {
    outcome = await callPhase(platform, phase, begun, access, startedAt);
  } catch (thrown) {
    const error = toPlatformError(thrown);
    await endAttempt(dependencies.db, row.id, begun.steps, toCallOutcome(error, startedAt));
    if (error.kind === 'reauthorize') {
      // The network refused our means before it looked at the post: the phase is as if never begun.
      await setNextPhase(dependencies.db, begun, { phase, clock: row.clock, dueAt: null });
      return { row: begun, error };
    }
    const step = afterError(error, phase, row.clock, dependencies.clock, Date.now());
    await takeStep(dependencies, begun, step, error);
    return undefined;
  }
  const durationMs = Date.now() - startedAt.getTime();
  await endAttempt(dependencies.db, row.id, begun.steps, { outcome: outcome.outcome, durationMs });
  await writeOutcome(dependencies, begun, platform, outcome);
  return undefined;
}

async function writeOutcome(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  platform: Platform,
  outcome: PhaseOutcome,
): Promise<void> {
  const { db, clock: limits, doorbell } = dependencies;
  switch (outcome.outcome) {
    case 'prepared':
      return setNextPhase(db, row, {
        phase: 'commit',
        clock: row.clock,
        dueAt: null,
        state: outcome.state,
      });
    case 'published':
      await db.transaction().execute((trx) => setPublished(trx, row, outcome.published));
      return doorbell.ring('fanfare_changes');
    case 'accepted':
      return takeStep(
        dependencies,
        { ...row, provider_state: outcome.state },
        nextPoll(row.clock, limits, Date.now()),
        'The network did not finish the post in time.',
      );
    case 'absent':
      return takeStep(
        dependencies,
        row,
        afterAbsent(platform.isCommitIdempotent, row.clock, limits),
        'The network did not take the post.',
      );
    case 'unknown':
      return takeStep(dependencies, row, nextLook(row.clock, limits), lostCommit);
  }
}

async function takeStep(
  dependencies: AdvanceDependencies,
  row: TargetRow,
  step: NextStep,
  cause: PlatformError | string,
): Promise<void> {
  if ('fail' in step) return fail(dependencies, row, step.fail, cause);
  const { db, doorbell } = dependencies;
  const dueAt = step.waitMs > 0 ? new Date(Date.now() + step.waitMs) : null;
  await db.transaction().execute((trx) =>
    setNextPhase(trx, row, {
      phase: step.next,
      clock: step.clock,
      dueAt,
      state: row.provider_state,
    }),
  );
  if (dueAt) doorbell.ring('fanfare_changes');
}

async function fail(
  { db, doorbell }: AdvanceDependencies,
  row: TargetRow,
  code: PostingErrorCode,
  cause: PlatformError | string,
): Promise<void> {
  await db.transaction().execute((trx) => setFailed(trx, row, toFailure(code, row.phase, cause)));
  doorbell.ring('fanfare_changes');
}

const failureMessages = {
  account_disconnected: 'The account is not connected.',
  platform_not_configured: 'This installation does not publish to the network.',
};

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

function toCallOutcome(error: PlatformError, startedAt: Date): CallOutcome {
  return {
    outcome: error.kind,
    durationMs: Date.now() - startedAt.getTime(),
    errorCode: error.options.platformCode,
    errorMessage: error.message.slice(0, 1_000),
    providerError: error.options.providerError,
  };
}
