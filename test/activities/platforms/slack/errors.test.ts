// How the connector reads what Slack refuses a post with.
import { describe, expect, test } from 'vitest';
import { startSlack } from '../../../support/networks/slack/connected.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';

const refused = (error: string, more: object = {}) => Response.json({ ok: false, error, ...more });

describe('a refusal at status 200', () => {
  test.each([
    ['not_authed', 'reauthorize'],
    ['invalid_auth', 'reauthorize'],
    ['token_expired', 'reauthorize'],
    ['missing_scope', 'reauthorize'],
    ['account_inactive', 'reauthorize', { isRevoked: true }],
    ['token_revoked', 'reauthorize', { isRevoked: true }],
    ['ratelimited', 'rate_limited', { throttled: 'account' }],
    ['rate_limited', 'rate_limited', { throttled: 'account' }],
    ['internal_error', 'unknown_outcome'],
    ['fatal_error', 'unknown_outcome'],
    ['service_unavailable', 'unknown_outcome'],
    ['request_timeout', 'unavailable'],
    ['team_added_to_org', 'unavailable'],
    ['org_login_required', 'unavailable'],
    ['channel_not_found', 'rejected'],
    ['not_in_channel', 'rejected'],
    ['is_archived', 'rejected'],
    ['msg_too_long', 'rejected'],
    ['restricted_action', 'rejected'],
    ['an_error_of_tomorrow', 'rejected'],
    ['constructor', 'rejected'],
  ])('%s of a commit is %s', async (code, kind, options: object = {}) => {
    await using network = await startSlack();
    network.server.answers.push(refused(code));
    const error = await refusal(network.commit(network.target()));
    expect(error).toMatchObject({
      kind,
      message: expect.stringContaining(code),
      options: { platformCode: code, providerError: { status: 200, code }, ...options },
    });
  });

  test.each(['internal_error', 'fatal_error', 'service_unavailable'])(
    '%s of a check leads to another check',
    async (code) => {
      await using network = await startSlack();
      network.server.answers.push(refused(code));
      const error = await refusal(network.reconcile(network.target()));
      expect(error.kind).toBe('unavailable');
    },
  );

  test('names the scope that is needed', async () => {
    await using network = await startSlack();
    network.server.scopes = [];
    const error = await refusal(network.commit(network.target()));
    expect(error.message).toBe('Slack refused the credentials: missing_scope: needs chat:write');
  });

  test("shows Slack's own words on blocks", async () => {
    await using network = await startSlack();
    const platformOptions = { blocks: [{ type: 'divider' }, { type: 'hologram' }] };
    const error = await refusal(network.commit(network.target({ platformOptions })));
    expect(error.message).toBe(
      'Slack refused the request: invalid_blocks: unsupported type: hologram [json-pointer:/blocks/1/type]',
    );
  });

  test('never shows the token', async () => {
    await using network = await startSlack();
    const { token } = network.server;
    const messages = [`[ERROR] ${token} is odd`];
    network.server.answers.push(refused(`odd_${token}`, { response_metadata: { messages } }));
    const error = await refusal(network.commit(network.target()));
    expect(JSON.stringify([error.message, error.options])).not.toContain(token);
    expect(error.message).toContain('[redacted] is odd');
  });
});

describe('another answer', () => {
  test.each([
    [new Response('', { status: 503 }), 'unknown_outcome'],
    [new Response('<html>Bad gateway</html>', { status: 502 }), 'unknown_outcome'],
    [new Response('<html>Fine</html>'), 'unknown_outcome'],
    [Response.json({ ok: true }), 'unknown_outcome'],
    [Response.json({ ok: false }), 'unknown_outcome'],
    [Response.json({ ok: true, ts: 'soon' }), 'unknown_outcome'],
    [new Response('', { status: 429 }), 'rate_limited'],
    [
      new Response('', { status: 302, headers: { location: 'https://example.com' } }),
      'unavailable',
    ],
    [new Response('Not found', { status: 404 }), 'rejected'],
  ])('is never a success of a commit: %#', async (answer, kind) => {
    await using network = await startSlack();
    network.server.answers.push(answer);
    expect((await refusal(network.commit(network.target()))).kind).toBe(kind);
  });

  test('returns the wait that it names', async () => {
    await using network = await startSlack();
    network.server.answers.push(network.server.refuse('limited_with_retry_after'));
    expect(await refusal(network.commit(network.target()))).toMatchObject({
      kind: 'rate_limited',
      options: { platformCode: 'ratelimited', retryAfterMs: 1_000 },
    });
  });
});
