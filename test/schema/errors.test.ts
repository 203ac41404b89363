// The errors: their statuses and the refusals made from issues.
import { postingErrors } from '../../schema/posts/errors.ts';
import { describe, expect, test } from 'vitest';
import {
  AppError,
  errorKinds,
  notFound,
  validationError,
  type Issue,
} from '../../schema/wire/errors.ts';

describe('errorKinds', () => {
  test('give each code its documented status', () => {
    const statuses = Object.fromEntries(
      Object.entries(errorKinds).map(([code, { status }]) => [code, status]),
    );
    expect(statuses).toMatchObject({
      malformed_json: 400,
      unauthorized: 401,
      insufficient_scope: 403,
      origin_not_allowed: 403,
      quota_exceeded: 403,
      upload_url_invalid: 403,
      not_found: 404,
      method_not_allowed: 405,
      upload_stalled: 408,
      upload_timeout: 408,
      conflict: 409,
      account_in_use: 409,
      reconnect_required: 409,
      idempotency_conflict: 409,
      cursor_expired: 410,
      upload_url_expired: 410,
      payload_too_large: 413,
      unsupported_media_type: 415,
      validation_error: 422,
      rate_limited: 429,
      internal: 500,
      unavailable: 503,
      media_not_configured: 503,
      media_storage_full: 507,
    });
  });

  test('are retriable only if the same request can succeed later', () => {
    const retriable = Object.entries(errorKinds)
      .filter(([, kind]) => kind.isRetriable)
      .map(([code]) => code);
    expect(retriable).toEqual(expect.arrayContaining(['rate_limited', 'internal', 'unavailable']));
    expect(retriable).not.toContain('validation_error');
  });
});

describe('AppError', () => {
  test('is an error with a code and a cause', () => {
    const cause = new Error('below');
    const error = new AppError('conflict', 'No.', { cause });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'AppError', code: 'conflict', message: 'No.', cause });
    expect('cause' in new AppError('conflict', 'No.')).toBe(false);
  });
});

describe('a posting error', () => {
  test.each(Object.entries(postingErrors))(
    'advises a retry exactly if a retry can succeed: %s',
    (_, { isRetriable, nextAction }) => {
      expect(['retry', 'wait'].includes(nextAction)).toBe(isRetriable);
    },
  );
});

describe('validationError', () => {
  test('has every issue, and its message has the first issue and the number of others', () => {
    const issues: Issue[] = [
      {
        path: ['platform_posts', 1, 'account_id'],
        code: 'unknown_account',
        message: 'is not there',
      },
      { path: ['caption'], code: 'too_long', message: 'is too long', actual: 301, limit: 300 },
    ];
    const error = validationError(issues);
    expect(error.code).toBe('validation_error');
    expect(error.message).toBe('platform_posts[1].account_id: is not there (and 1 more issue)');
    expect(validationError(issues.slice(1)).message).toBe('caption: is too long');
    expect(error.options.issues).toEqual(issues);
  });
});

describe('notFound', () => {
  test('does not repeat a very long ID', () => {
    expect(notFound('post', 'x'.repeat(10_000)).message.length).toBeLessThan(120);
  });
});
