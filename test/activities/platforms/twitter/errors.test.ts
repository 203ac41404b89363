// How the connector reads X's refusals.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startTwitter } from '../../../support/networks/twitter/connected.ts';

const problems = 'https://api.x.com/2/problems';
const plain = (status: number, detail: string) => ({
  title: 'T',
  detail,
  type: 'about:blank',
  status,
});

describe('a refusal of a post', () => {
  test.each([
    [401, plain(401, 'Unauthorized'), 'reauthorize', '401', 'Unauthorized'],
    [403, plain(403, 'Not for you.'), 'rejected', '403', 'Not for you.'],
    [
      403,
      plain(403, 'You are not allowed to create a Tweet with duplicate content.'),
      'rejected',
      'duplicate',
      'duplicate content',
    ],
    [
      403,
      { errors: [{ code: 187, message: 'Status is a duplicate.' }] },
      'rejected',
      'duplicate',
      'duplicate',
    ],
    [
      403,
      {
        title: 'Client Forbidden',
        detail: 'Enroll.',
        type: `${problems}/client-forbidden`,
        reason: 'client-not-enrolled',
      },
      'rejected',
      'client-forbidden',
      'Enroll. The X app lacks access to this. Its owner must enroll it.',
    ],
    [
      429,
      {
        title: 'UsageCapExceeded',
        detail: 'Usage cap exceeded: Monthly product cap',
        type: `${problems}/usage-capped`,
        period: 'Monthly',
      },
      'rejected',
      'usage-capped',
      'Usage cap exceeded: Monthly product cap The usage cap of the X app is reached. Its owner must raise the cap.',
    ],
    [
      402,
      {
        title: 'CreditsDepleted',
        detail: 'No credits.',
        type: 'https://api.twitter.com/2/problems/credits',
      },
      'rate_limited',
      'credits',
      'No credits. The X app has no credits left. Its owner must buy more credits.',
    ],
    [
      400,
      {
        errors: [
          { parameters: { text: ['…'] }, message: 'text is bad' },
          { message: 'and so is that' },
        ],
        title: 'Invalid Request',
        detail: 'One or more parameters to your request was invalid.',
        type: `${problems}/invalid-request`,
      },
      'rejected',
      'invalid-request',
      'text is bad and so is that',
    ],
    [
      429,
      { errors: [{ code: 88, message: 'Rate limit exceeded' }] },
      'rate_limited',
      '88',
      'Rate limit exceeded',
    ],
    [429, plain(429, 'Too Many Requests'), 'rate_limited', '429', 'Too Many Requests'],
    [400, { code: 32, message: 'Old words' }, 'rejected', '32', 'Old words'],
    [
      500,
      { type: `${problems}/internal-error`, title: 'I', detail: 'D' },
      'unknown_outcome',
      'internal-error',
      'D',
    ],
    [503, plain(503, 'Service Unavailable'), 'unavailable', '503', 'Service Unavailable'],
    [503, '<html>Service Unavailable</html>', 'unknown_outcome', '503', 'HTTP 503'],
    [404, '<html>Not found</html>', 'rejected', '404', 'HTTP 404'],
  ])('%i %j is %s', async (status, body, kind, platformCode, words) => {
    await using x = await startTwitter({ reconcile: 'none' });
    x.network.nextAnswer = Response.json(body, { status });
    const error = await refusal(x.commit(x.target()));
    expect(error).toMatchObject({
      kind,
      message: expect.stringContaining(words),
      options: { platformCode, providerError: { status } },
    });
  });

  test.each([
    ['x-rate-limit-', 'account'],
    ['x-user-limit-24hour-', 'account'],
    ['x-app-limit-24hour-', 'app'],
  ])('names what it limits: %s', async (prefix, throttled) => {
    await using x = await startTwitter();
    const reset = Math.floor(Date.now() / 1_000) + 600;
    const headers = { [`${prefix}remaining`]: '0', [`${prefix}reset`]: String(reset) };
    x.network.nextAnswer = Response.json(plain(429, 'Too Many Requests'), { status: 429, headers });
    const { options } = await refusal(x.commit(x.target()));
    expect(options.throttled).toBe(throttled);
    expect(Math.abs(options.retryAfterMs! - 600_000)).toBeLessThan(5_000);
  });

  test('waits for the daily limit, even if the 15-minute limit resets first', async () => {
    await using x = await startTwitter();
    const now = Math.floor(Date.now() / 1_000);
    const headers = {
      'x-rate-limit-remaining': '57',
      'x-rate-limit-reset': String(now + 60),
      'x-app-limit-24hour-remaining': '0',
      'x-app-limit-24hour-reset': String(now + 6_000),
    };
    x.network.nextAnswer = Response.json(plain(429, 'Too Many Requests'), { status: 429, headers });
    const { options } = await refusal(x.commit(x.target()));
    expect(options.retryAfterMs).toBeGreaterThan(5_000_000);
  });

  test('never shows the token', async () => {
    await using x = await startTwitter();
    const token = x.login.credentials['access_token']!;
    x.network.nextAnswer = Response.json(plain(403, `Bad ${token}`), { status: 403 });
    const { message, options } = await refusal(x.commit(x.target()));
    expect(JSON.stringify([message, options])).not.toContain(token);
    expect(message).toContain('Bad [redacted]');
  });

  test('keeps the login if a scope is missing', async () => {
    await using x = await startTwitter();
    x.network.login.withheldScopes.add('tweet.write');
    const { credentials } = await x.logIn();
    const error = await refusal(x.commit(x.target({ credentials })));
    expect(error).toMatchObject({
      kind: 'rejected',
      message: 'X refused the request: You are not permitted to perform this action.',
    });
  });
});

describe('an answer that is no post', () => {
  test.each([
    Response.json({ data: { id: 'abc' } }, { status: 201 }),
    Response.json({ errors: [{ detail: 'Odd' }] }),
    new Response('<html>Fine</html>'),
  ])('%# is never a success', async (answer) => {
    await using x = await startTwitter();
    x.network.nextAnswer = answer;
    expect((await refusal(x.commit(x.target()))).kind).toBe('unknown_outcome');
  });
});
