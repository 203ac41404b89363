// Calls a network for an account outside of its posts. Refreshes a login that has expired, and ends a login that the
// network has ended.
import type { Platform } from '../platforms/platform.ts';
import { PlatformError } from '../platforms/platform-error.ts';
import { toPlatformError } from '../platforms/platform-answer.ts';
import { loadAccess, refreshAccess, type Access } from './credentials.ts';
import type { LoginDependencies } from './dependencies.ts';
import { setReconnectRequired } from './end-grants.ts';
import { canRefresh } from './login-columns.ts';

/**
 * Throws only PlatformErrors, unless the database or `beforeCall` fails. After the error `reauthorize`, the account has
 * no login and must be connected again. If it had no login before, the error has `failsAs: 'account_disconnected'`.
 * `beforeCall` runs before each call.
 */
export async function callForAccount<T>(
  dependencies: LoginDependencies,
  platform: Platform,
  accountId: string,
  call: (access: Access) => Promise<T>,
  beforeCall: () => Promise<void> = async () => undefined,
): Promise<T> {
  const access = await requireAccess(dependencies, accountId);
  await beforeCall();
  try {
    return await call(access);
  } catch (thrown) {
    const error = toPlatformError(thrown);
    if (error.kind !== 'reauthorize') throw error;
    const mayRefresh = !error.options.isRevoked && canRefresh(platform, access.credentials);
    const renewed = mayRefresh ? await refreshAccess(dependencies, platform, access) : error;
    if (renewed instanceof PlatformError) throw await endIfRefused(dependencies, access, renewed);
  }
  const fresh = await requireAccess(dependencies, accountId);
  await beforeCall();
  try {
    return await call(fresh);
  } catch (thrown) {
    throw await endIfRefused(dependencies, fresh, toPlatformError(thrown));
  }
}

async function requireAccess(dependencies: LoginDependencies, accountId: string): Promise<Access> {
  const access = await loadAccess(dependencies, accountId);
  if (access) return access;
  const failsAs = 'account_disconnected';
  throw new PlatformError('reauthorize', 'The account is not connected.', { failsAs });
}

/** Ends the login if the network refused it for good. Returns the error of the call. */
async function endIfRefused(
  dependencies: LoginDependencies,
  access: Access,
  error: PlatformError,
): Promise<PlatformError> {
  if (error.kind !== 'reauthorize') return error;
  const reason = error.options.isRevoked ? 'revoked' : 'token_expired';
  if (await setReconnectRequired(dependencies, access, reason)) return error;
  const message = 'The login of the account has just been replaced.';
  return new PlatformError('unavailable', message, { cause: error });
}
