// Connecting: which credential a refusal is due to. Where none is named, it is the secret one.
import { PlatformError, type PlatformErrorKind } from './platform-error.ts';

export function wrongCredential(field: string, message: string, platformCode?: string) {
  return new PlatformError('rejected', message, { field, platformCode });
}

/** For `catch`: a failure of these kinds is due to the field. */
export function blame(field: string, ...kinds: PlatformErrorKind[]): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof PlatformError) || !kinds.includes(error.kind)) throw error;
    throw new PlatformError('rejected', error.message, { ...error.options, field });
  };
}

/** With these there is no server of that name, or one that sends megabytes. */
const noServer = new Set(['ENOTFOUND', 'UND_ERR_RES_EXCEEDED_MAX_SIZE', 'blocked_address']);

/**
 * For `catch` of the first call to a server that the user names. One that is down may be the right one;
 * one that answers differently than the network isn't.
 */
export function blameServer(wrong: PlatformError): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof PlatformError)) throw error;
    const { platformCode = '', providerError, cause } = error.options;
    const isDown =
      cause || error.kind === 'rate_limited' || Number(providerError?.['status']) >= 500;
    const isRight = error.kind === 'reauthorize' || (isDown && !noServer.has(platformCode));
    throw isRight ? error : wrong;
  };
}
