// What a failed target is noted with: the network's words where it gave any, else the table's.
import { describe, expect, test } from 'vitest';
import { toFailure } from '../../../activities/publishing/failures.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { postingErrors } from '../../../schema/posts/errors.ts';

const { message, isRetriable, nextAction } = postingErrors.unavailable;

describe('toFailure', () => {
  test('keeps the words and the code of the network', () => {
    const providerError = { status: 503 };
    const cause = new PlatformError('unavailable', 'We are closed.', {
      platformCode: 'Closed',
      providerError,
    });
    expect(toFailure('unavailable', 'commit', cause)).toEqual({
      errorCode: 'unavailable',
      errorMessage: 'We are closed.',
      stage: 'commit',
      platformErrorCode: 'Closed',
      providerError,
      isRetriable,
      nextAction,
    });
  });

  test.each([[undefined], [''], [new PlatformError('unavailable', ' ')]])(
    'says what the code means where the cause is %j',
    (cause) => {
      expect(toFailure('unavailable', 'commit', cause).errorMessage).toBe(message);
    },
  );

  test('keeps a cause of our own', () => {
    expect(toFailure('rejected', 'prepare', 'No such thing.').errorMessage).toBe('No such thing.');
  });
});
