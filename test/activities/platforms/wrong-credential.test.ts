// Which credential a failure to connect is due to.
import { describe, expect, test } from 'vitest';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import { asFieldError, asServerError } from '../../../activities/platforms/wrong-credential.ts';

const caught = (error: unknown, rethrow: (error: unknown) => never): unknown => {
  try {
    return rethrow(error);
  } catch (thrown) {
    return thrown;
  }
};

describe('asFieldError', () => {
  test("adds the field to a failure of the given kinds, and keeps the network's message and code", () => {
    const error = new PlatformError('reauthorize', 'No.', { platformCode: '403' });
    expect(caught(error, asFieldError('chat', 'rejected', 'reauthorize'))).toMatchObject({
      kind: 'rejected',
      message: 'No.',
      options: { field: 'chat', platformCode: '403' },
    });
  });

  test.each([new PlatformError('reauthorize', 'No.'), new TypeError('No.')])(
    'leaves every other failure as it is: %o',
    (error) => {
      expect(caught(error, asFieldError('chat', 'rejected'))).toBe(error);
    },
  );
});

describe('asServerError', () => {
  const blamed = (...given: ConstructorParameters<typeof PlatformError>) => {
    const error = new PlatformError(...given);
    const thrown = caught(error, asServerError('server', 'This is no Acme.', 'not_acme'));
    return thrown !== error && (thrown as PlatformError).options.platformCode === 'not_acme';
  };

  test.each<[string, ...ConstructorParameters<typeof PlatformError>]>([
    ['another answer', 'unavailable', 'Unreadable.'],
    ['no such page', 'rejected', 'No.', { providerError: { status: 404 } }],
    ['a redirect', 'unavailable', 'No.', { providerError: { status: 301 } }],
    ['no host', 'unavailable', 'No.', { platformCode: 'ENOTFOUND', cause: new Error() }],
    ['a private host', 'rejected', 'No.', { platformCode: 'blocked_address', cause: new Error() }],
  ])('blames the server for %s', (_what, ...error) => {
    expect(blamed(...error)).toBe(true);
  });

  test.each<[string, ...ConstructorParameters<typeof PlatformError>]>([
    ['refuses the token', 'reauthorize', 'No.', { providerError: { status: 401 } }],
    ['fails', 'unavailable', 'No.', { providerError: { status: 503 } }],
    ['limits the rate', 'rate_limited', 'No.', { providerError: { status: 429 } }],
    ['never answers', 'unavailable', 'No.', { cause: new Error() }],
  ])('does not blame a server that %s', (_what, ...error) => {
    expect(blamed(...error)).toBe(false);
  });
});
