// Errors of networks, in the five kinds that the engine handles.
import type { PostingErrorCode } from '../../schema/posts/errors.ts';

/**
 * `reauthorize`: the credentials are refused. Refresh them, or ask the user to reconnect.
 * `rejected`: the network will never accept this.
 * `rate_limited`: try again later.
 * `unavailable`: certainly not accepted. Try again.
 * `unknown_outcome`: may have been accepted. Check before anything else.
 */
export type PlatformErrorKind =
  'reauthorize' | 'rejected' | 'rate_limited' | 'unavailable' | 'unknown_outcome';

/** Whose calls a network limits: those of the account, of all accounts of its grant, or of all accounts of its app. */
export type ThrottleScope = 'account' | 'grant' | 'app';

export interface PlatformErrorOptions {
  /** The network's own code: `InvalidRequest`, `190`. */
  platformCode?: string | undefined;
  /** On `rejected` by a connect: the wrong credential, if known. `platformCode` has the reason. */
  field?: string | undefined;
  /** The network's own answer, without secrets. */
  providerError?: Record<string, unknown> | undefined;
  /** The wait that the network names. An implausible one is ignored. */
  retryAfterMs?: number | undefined;
  /** On `rate_limited`: what the network limits. Default: the account. */
  throttled?: ThrottleScope | undefined;
  /**
   * On `rate_limited`: the account has used up how much it may publish. Each target waits by itself, and longer than
   * for a rate limit.
   */
  isOutOfQuota?: boolean | undefined;
  /** On `rate_limited`: the app has no credits left. Each target waits by itself. */
  isOutOfCredits?: boolean | undefined;
  /** On `rejected` and `unavailable`: the error code of a target that fails with this error. Default: by the kind. */
  failsAs?: PostingErrorCode | undefined;
  /** On `reauthorize`: the user or the network revoked the credentials; a refresh can't help. */
  isRevoked?: boolean | undefined;
  cause?: unknown;
}

/** The longest wait that a network can ask for. */
const longestWaitMs = 24 * 3_600_000;

/** The wait that a network asks for; undefined: none, or an implausible one. */
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

/** Whether the network refused with this code of its own. */
export function hasCode(error: unknown, code: string): error is PlatformError {
  return error instanceof PlatformError && error.options.platformCode === code;
}

/** Whether the network refused because it has not approved the app. */
export function isNotApproved(error: unknown): boolean {
  return error instanceof PlatformError && error.options.failsAs === 'app_not_approved';
}

/** For `catch`: ignores a refusal with this code of the network's own, which is as good as an answer. */
export function unless(code: string): (error: unknown) => void {
  return (error) => {
    if (!hasCode(error, code)) throw error;
  };
}

/** For `catch`: the network refuses the call, which says nothing about the post or the login, so it may pass. */
export function notForGood(error: unknown): never {
  if (!(error instanceof PlatformError) || error.kind !== 'rejected') throw error;
  throw error.as('unavailable');
}
