// Advances a check step by step until it ends or must wait. The row decides which step comes next, so another
// execution can continue at any point.
import { randomUUID } from 'node:crypto';
import type { CheckStepName, StoredStep } from '../../schema/account-checks.ts';
import {
  findRunningCheck,
  openProgress,
  sealProgress,
  setCheck,
  type RunningCheck,
} from '../../schema/database/accounts/checks.ts';
import { addUsage } from '../../schema/database/accounts/usage.ts';
import type { Transaction } from '../../schema/database/tables.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import { postingErrors } from '../../schema/posts/errors.ts';
import type { CheckAccountInput } from '../../schema/workflows.ts';
import { crowdedWaitMs } from '../call-places.ts';
import { asProject } from '../current-project.ts';
import { absenceOf } from '../platforms/index.ts';
import { stayForMs } from '../with-heartbeat.ts';
import { fail, Progress, type CheckRun, type Taken } from './check-run.ts';
import type { CheckDependencies } from './dependencies.ts';
import {
  findNext,
  hasFailed,
  isAfterPost,
  isLeftOut,
  leaveOut,
  mayHavePublished,
  withOutcome,
  type StepEnd,
} from './steps.ts';
import { takeStep } from './take-step.ts';

/** Milliseconds until the next step. Null: the check has ended. */
export type CheckProgress = number | null;

/** The wait if another execution has changed the row meanwhile. */
const behindMs = 1_000;
/** At this age of a check, a step that still waits for its network fails. */
const lastsMs = 15 * 60_000;
/**
 * At this age of a check, a step that throws fails for good, because an account can have only one running
 * check.
 */
const throwsForMs = 2 * lastsMs;

export async function advanceCheck(
  dependencies: CheckDependencies,
  { checkId }: CheckAccountInput,
): Promise<CheckProgress> {
  const leaveAtMs = performance.now() + stayForMs;
  const runId = randomUUID();
  for (;;) {
    const check = await findRunningCheck(dependencies.db, checkId);
    if (!check) return null;
    using place = dependencies.places.acquire(check.project_id);
    if (!place) return crowdedWaitMs(dependencies.now() - check.created_at.getTime());
    const waitMs = await asProject(check.project_id, () =>
      advance(dependencies, check, runId).catch((error: unknown) =>
        giveUp(dependencies, check, error),
      ),
    );
    if (waitMs > 0 || performance.now() > leaveAtMs) return waitMs;
  }
}

/** Returns how long the next step must wait. */
async function advance(
  dependencies: CheckDependencies,
  check: RunningCheck,
  runId: string,
): Promise<number> {
  const { db, vault } = dependencies;
  const { steps } = check;
  const { name } = findNext(steps)!;
  const progress = Progress.parse(openProgress(vault, check) ?? {});
  if (isLeftOut(steps, name)) {
    await record(dependencies, check, leaveOut(steps, name), progress);
    return 0;
  }
  const taken = await take({ dependencies, check, progress, runId }, name);
  const left = { ...progress, ...taken.progress };
  const mustEnd = isLate(dependencies, check, taken) && !endsByItself(name, left);
  // Uses the saved progress, because a commit was not sent unless the saved progress says that it had begun.
  const end = mustEnd ? late(name, progress) : taken.end;
  if (end.outcome !== 'wait') {
    await record(dependencies, check, withOutcome(steps, name, end), { ...left, tries: 0 });
    return 0;
  }
  const sealed = sealProgress(vault, check.id, left);
  const isWritten = await setCheck(db, check, { steps, progress: sealed });
  return isWritten ? end.waitMs : behindMs;
}

type NextStep = Omit<CheckRun, 'platform'>;

function take(step: NextStep, name: CheckStepName): Taken | Promise<Taken> {
  const { platforms } = step.dependencies;
  const platform = platforms.get(step.check.platform);
  if (platform) return takeStep({ ...step, platform }, name);
  const code = absenceOf(platforms, step.check.platform);
  return fail(code, postingErrors[code].message);
}

function isLate({ now }: CheckDependencies, check: RunningCheck, { end }: Taken): boolean {
  const lastMs = check.created_at.getTime() + lastsMs;
  return end.outcome === 'wait' && now() + end.waitMs > lastMs;
}

/**
 * Steps that look for a post that may be public, or remove such a post. They have no deadline, but end after
 * a few calls.
 */
const endsByItself = (name: CheckStepName, { phase }: Progress): boolean =>
  isAfterPost(name) || phase === 'reconcile';

function late(name: CheckStepName, { phase }: Progress): StepEnd {
  const mayBePublic = name === 'publication' && phase !== undefined;
  const message = `The network did not finish within ${lastsMs / 60_000} minutes.`;
  return { outcome: 'failed', code: mayBePublic ? 'outcome_unknown' : 'unavailable', message };
}

/**
 * A step can throw each time, for example because the vault has lost the key of its progress, or because a
 * connector has a bug.
 */
async function giveUp(
  dependencies: CheckDependencies,
  check: RunningCheck,
  error: unknown,
): Promise<number> {
  const { steps, id: check_id, project_id } = check;
  if (dependencies.now() < check.created_at.getTime() + throwsForMs) throw error;
  const { name } = findNext(steps)!;
  dependencies.log.error(
    { component: 'checks', check_id, project_id, step: name, err: error },
    'a step of a check fails each time',
  );
  // Nobody knows whether a commit was sent.
  const code = name === 'publication' ? 'outcome_unknown' : 'unavailable';
  const end = { outcome: 'failed', code, message: 'Fanfare could not take the step.' } as const;
  await record(dependencies, check, withOutcome(steps, name, end), Progress.parse({}));
  return 0;
}

/** Also ends the check after its last step. */
async function record(
  { db, notifier, vault, log }: CheckDependencies,
  check: RunningCheck,
  steps: StoredStep[],
  progress: Progress,
): Promise<void> {
  if (findNext(steps)) {
    await setCheck(db, check, { steps, progress: sealProgress(vault, check.id, progress) });
    return;
  }
  const status = hasFailed(steps) ? 'failed' : 'passed';
  const isWritten = await inTransaction(db, notifier, (trx) => end(trx, check, steps, status));
  if (!isWritten) return;
  const { id: check_id, project_id, social_account_id, platform } = check;
  const failed = steps.find((step) => step.status === 'failed');
  const reason = failed && { step: failed.name, error_code: failed.code };
  const fields = { component: 'checks', check_id, project_id, social_account_id, platform };
  log.info({ ...fields, ...reason }, `check ${status}`);
}

/** A post that certainly isn't public doesn't count for the usage of the month. */
async function end(
  trx: Transaction,
  check: RunningCheck,
  steps: StoredStep[],
  status: 'passed' | 'failed',
): Promise<boolean> {
  const { project_id: projectId, social_account_id: accountId, usage_month: month } = check;
  const isGivenBack = month !== null && !mayHavePublished(steps);
  const change = { steps, status, ...(isGivenBack && { usage_month: null }) };
  if (!(await setCheck(trx, check, change))) return false;
  if (isGivenBack) await addUsage(trx, projectId, { accountId, month }, -1);
  return true;
}
