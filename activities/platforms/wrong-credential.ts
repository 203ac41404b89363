// Errors of connecting that name the wrong credential, by default the secret one, and the scopes that a login lacks.
import { PlatformError, type PlatformErrorKind } from './platform-error.ts';

export function wrongCredential(field: string, message: string, platformCode?: string) {
  return new PlatformError('rejected', message, { field, platformCode });
}

/** For imported tokens of a network where users don't name a server. */
export function requireNoServer(instance: string | null): void {
  if (instance === null) return;
  throw wrongCredential('server', 'is not used by this network', 'instance_not_supported');
}

export const scopeMissing = 'scope_missing';

/** `granted`: null if unknown. Then no scope counts as missing. */
export function findMissingScopes(
  needed: readonly string[],
  granted: readonly string[] | null,
): string[] {
  return granted ? needed.filter((scope) => !granted.includes(scope)) : [];
}

/** Why an account can't publish, as a sentence. */
export const describeMissingScopes = (missing: readonly string[]): string =>
  `The login lacks ${missing.join(' and ')}.`;

/** The error for a login by consent. */
export function lacksPermissions(missing: readonly string[]): PlatformError {
  const message = `This login lacks these permissions: ${missing.join(', ')}. Log in again and allow them.`;
  return new PlatformError('rejected', message, { platformCode: scopeMissing });
}

/** For `catch`: says that the field caused a failure of these kinds. */
export function asFieldError(
  field: string,
  ...kinds: PlatformErrorKind[]
): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof PlatformError) || !kinds.includes(error.kind)) throw error;
    throw new PlatformError('rejected', error.message, { ...error.options, field });
  };
}

/** The server doesn't exist, must not be reached, or sends too much. */
const noServer = new Set(['ENOTFOUND', 'UND_ERR_RES_EXCEEDED_MAX_SIZE', 'blocked_address']);

/**
 * For `catch` of the first call to a user's server. An unavailable server may still be the right one. A
 * server that doesn't answer as the network does is a wrong one.
 */
export function asServerError(
  field: string,
  message: string,
  code: string,
): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof PlatformError)) throw error;
    const { platformCode = '', providerError, cause } = error.options;
    const isDown =
      cause || error.kind === 'rate_limited' || Number(providerError?.['status']) >= 500;
    const isRight = error.kind === 'reauthorize' || (isDown && !noServer.has(platformCode));
    throw isRight ? error : wrongCredential(field, message, code);
  };
}
