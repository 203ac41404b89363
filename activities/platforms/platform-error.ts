// Errors of networks, in the five kinds that the engine handles.
import type { PostingErrorCode } from '../../schema/posts/errors.ts';

/**
 * `reauthorize`: the credentials are refused, so refresh them or ask the user to reconnect. `rejected`: the
 * network will never accept this call. `rate_limited`: try again later. `unavailable`: the network certainly
 * did not accept the call, so try again. `unknown_outcome`: the network may have accepted the call, so check
 * before anything else.
 */
export type PlatformErrorKind =
  'reauthorize' | 'rejected' | 'rate_limited' | 'unavailable' | 'unknown_outcome';

/**
 * What a network limits: the calls of the account, of all accounts of its grant, or of all accounts of its
 * app.
 */
export type ThrottleScope = 'account' | 'grant' | 'app';

export interface PlatformErrorOptions {
  /** The network's own code: `InvalidRequest`, `190`. */
  platformCode?: string | undefined;
  /**
   * On `rejected` by a connect: the name of the wrong credential, if known. `platformCode` has the reason.
   */
  field?: string | undefined;
  /** The network's own answer, without secrets. */
  providerError?: Record<string, unknown> | undefined;
  /** The wait that the network names. An implausible wait is ignored. */
  retryAfterMs?: number | undefined;
  /** On `rate_limited`: what the network limits. Default: the account. */
  throttled?: ThrottleScope | undefined;
  /**
   * On `rate_limited`: the account has used up its quota for publishing. Each target waits by itself, and
   * longer than for a rate limit. With `throttled: 'app'`: the app has used up its quota, so targets of the app
   * that have not begun wait too.
   */
  isOutOfQuota?: boolean | undefined;
  /** On `rate_limited`: the app has no credits left. Each target waits by itself. */
  isOutOfCredits?: boolean | undefined;
  /**
   * On `rejected` and `unavailable`: the error code of a target that fails with this error. Default: depends
   * on the kind.
   */
  failsAs?: PostingErrorCode | undefined;
  /** On `reauthorize`: the user or the network revoked the credentials, so a refresh can't help. */
  isRevoked?: boolean | undefined;
  cause?: unknown;
}

/** The longest wait that a network can ask for: a day, when clocks go back an hour, with some time to spare. */
const longestWaitMs = 26 * 3_600_000;

/** The wait that a network asks for; undefined: it asks for no wait, or for an implausible one. */
export function readWaitMs(saidMs: number | undefined): number | undefined {
  if (saidMs === undefined || !Number.isFinite(saidMs) || saidMs <= 0) return undefined;
  return Math.min(saidMs, longestWaitMs);
}

export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly kind: PlatformErrorKind;
  readonly options: PlatformErrorOptions;

  constructor(kind: PlatformErrorKind, message: string, options: PlatformErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.kind = kind;
    const retryAfterMs = readWaitMs(options.retryAfterMs);
    this.options = 'retryAfterMs' in options ? { ...options, retryAfterMs } : options;
  }

  /** The same error, of another kind. */
  as(kind: PlatformErrorKind): PlatformError {
    return new PlatformError(kind, this.message, this.options);
  }
}

/** Whether the network refused with this error code, which is one of its own codes. */
export function hasCode(error: unknown, code: string): error is PlatformError {
  return error instanceof PlatformError && error.options.platformCode === code;
}

/** Whether the network refused because it has not approved the app. */
export function isNotApproved(error: unknown): boolean {
  return error instanceof PlatformError && error.options.failsAs === 'app_not_approved';
}

/** For `catch`: ignores the network's refusals with this code, which are as good as an answer. */
export function unless(code: string): (error: unknown) => void {
  return (error) => {
    if (!hasCode(error, code)) throw error;
  };
}

/** For `catch`: a refusal with one of these codes says that the network no longer has the post. */
export const goneIf =
  (...codes: string[]) =>
  (error: unknown): never => {
    const isRefusal = error instanceof PlatformError && error.kind === 'rejected';
    if (!isRefusal || !codes.includes(error.options.platformCode ?? '')) throw error;
    throw new PlatformError('rejected', error.message, { ...error.options, failsAs: 'post_gone' });
  };

/** Whether the network no longer has the post. */
export const isGone = (error: unknown): boolean =>
  error instanceof PlatformError && error.options.failsAs === 'post_gone';

/** False: the call failed because the network no longer has the post. */
export async function isThere(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** For `catch`: makes a refusal temporary, because it says nothing about the post or the login. */
export function notForGood(error: unknown): never {
  if (!(error instanceof PlatformError) || error.kind !== 'rejected') throw error;
  throw error.as('unavailable');
}
