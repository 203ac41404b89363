// The errors of Facebook: what they mean, and the table of them on its page.
import { describe, expect, test } from 'vitest';
import { facebookErrors } from '../../../../activities/platforms/facebook/errors.ts';
import { findMetaError } from '../../../../activities/platforms/meta/errors.ts';
import { readErrorRows, toErrorRow } from '../../../support/checks/meta-errors.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startFacebook } from '../../../support/networks/facebook/connected.ts';

test('docs/networks/facebook.md lists exactly the known errors, in the same order and with the same sentences', () => {
  expect(readErrorRows('docs/networks/facebook.md')).toEqual(facebookErrors.map(toErrorRow));
});

describe('an error', () => {
  const find = (code: number, subcode?: number, message = '') =>
    findMetaError(facebookErrors, { code, subcode, message });

  test('is classified by its subcode first', () => {
    expect(find(368, 1390008)).toMatchObject({ meaning: 'rate_limited', retryAfterMs: 3_600_000 });
    expect(find(368, 1404102)?.failsAs).toBe('content_blocked');
    expect(find(368, 1)?.failsAs).toBe('account_restricted');
    expect(find(1, 2853006)?.failsAs).toBe('permission_missing');
    expect(find(1)?.meaning).toBe('lost');
    expect(find(190, 459)?.meaning).toBe('reauthorize');
    expect(find(190, 492)?.meaning).toBe('rejected');
    expect(find(190)?.meaning).toBe('revoked');
    expect(find(102)?.meaning).toBe('revoked');
    expect(find(4_242)).toBeUndefined();
  });

  test('may have its number in the code or in the subcode', () => {
    expect(find(1363127)?.sentence).toBe('A reel must have at least 540 × 960 pixels.');
    expect(find(100, 1363127)).toBe(find(1363127));
    expect(find(100, 1609005)).toBe(find(1609005));
  });

  test('is found by a range of codes', () => {
    expect([199, 200, 283, 299, 300].map((code) => find(code)?.failsAs)).toEqual([
      undefined,
      'permission_missing',
      'permission_missing',
      'permission_missing',
      undefined,
    ]);
  });

  test.each([
    ['of the caller', 400, { code: 100, message: '(#100) No.' }, 'rejected'],
    ['without a known code', 400, { code: 4_242 }, 'rejected'],
    ['of a permission', 403, { code: 200 }, 'rejected'],
    ['of a lost login', 400, { code: 190, error_subcode: 460 }, 'reauthorize'],
    ['that passes', 400, { code: 2, is_transient: true }, 'unknown_outcome'],
    ['of the server', 500, { code: 1 }, 'unknown_outcome'],
    ['in a 200', 200, { code: 100 }, 'unknown_outcome'],
    ['of the limit of the page', 400, { code: 80001 }, 'rate_limited'],
    ['of the limit of the app', 403, { code: 4 }, 'rate_limited'],
    ['of a link', 400, { code: 100, error_subcode: 1609005 }, 'rejected'],
  ])('decides the outcome of a post: an error %s', async (_, status, error, kind) => {
    await using network = await startFacebook();
    network.server.answers.push(Response.json({ error }, { status }));
    expect((await refusal(network.commit(network.target()))).kind).toBe(kind);
    expect(network.server.posts).toEqual([]);
  });

  test('leaves the outcome unknown if it is an HTML page with the status 500', async () => {
    await using network = await startFacebook();
    network.server.answers.push(new Response('<html>Sorry</html>', { status: 500 }));
    expect((await refusal(network.commit(network.target()))).kind).toBe('unknown_outcome');
  });

  test('waits as long as the header says if it is a rate limit', async () => {
    await using network = await startFacebook();
    const usage = {
      '102030405060708': [
        { type: 'pages', call_count: 101, estimated_time_to_regain_access: 7 },
        { type: 'pages', call_count: 3, estimated_time_to_regain_access: 0 },
      ],
    };
    const headers = { 'x-business-use-case-usage': JSON.stringify(usage) };
    const error = { code: 80001, message: '(#80001) There have been too many calls.' };
    network.server.answers.push(Response.json({ error }, { status: 400, headers }));
    expect(await refusal(network.commit(network.target()))).toMatchObject({
      kind: 'rate_limited',
      options: { retryAfterMs: 420_000 },
    });
  });

  test("about the app's limit ignores the wait for a page's limit", async () => {
    await using network = await startFacebook();
    const usage = { '102030405060708': [{ type: 'pages', estimated_time_to_regain_access: 720 }] };
    const headers = { 'x-business-use-case-usage': JSON.stringify(usage) };
    network.server.answers.push(Response.json({ error: { code: 4 } }, { status: 403, headers }));
    const { options } = await refusal(network.commit(network.target()));
    expect(options.throttled).toBe('app');
    expect(options.retryAfterMs).toBeUndefined();
  });

  test("has Facebook's words, our sentence and the trace ID for Facebook's support", async () => {
    await using network = await startFacebook();
    network.server.logins.endAll(460);
    const error = await refusal(network.commit(network.target()));
    expect(error).toMatchObject({
      kind: 'reauthorize',
      options: {
        isRevoked: true,
        platformCode: '190/460',
        providerError: { trace_id: 'AmFGcW_3hwDB7qFbl_QdebZ' },
      },
    });
    expect(error.message).toContain('The session has been invalidated');
    expect(error.message).toContain('The password was changed, which ended the login.');
  });

  test('says that the login has expired', async () => {
    await using network = await startFacebook();
    network.server.expireToken();
    const error = await refusal(network.commit(network.target()));
    expect(error).toMatchObject({ kind: 'reauthorize', options: { platformCode: '190/463' } });
    expect(error.options.isRevoked).toBeUndefined();
  });
});
