// The error with which a network refused a call.
import { expect } from 'vitest';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';

/** Fails when the call was not refused, or was refused with another error. */
export async function refusal(promise: Promise<unknown>): Promise<PlatformError> {
  const error: unknown = await promise.then(
    () => expect.fail('It was not refused.'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(PlatformError);
  return error as PlatformError;
}
