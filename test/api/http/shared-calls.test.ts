// Calls that simultaneous requests share, and the errors that they share for as long as callers should wait.
import { expect, test } from 'vitest';
import { createSharedCalls } from '../../../api/http/shared-calls.ts';
import { AppError } from '../../../schema/wire/errors.ts';
import { elapse } from '../../support/elapse.ts';

const failing = (error: Error) => async () => {
  throw error;
};

test('callers share a call in progress, and a later caller makes a new call', async () => {
  const share = createSharedCalls();
  let calls = 0;
  const count = async () => {
    await Promise.resolve();
    return ++calls;
  };
  expect(await Promise.all([share('a', count), share('a', count)])).toEqual([1, 1]);
  expect(await share('a', count)).toBe(2);
});

test('an error with a wait answers later calls of the same key until the wait is over', async () => {
  const share = createSharedCalls();
  const error = new AppError('rate_limited', 'Not now.', { retryAfterS: 0.5 });
  await expect(share('a', failing(error))).rejects.toBe(error);
  await expect(share('a', async () => 1)).rejects.toBe(error);
  expect(await share('b', async () => 2)).toBe(2);
  await elapse(600, 'the wait of the error');
  expect(await share('a', async () => 3)).toBe(3);
});

test('an error without a wait does not answer later calls', async () => {
  const share = createSharedCalls();
  const error = new AppError('conflict', 'Refused.');
  await expect(share('a', failing(error))).rejects.toBe(error);
  expect(await share('a', async () => 1)).toBe(1);
});
