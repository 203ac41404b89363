// From what went wrong at a network to what a result says of it.
import type { PostingErrorCode } from '../../schema/posts/errors.ts';
import { postingErrors } from '../../schema/posts/errors.ts';
import type { FailureStage } from '../../schema/posts/posts.ts';
import type { Failure } from '../../schema/database/posts/target-steps.ts';
import { takeError } from './platform-answer.ts';
import { PlatformError } from '../platforms/platform-error.ts';

/** The cause's own words say the most; without any, the table's. */
export function toFailure(
  errorCode: PostingErrorCode,
  stage: FailureStage,
  cause?: PlatformError | string,
): Failure {
  const error = cause instanceof PlatformError ? cause : undefined;
  const words = (typeof cause === 'string' ? cause : cause?.message)?.trim();
  const { message, isRetriable, nextAction } = postingErrors[errorCode];
  return {
    errorCode,
    errorMessage: words || message,
    stage,
    platformErrorCode: error?.options.platformCode ?? null,
    providerError: error?.options.providerError ?? null,
    isRetriable,
    nextAction,
  };
}

/**
 * Platforms throw PlatformErrors only; anything else is a fault of ours in the connector, and in
 * a commit nobody can say whether the call went out.
 */
export function toPlatformError(error: unknown): PlatformError {
  if (error instanceof PlatformError) return takeError(error);
  return new PlatformError('unknown_outcome', 'The connector failed in the middle of the call.', {
    cause: error,
  });
}
