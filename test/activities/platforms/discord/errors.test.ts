// How Discord's refusals of a post are read.
import { expect, test } from 'vitest';
import { limitedFor } from '../../../support/networks/discord/server.ts';
import { connected } from '../../../support/networks/discord/connected.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';

const answer = (status: number, code: number, message: string, more: object = {}) =>
  Response.json({ message, code, ...more }, { status });

test.each([
  ['10003', 'rejected', answer(404, 10_003, 'Unknown Channel')],
  ['10008', 'rejected', answer(404, 10_008, 'Unknown Message')],
  ['10015', 'reauthorize', answer(404, 10_015, 'Unknown Webhook')],
  ['20016', 'rate_limited', answer(400, 20_016, 'Slow mode', { retry_after: 2.5 })],
  ['20028', 'rate_limited', limitedFor(0.3, false, 20_028)],
  ['20029', 'rate_limited', limitedFor(0.3, false, 20_029)],
  ['40001', 'reauthorize', answer(401, 40_001, 'Unauthorized')],
  ['40004', 'unavailable', answer(403, 40_004, 'Send messages has been temporarily disabled')],
  ['40005', 'rejected', answer(413, 40_005, 'Request entity too large')],
  ['50001', 'rejected', answer(403, 50_001, 'Missing Access')],
  ['50013', 'rejected', answer(403, 50_013, 'Missing Permissions')],
  ['50014', 'reauthorize', answer(401, 50_014, 'Invalid authentication token')],
  ['50027', 'reauthorize', answer(401, 50_027, 'Invalid Webhook Token')],
  ['50035', 'rejected', answer(400, 50_035, 'Invalid Form Body')],
  ['130000', 'unavailable', answer(503, 130_000, 'API resource is currently overloaded')],
  ['200000', 'rejected', answer(400, 200_000, 'Message was blocked by automatic moderation')],
  ['987654', 'rejected', answer(400, 987_654, 'A reason of tomorrow')],
  ['401', 'reauthorize', answer(401, 0, '401: Unauthorized')],
  ['403', 'rejected', new Response('error code: 1010', { status: 403 })],
  ['500', 'unknown_outcome', answer(500, 0, '500: Internal Server Error')],
  ['502', 'unknown_outcome', new Response('<html>Bad Gateway</html>', { status: 502 })],
  ['302', 'unavailable', new Response(null, { status: 302, headers: { location: '/login' } })],
])('a refusal with %s is %s', async (platformCode, kind, response) => {
  await using started = await connected('bot');
  const said = await response.clone().text();
  started.scripted.push(response);
  const error = await refusal(started.post('Hello'));
  expect({ kind: error.kind, code: error.options.platformCode }).toEqual({
    kind,
    code: platformCode,
  });
  if (said.startsWith('{')) {
    const { message } = JSON.parse(said) as { message: string };
    expect(error.message).toContain(message);
    expect(error.options.providerError).toMatchObject({ status: response.status, message });
  }
  expect(error.options.isRevoked ?? false).toBe(kind === 'reauthorize');
});

test.each([
  ['the account', limitedFor(0.75), 750, 'account'],
  ['all accounts', limitedFor(64.57, true), 64_570, 'app'],
  ['the channel', limitedFor(0.3, false, 20_028), 300, 'account'],
  [
    'our address',
    new Response('<html>error code: 1015</html>', {
      status: 429,
      headers: { 'retry-after': '600' },
    }),
    600_000,
    'app',
  ],
  ['our address, without a time', answer(429, 0, 'You are being blocked'), undefined, 'app'],
])('a rate limit of %s is read with its scope', async (_, response, retryAfterMs, throttled) => {
  await using started = await connected('webhook');
  started.scripted.push(response);
  const { kind, options } = await refusal(started.post('Hello'));
  expect({ kind, retryAfterMs: options.retryAfterMs, throttled: options.throttled }).toEqual({
    kind: 'rate_limited',
    retryAfterMs,
    throttled,
  });
});

test("a bot's global limit delays only its account, although a webhook's delays all accounts", async () => {
  await using started = await connected('bot');
  started.scripted.push(limitedFor(64.57, true));
  const { kind, options } = await refusal(started.post('Hello'));
  expect(kind).toBe('rate_limited');
  expect(options).toMatchObject({ retryAfterMs: 64_570, throttled: 'account' });
});

test('the last message that a limit allows reports how long to wait', async () => {
  await using started = await connected('webhook');
  started.discord.resetAfterS = 1.25;
  expect(await started.post('Hello')).toMatchObject({
    outcome: 'published',
    throttle: { scope: 'account', waitMs: 1_250 },
  });
});

test('the refusal of an invalid body names each invalid field', async () => {
  await using started = await connected('bot');
  const fault = (message: string) => ({ _errors: [{ code: 'X', message }] });
  const errors = {
    embeds: { 0: { fields: { 2: { value: fault('This field is required') } } } },
    content: fault('Must be 2000 or fewer in length.'),
    _errors: [{ code: 'X', message: 'Too much' }],
  };
  started.scripted.push(answer(400, 50_035, 'Invalid Form Body', { errors }));
  const { message } = await refusal(started.post('Hello'));
  expect(message).toBe(
    'Discord refused the request: 50035: Invalid Form Body; embeds.0.fields.2.value: This field is required; ' +
      'content: Must be 2000 or fewer in length.; body: Too much',
  );
});

test.each([
  ['204, as without wait=true', () => new Response(null, { status: 204 })],
  ['a page', () => new Response('<html>All is well</html>')],
  ['another document', () => Response.json({ ok: true })],
])('an answer that shows no message is an unknown outcome: %s', async (_, response) => {
  await using started = await connected('webhook');
  started.scripted.push(response());
  expect(await refusal(started.post('Hello'))).toMatchObject({ kind: 'unknown_outcome' });
});

test.each(['bot', 'webhook'] as const)('the token of a %s shows in no error', async (via) => {
  await using started = await connected(via);
  const { discord } = started;
  const secret = via === 'bot' ? discord.botToken : discord.webhook.token;
  const echo = {
    message: `No: ${secret}`,
    code: 1,
    errors: { x: { _errors: [{ message: secret }] } },
  };
  for (const response of [Response.json(echo, { status: 400 }), 'lost'] as const) {
    started.scripted.push(response);
    const error = await refusal(started.post('Hello'));
    const { cause, ...options } = error.options;
    expect(`${error.message} ${JSON.stringify(options)} ${String(cause)}`).not.toContain(secret);
  }
});
