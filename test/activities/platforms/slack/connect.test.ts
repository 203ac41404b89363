// Connecting a channel of Slack: what the token and the channel must be.
import { describe, expect, test } from 'vitest';
import { createSlack } from '../../../../activities/platforms/slack/index.ts';
import { startSlack } from '../../../support/networks/slack/connected.ts';
import { createClient, startHttp } from '../../../support/receivers/loopback.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { formOf } from '../../../support/networks/connection.ts';

const never = new AbortController().signal;

describe('connect', () => {
  test('takes the identity and the scopes from Slack', async () => {
    await using network = await startSlack();
    const { server, connect } = network;
    server.calls.length = 0;
    expect(await connect({ bot_token: ` ${server.token}\n`, channel: ' C0GENERAL1 ' })).toEqual({
      externalAccountId: 'T0FANFARE1/C0GENERAL1',
      accountName: '#general (Acme)',
      credentials: { bot_token: server.token, channel: 'C0GENERAL1' },
      scope: [
        'chat:write',
        'files:write',
        'channels:read',
        'channels:history',
        'groups:read',
        'groups:history',
      ],
      tokenExpiresAt: null,
      traits: { workspaceUrl: 'https://acme-test.slack.com/', canUpload: true },
    });
    expect(server.calls).toEqual(['auth.test', 'conversations.info']);
  });

  test('accepts a private channel that the app is in', async () => {
    await using network = await startSlack();
    network.server.scopes = ['chat:write', 'groups:read', 'groups:history'];
    const channel = network.server.privateChannel;
    expect(await network.connect({ channel })).toMatchObject({ accountName: '#board (Acme)' });
  });

  test.each([
    ['xoxp-1-2-3', 'C0GENERAL1', 'bot_token'],
    ['xoxe.xoxb-1-abc', 'C0GENERAL1', 'bot_token'],
    ['xoxb-1 2', 'C0GENERAL1', 'bot_token'],
    ['xoxb-1-2', '#general', 'channel'],
    ['xoxb-1-2', 'D012345678', 'channel'],
    ['xoxb-1-2', 'C01&limit=1', 'channel'],
  ])('refuses %s for %s before any call', (bot_token, channel, field) => {
    const { credentials } = formOf(createSlack({ fetch, apiUrl: 'http://127.0.0.1:2' }));
    const { error } = credentials.safeParse({ bot_token, channel });
    expect(error?.issues.map(({ path }) => path)).toEqual([[field]]);
  });

  test('refuses a wrong token without showing it', async () => {
    await using network = await startSlack();
    const token = 'xoxb-1-2-wrong';
    const error = await refusal(network.connect({ bot_token: token }));
    expect(error).toMatchObject({
      kind: 'reauthorize',
      message: 'Slack refused the credentials: invalid_auth',
      options: { platformCode: 'invalid_auth' },
    });
    expect(JSON.stringify([error.message, error.options])).not.toContain(token);
  });

  test.each([
    ['C0NOWHERE1', 'channel_not_found', /unknown, or private/],
    ['C0SECRET01', 'channel_not_found', /unknown, or private/],
    ['C0STRANGE1', 'not_in_channel', /invite it/],
    ['C0OLDNEWS1', 'is_archived', /archived/],
  ])('names the channel %s as the fault: %s', async (channel, platformCode, message) => {
    await using network = await startSlack();
    // Posting to the strange one would be allowed; finding the posts would not.
    network.server.scopes.push('chat:write.public');
    expect(await refusal(network.connect({ channel }))).toMatchObject({
      kind: 'rejected',
      message: expect.stringMatching(message),
      options: { field: 'channel', platformCode },
    });
  });

  test.each([
    ['chat:write', 'C0GENERAL1', 'rejected'],
    ['channels:history', 'C0GENERAL1', 'rejected'],
    ['groups:history', 'C0PRIVATE1', 'rejected'],
    ['channels:read', 'C0GENERAL1', 'reauthorize'],
    ['groups:read', 'C0PRIVATE1', 'reauthorize'],
  ])('names the missing scope %s', async (scope, channel, kind) => {
    await using network = await startSlack();
    network.server.scopes = network.server.scopes.filter((each) => each !== scope);
    const error = await refusal(network.connect({ channel }));
    expect(error).toMatchObject({ kind, options: { platformCode: 'missing_scope' } });
    expect(error.message).toMatch(new RegExp(`missing_scope: needs .*${scope}`));
    expect(error.options.field).not.toBe('channel');
  });
});

describe('a server that is not Slack', () => {
  test.each([
    ['a page', '<html>Welcome</html>'],
    ['another JSON', '{"hello":"world"}'],
    ['10 MB', `{"ok":true,"team":"${'x'.repeat(10_000_000)}"}`],
    ['nothing', undefined],
  ])('connects nothing if it answers with %s', async (_, body) => {
    const server = await startHttp((_request, response) => {
      if (body !== undefined) response.end(body);
    });
    const { fetch } = createClient({ fetchDeadlineMs: 500 });
    const { run } = formOf(createSlack({ fetch, apiUrl: server.url }));
    const credentials = { bot_token: 'xoxb-1-2', channel: 'C0GENERAL1' };
    expect(await refusal(run(credentials, never))).toMatchObject({ kind: 'unavailable' });
  });

  test('is not followed to another place', async () => {
    const other = await startHttp((_request, response) => response.end());
    const server = await startHttp((_request, response) => {
      response.writeHead(302, { location: other.url }).end();
    });
    const { run } = formOf(createSlack({ fetch: createClient().fetch, apiUrl: server.url }));
    const credentials = { bot_token: 'xoxb-1-2', channel: 'C0GENERAL1' };
    expect(await refusal(run(credentials, never))).toMatchObject({ kind: 'unavailable' });
    expect(other.connections).toBe(0);
  });
});
