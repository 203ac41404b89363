// What can go wrong at a network, in the five kinds that the engine acts on.

/**
 * `reauthorize`: the credentials are refused; refresh, else the account needs its user.
 * `rejected`: the network will never take this.
 * `rate_limited`: later, and when.
 * `unavailable`: surely not accepted; try again.
 * `unknown_outcome`: may have been accepted; look before anything else.
 */
export type PlatformErrorKind =
  'reauthorize' | 'rejected' | 'rate_limited' | 'unavailable' | 'unknown_outcome';

export interface PlatformErrorOptions {
  /** The network's own code: `InvalidRequest`, `190`. */
  platformCode?: string | undefined;
  /** On `rejected` by a connect: the credential at fault, where it's known. `platformCode` says why. */
  field?: string | undefined;
  /** The network's own answer, without secrets. */
  providerError?: Record<string, unknown> | undefined;
  /** As the network says it: what makes no sense counts as unsaid. */
  retryAfterMs?: number | undefined;
  /** On `rate_limited`: whom the network limits. Default: the account. */
  throttled?: 'account' | 'app' | undefined;
  /** On `reauthorize`: the user or the network revoked the credentials; a refresh can't help. */
  isRevoked?: boolean | undefined;
  cause?: unknown;
}

/** No network's word holds an account up for longer. */
const longestWaitMs = 24 * 3_600_000;

/** How long a network asks to be left alone; undefined: it says nothing that makes sense. */
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
}
