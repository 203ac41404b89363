// Connecting a Telegram bot to a channel or group: who it is, and what is refused at which field.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPlatforms } from '../../../../activities/platforms/index.ts';
import { createTelegram } from '../../../../activities/platforms/telegram/index.ts';
import { createSwitchboard } from '../../../support/networks/faults.ts';
import { startFaultyServer, type FaultyServer } from '../../../support/networks/faulty-server.ts';
import {
  channel,
  createTelegramServer,
  group,
  supergroup,
  type Chat,
  type TelegramServer,
} from '../../../support/networks/telegram/server.ts';
import { createClient, startHttp } from '../../../support/receivers/loopback.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { createTestRest, type TestKey, type TestRest } from '../../../support/app/rest.ts';
import { formOf } from '../../../support/networks/connection.ts';

let network: TelegramServer;
let server: FaultyServer;
let rest: TestRest;
let tenant: TestKey;

beforeAll(async () => {
  server = await startFaultyServer(
    {
      answer: (request) => network.answer(request),
      refuse: (kind) => network.refuse(kind),
      revokeToken: () => network.revokeToken(),
    },
    createSwitchboard(),
  );
  const telegram = createTelegram({ fetch, apiUrl: server.url });
  rest = await createTestRest({}, { platforms: createPlatforms([telegram]) });
});
afterAll(async () => {
  await rest[Symbol.asyncDispose]();
  await server.close();
});
beforeEach(async () => {
  network = createTelegramServer();
  tenant = await rest.createTenant();
});

const connect = (credentials: Record<string, unknown>) =>
  rest.call('POST', '/v1/accounts/connect', {
    key: tenant.key,
    body: { platform: 'telegram', credentials: { bot_token: network.token, ...credentials } },
  });

describe('connects', () => {
  test('a public channel by its name in any letter case, and by its id as the same account', async () => {
    const { status, body } = await connect({ chat: '@Fanfare_News' });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      platform: 'telegram',
      external_account_id: String(channel.id),
      account_name: '@fanfare_news',
      token_expires_at: null,
    });
    const again = await connect({ chat: String(channel.id) });
    expect(again.status).toBe(200);
    expect(again.body.data.id).toBe(body.data.id);
  });

  test.each<[string, Chat]>([
    ['a supergroup as a member', supergroup],
    ['a group as a member', group],
    ['a muted supergroup as an administrator', bot(muted(supergroup), { status: 'administrator' })],
    [
      'a muted supergroup where the bot may post',
      bot(muted(supergroup), { status: 'restricted', is_member: true, can_send_messages: true }),
    ],
  ])('%s', async (_what, chat) => {
    network = createTelegramServer([chat]);
    const { status, body } = await connect({ chat: String(chat.id) });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      external_account_id: String(chat.id),
      account_name: chat.title,
    });
  });

  test('a token and a chat that were pasted with spaces around them', async () => {
    const { status } = await connect({ bot_token: ` ${network.token}\n`, chat: ' @fanfare_news ' });
    expect(status).toBe(201);
  });

  test('the supergroup that a group has become', async () => {
    network = createTelegramServer([{ ...group, migratedTo: supergroup.id }, supergroup]);
    const { body } = await connect({ chat: String(group.id) });
    expect(body.data).toMatchObject({
      external_account_id: String(supergroup.id),
      account_name: supergroup.title,
    });
  });
});

describe('refuses', () => {
  test.each([
    ['that Telegram does not know', '110201543:AAwrong', '401: Unauthorized'],
    ['with an id of zero', '01:AAwrong', 'must be a bot token'],
    ['that is none', 'not-a-token', 'must be a bot token'],
    ['that would change the URL', '1:a/../../x', 'must be a bot token'],
  ])('a token %s', async (_what, token, words) => {
    const { status, body } = await connect({ bot_token: token, chat: '@fanfare_news' });
    expect(status).toBe(422);
    expect(body.error.issues).toMatchObject([{ path: 'credentials.bot_token' }]);
    expect(body.error.issues[0].message).toContain(words);
    expect(JSON.stringify(body)).not.toContain(token);
  });

  test.each(['fanfare_news', 'https://t.me/fanfare_news', '110201543', '-0', '-1e9', ''])(
    'a chat of no known form: %j',
    async (chat) => {
      const { status, body } = await connect({ chat });
      expect(status).toBe(422);
      expect(body.error.issues).toMatchObject([{ path: 'credentials.chat' }]);
      expect(network.calls).toEqual([]);
    },
  );

  test.each<[string, Chat, string]>([
    [
      'that the bot does not know',
      bot(supergroup, null),
      'chat not found. Check the name, and add the bot to the chat.',
    ],
    ['that the bot has left', bot(supergroup, { status: 'left' }), 'bot is not a member'],
    ['that the bot was removed from', bot(channel, { status: 'kicked' }), 'bot was kicked'],
    [
      'that is public and without the bot',
      bot(channel, null),
      'member list is inaccessible. Check the name, and add the bot to the chat.',
    ],
    [
      'where members may not post',
      muted(supergroup),
      'must be a member of the group who may send messages',
    ],
    [
      'where the bot may not post',
      bot(supergroup, { status: 'restricted', is_member: true, can_send_messages: false }),
      'must be a member of the group who may send messages',
    ],
    [
      'where the bot is an administrator who may not post',
      bot(channel, { status: 'administrator', can_post_messages: false }),
      'must be an administrator of the channel with the right to post messages',
    ],
    [
      'of a kind that is neither channel nor group',
      { ...channel, type: 'private', bot: { status: 'member' } },
      'only to a channel or a group',
    ],
  ])('a chat %s', async (_what, chat, words) => {
    network = createTelegramServer([chat]);
    const { status, body } = await connect({ chat: String(chat.id) });
    expect(status).toBe(422);
    expect(body.error.issues).toMatchObject([{ path: 'credentials.chat' }]);
    expect(body.error.issues[0].message).toContain(words);
  });
});

describe('connects nothing at a server that', () => {
  const credentials = { bot_token: '110201543:AAsecret', chat: '@fanfare_news' };

  async function errorAt(apiUrl: string, timeoutMs = 5_000) {
    const { fetch: guarded } = createClient({ fetchMaxBytes: 1_000_000 });
    const { run } = formOf(createTelegram({ fetch: guarded, apiUrl }));
    const error = await refusal(run(credentials, AbortSignal.timeout(timeoutMs)));
    expect(JSON.stringify([error.message, error.options])).not.toContain('AAsecret');
    return error;
  }

  test.each<[string, number, string, Record<string, string>]>([
    ['is a web page', 200, '<html>Hello</html>', {}],
    ['answers nonsense', 200, '{"ok":true,"result":{"id":"me"}}', {}],
    ['says no with a 200', 200, '{"ok":false,"error_code":401,"description":"No"}', {}],
    ['redirects', 302, '', { location: 'https://example.com/' }],
    ['answers too much', 200, 'x'.repeat(2_000_000), {}],
    ['fails', 502, '<html>Bad Gateway</html>', {}],
  ])('%s', async (_what, status, body, headers) => {
    const server = await startHttp((_request, response) => {
      response.writeHead(status, headers).end(body);
    });
    expect((await errorAt(server.url)).kind).toBe('unavailable');
  });

  test('never answers', async () => {
    const server = await startHttp(() => undefined);
    expect((await errorAt(server.url, 200)).kind).toBe('unavailable');
  });

  test('is not there', async () => {
    expect((await errorAt('http://127.0.0.1:2')).kind).toBe('unavailable');
  });

  test('has a private address', async () => {
    const error = await errorAt('https://10.0.0.1');
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: 'blocked_address' } });
  });
});

function bot(chat: Chat, member: Chat['bot']): Chat {
  return { ...chat, bot: member };
}

function muted(chat: Chat): Chat {
  return { ...chat, permissions: { can_send_messages: false } };
}
