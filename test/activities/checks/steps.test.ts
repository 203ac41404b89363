// What an outcome makes of the steps of a check.
import { describe, expect, test } from 'vitest';
import {
  codeOf,
  findNext,
  isLeftOut,
  listSteps,
  mayHavePublished,
  withOutcome,
} from '../../../activities/checks/steps.ts';
import { PlatformError } from '../../../activities/platforms/platform-error.ts';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { nextActionOf, type StoredStep } from '../../../schema/account-checks.ts';
import { postingErrors, type PostingErrorCode } from '../../../schema/posts/errors.ts';
import { threads } from '../../../schema/platforms/threads.ts';
import { wordpress } from '../../../schema/platforms/wordpress.ts';

const inspect = () => Promise.resolve({ scope: [], accounts: [] });
const asThreads: Platform = {
  definition: threads,
  connect: [],
  commit: () => Promise.reject(new Error('No check commits here.')),
  checks: { inspect, quota: () => Promise.resolve(), canPrepare: true },
};
const asWordPress: Platform = {
  ...asThreads,
  definition: wordpress,
  checks: { inspect },
  unpublish: { remove: () => Promise.resolve() },
};

const namesOf = (steps: readonly StoredStep[]) => steps.map(({ name }) => name);
const show = (steps: readonly StoredStep[]) =>
  Object.fromEntries(steps.map(({ name, status, code }) => [name, code ?? status]));
const fail = (code: PostingErrorCode) => ({ outcome: 'failed', code, message: 'No.' }) as const;

describe('the steps', () => {
  test('are only those that the network supports', () => {
    expect(namesOf(listSteps(asThreads, false))).toEqual([
      'login',
      'scopes',
      'app',
      'quota',
      'media_address',
      'preparation',
    ]);
    expect(namesOf(listSteps(asWordPress, false))).toEqual(['login', 'scopes']);
  });

  test('of a publication end with the removal if the network can delete posts', () => {
    const ofPost = ['publication', 'read_back', 'removal'];
    expect(namesOf(listSteps(asWordPress, true))).toEqual(['login', 'scopes', ...ofPost]);
    expect(namesOf(listSteps(asThreads, true)).at(-1)).toBe('read_back');
  });

  test('of a network that is off are only the login and the scopes', () => {
    expect(namesOf(listSteps(undefined, false))).toEqual(['login', 'scopes']);
  });
});

describe('a failure', () => {
  const steps = listSteps(asThreads, false);

  test('skips the other steps, except the media address', () => {
    const failed = withOutcome(steps, 'login', fail('token_revoked'));
    expect(show(failed)).toMatchObject({ login: 'token_revoked', scopes: 'pending' });
    expect(isLeftOut(failed, 'scopes')).toBe(true);
    expect(isLeftOut(failed, 'media_address')).toBe(false);
  });

  test('is recorded at the step that its code belongs to', () => {
    expect(show(withOutcome(steps, 'login', fail('app_not_approved')))).toMatchObject({
      login: 'passed',
      app: 'app_not_approved',
    });
    const passed = withOutcome(steps, 'scopes', { outcome: 'passed' });
    expect(show(withOutcome(passed, 'preparation', fail('permission_missing')))).toMatchObject({
      scopes: 'permission_missing',
      preparation: 'skipped',
    });
  });

  test('stays at its own step if the network has no step for its code', () => {
    const ofWordPress = listSteps(asWordPress, true);
    const failed = withOutcome(ofWordPress, 'publication', fail('quota_exhausted'));
    expect(show(failed)).toMatchObject({ publication: 'quota_exhausted' });
  });

  test('after a publication does not prevent the removal of the post', () => {
    const published = withOutcome(listSteps(asWordPress, true), 'publication', {
      outcome: 'passed',
    });
    const failed = withOutcome(published, 'read_back', fail('outcome_unknown'));
    expect(isLeftOut(failed, 'removal')).toBe(false);
    expect(mayHavePublished(failed)).toBe(true);
    const unpublished = withOutcome(listSteps(asWordPress, true), 'publication', fail('rejected'));
    expect(isLeftOut(unpublished, 'removal')).toBe(true);
    expect(mayHavePublished(unpublished)).toBe(false);
  });

  test('to remove the post is recorded at the removal, whatever its code', () => {
    const published = withOutcome(listSteps(asWordPress, true), 'publication', {
      outcome: 'passed',
    });
    expect(show(withOutcome(published, 'removal', fail('permission_missing')))).toMatchObject({
      scopes: 'pending',
      removal: 'permission_missing',
    });
  });
});

test('the next step is the first one that has not ended', () => {
  const steps = withOutcome(listSteps(asWordPress, false), 'login', { outcome: 'passed' });
  expect(findNext(steps)?.name).toBe('scopes');
});

describe('the code of an error', () => {
  const error = (kind: PlatformError['kind'], options: PlatformError['options'] = {}) =>
    new PlatformError(kind, 'No.', options);

  test.each<[PlatformError, PostingErrorCode]>([
    [error('reauthorize'), 'token_expired'],
    [error('reauthorize', { isRevoked: true }), 'token_revoked'],
    [error('rate_limited'), 'rate_limited'],
    [error('rate_limited', { isOutOfQuota: true }), 'quota_exhausted'],
    [error('rejected'), 'rejected'],
    [error('rejected', { failsAs: 'account_restricted' }), 'account_restricted'],
    [error('rejected', { platformCode: 'scope_missing' }), 'permission_missing'],
    [error('unavailable', { failsAs: 'media_fetch_failed' }), 'media_fetch_failed'],
    [error('unknown_outcome'), 'unavailable'],
  ])('%o is %s', (given, code) => {
    expect(codeOf(given, 'quota')).toBe(code);
  });

  test('is permission_missing if the network refuses the login', () => {
    expect(codeOf(error('rejected'), 'login')).toBe('permission_missing');
  });

  test('is outcome_unknown if a publication gets no answer', () => {
    expect(codeOf(error('unknown_outcome'), 'publication')).toBe('outcome_unknown');
  });

  test('never leads to the advice to edit the post, because no user wrote it', () => {
    const codes = Object.keys(postingErrors) as PostingErrorCode[];
    expect(codes.map(nextActionOf)).not.toContain('edit_content');
    expect(nextActionOf('rejected')).toBe('contact_operator');
  });
});
