// The recorded failure of a target: the network's text if it gave any, otherwise that of the code.
import { describe, expect, test } from 'vitest';
import { toFailure } from '../../../activities/publishing/record-outcome.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { postingErrors } from '../../../schema/posts/errors.ts';

const { message, isRetriable, nextAction } = postingErrors.unavailable;

describe('toFailure', () => {
  test('keeps the text and the code of the network', () => {
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
    'uses the text of the code when the cause is %j',
    (cause) => {
      expect(toFailure('unavailable', 'commit', cause).errorMessage).toBe(message);
    },
  );

  test('keeps our own text', () => {
    expect(toFailure('rejected', 'prepare', 'No such thing.').errorMessage).toBe('No such thing.');
  });
});
