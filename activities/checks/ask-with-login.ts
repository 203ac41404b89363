// Calls a network with the login of a checked account, and what follows from an error.
import type { CheckStepName } from '../../schema/account-checks.ts';
import { loadAccess, refreshAccess, type Access } from '../logins/credentials.ts';
import { setReconnectRequired } from '../logins/end-grants.ts';
import { canRefresh } from '../logins/login-columns.ts';
import { toPlatformError } from '../platforms/platform-answer.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import type { CheckedTarget } from '../platforms/platform.ts';
import { fail, wait, type CheckRun, type Taken } from './check-run.ts';
import { toTarget } from './check-target.ts';
import { codeOf } from './steps.ts';

/** As of a phase of a target. */
const callTimeoutMs = 30_000;

/**
 * Renews a login that the network refuses, once. A login that has ended is recorded as such. `refuse` is asked before
 * each call.
 */
export async function askWithLogin<T>(
  run: CheckRun,
  ask: (target: CheckedTarget, signal: AbortSignal) => Promise<T>,
  refuse: () => Promise<PlatformError | undefined> = async () => undefined,
): Promise<T | PlatformError> {
  const { dependencies, check, platform } = run;
  for (let mayRenew = true; ; mayRenew = false) {
    const access = await loadAccess(dependencies, check.social_account_id);
    if (!access) return notConnected();
    const target = toTarget(run, access);
    const refused = await refuse();
    if (refused) return refused;
    const answer = await orError(() => ask(target, AbortSignal.timeout(callTimeoutMs)));
    if (!(answer instanceof PlatformError) || answer.kind !== 'reauthorize') return answer;
    const { isRevoked = false } = answer.options;
    const isRenewed = mayRenew && !isRevoked && canRefresh(platform, access.credentials);
    const error = isRenewed ? await refreshAccess(dependencies, platform, access) : answer;
    if (!(error instanceof PlatformError)) continue;
    if (error.kind === 'reauthorize') return endLogin(run, access, error);
    return error;
  }
}

/** Some connectors throw before they call. */
async function orError<T>(ask: () => Promise<T>): Promise<T | PlatformError> {
  try {
    return await ask();
  } catch (error) {
    return toPlatformError(error);
  }
}

function notConnected(): PlatformError {
  const failsAs = 'account_disconnected';
  return new PlatformError('rejected', 'The account is not connected.', { failsAs });
}

export const isNotConnected = ({ options }: PlatformError): boolean =>
  options.failsAs === 'account_disconnected';

/** As the daily check of logins does. Returns the error of the call. */
async function endLogin(
  { dependencies }: CheckRun,
  access: Access,
  error: PlatformError,
): Promise<PlatformError> {
  const reason = error.options.isRevoked ? 'revoked' : 'token_expired';
  if (await setReconnectRequired(dependencies, access, reason)) return error;
  const message = 'The login of the account has just been replaced.';
  return new PlatformError('unavailable', message, { cause: error });
}

const maxRepeats = 2;

/** A failure that may pass is repeated. */
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
