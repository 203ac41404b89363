// Calls a network with the login of a checked account, and decides what follows from an error.
import type { CheckStepName } from '../../schema/account-checks.ts';
import { callForAccount } from '../logins/call-for-account.ts';
import type { Access } from '../logins/credentials.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import type { CheckedTarget } from '../platforms/platform.ts';
import { fail, wait, type CheckRun, type Taken } from './check-run.ts';
import { toTarget } from './check-target.ts';
import { codeOf } from './steps.ts';

/** The same timeout as for a phase of a target. */
const callTimeoutMs = 30_000;

/** Returns the error if the call fails. `beforeCall` runs before each call, and prevents the call by throwing. */
export async function askWithLogin<T>(
  run: CheckRun,
  ask: (target: CheckedTarget, signal: AbortSignal) => Promise<T>,
  beforeCall?: () => Promise<void>,
): Promise<T | PlatformError> {
  const { dependencies, check, platform } = run;
  const call = async (access: Access) =>
    ask(toTarget(run, access), AbortSignal.timeout(callTimeoutMs));
  try {
    return await callForAccount(dependencies, platform, check.social_account_id, call, beforeCall);
  } catch (error) {
    if (error instanceof PlatformError) return error;
    throw error;
  }
}

const maxRepeats = 2;

/** Repeats a call whose failure may be temporary. */
export function afterError(
  { dependencies: { clock }, progress: { tries } }: CheckRun,
  step: CheckStepName,
  error: PlatformError,
): Taken {
  const mayPass = error.kind === 'unavailable' || error.kind === 'unknown_outcome';
  const waitMs = clock.unavailableDelaysMs[tries];
  if (mayPass && tries < maxRepeats && waitMs !== undefined) {
    return wait(waitMs, { tries: tries + 1 });
  }
  return fail(codeOf(error, step), error.message);
}
