// Messages to Telegram: the requests, refusals, and places where the token must not show.
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { createTelegram } from '../../../../activities/platforms/telegram/index.ts';
import { checkText } from '../../../../activities/platforms/text-rules.ts';
import { newId } from '../../../../schema/wire/ids.ts';
import { telegram as definition } from '../../../../schema/platforms/telegram.ts';
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
import { startHttp } from '../../../support/receivers/loopback.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { loginOf } from '../../../support/rows/grants.ts';

let network: TelegramServer;
let server: FaultyServer;

beforeEach(() => start([channel, supergroup, group]));
afterEach(() => server.close());

async function start(chats: Chat[]): Promise<void> {
  network = createTelegramServer(chats);
  server = await startFaultyServer(network, createSwitchboard());
}

const never = new AbortController().signal;

function targetOf(change: Partial<Target> = {}, chat = channel): Target {
  return {
    resultId: newId('result'),
    externalAccountId: String(chat.id),
    caption: 'Hello',
    media: [],
    replyTo: null,
    platformOptions: {},
    dueAt: new Date(0),
    credentials: { bot_token: network.token, chat: String(chat.id) },
    traits: {},
    state: {},
    ...change,
  };
}

const commit = (change?: Partial<Target>, chat?: Chat, apiUrl = server.url) =>
  createTelegram({ fetch, apiUrl }).commit(targetOf(change, chat), never);

describe('a message', () => {
  test.each<[string, Chat, string | null, string]>([
    ['of a public channel', channel, 'https://t.me/fanfare_news/101', 'public'],
    ['of a private supergroup', supergroup, 'https://t.me/c/9876543210/101', 'private'],
    ['of a group', group, null, 'private'],
  ])('%s has its id, its link and its visibility', async (_what, chat, url, visibility) => {
    expect(await commit({}, chat)).toEqual({
      outcome: 'published',
      published: { externalId: '101', url, visibility },
    });
    expect(network.listPosts(chat.id)).toEqual([
      { id: '101', text: 'Hello', replyTo: null, options: {} },
    ]);
  });

  test('carries its options in the fields of Telegram', async () => {
    const platformOptions = {
      parse_mode: 'MarkdownV2',
      disable_notification: true,
      disable_link_preview: true,
      protect_content: true,
      message_thread_id: 7,
    };
    await commit({ caption: '*Hello*', platformOptions });
    expect(network.listPosts()).toMatchObject([
      {
        text: '*Hello*',
        options: {
          parse_mode: 'MarkdownV2',
          disable_notification: true,
          link_preview_options: { is_disabled: true },
          protect_content: true,
          message_thread_id: 7,
        },
      },
    ]);
  });

  test('answers another message of the chat', async () => {
    await commit();
    await commit({ replyTo: '101' });
    expect(network.listPosts()).toMatchObject([{ replyTo: null }, { replyTo: '101' }]);
  });
});

describe('the text', () => {
  const limit = definition.rules.text.max;
  const check = (text: string, options = {}) =>
    checkText(definition, text, { path: ['caption'], options });

  test('is counted in code points, as Telegram counts', async () => {
    const longest = '😀'.repeat(limit);
    expect(check(longest)).toEqual([]);
    await commit({ caption: longest });
    expect(check(`${longest}a`)).toMatchObject([{ code: 'caption_too_long', actual: limit + 1 }]);
    expect((await refusal(commit({ caption: `${longest}a` }))).message).toContain('is too long');
  });

  test('is counted by Telegram, without the markup, if it has a parse mode', async () => {
    const platformOptions = { parse_mode: 'HTML' };
    const marked = (length: number) => `<b>${'a'.repeat(length)}</b>`;
    expect(check(marked(limit), platformOptions)).toEqual([]);
    await commit({ caption: marked(limit), platformOptions });
    expect(check(marked(limit + 1), platformOptions)).toEqual([]);
    const error = await refusal(commit({ caption: marked(limit + 1), platformOptions }));
    expect(error.message).toContain('message is too long');
  });

  test('has at most 32,768 bytes, with or without a parse mode', async () => {
    const platformOptions = { parse_mode: 'HTML' };
    const longest = `<b>a</b>${'<i></i>'.repeat(4_680)}`;
    expect(Buffer.byteLength(longest)).toBe(32_768);
    expect(check(longest, platformOptions)).toEqual([]);
    await commit({ caption: longest, platformOptions });
    expect(check(`${longest}a`, platformOptions)).toMatchObject([{ limit: 32_768 }]);
    const error = await refusal(commit({ caption: `${longest}a`, platformOptions }));
    expect(error.message).toContain('text is too long');
  });
});

describe('a refusal', () => {
  test.each<[string, Partial<Target>, Chat[], string]>([
    ['no such chat', {}, [supergroup], 'chat not found'],
    ['bad markup', { platformOptions: { parse_mode: 'HTML' }, caption: '<b>' }, [channel], "can't"],
    [
      'unescaped characters',
      { platformOptions: { parse_mode: 'MarkdownV2' }, caption: 'Hi.' },
      [channel],
      "Character '.' is reserved",
    ],
    ['nothing to answer', { replyTo: '4711' }, [channel], 'message to be replied not found'],
    [
      'no such topic',
      { platformOptions: { message_thread_id: 9 } },
      [{ ...channel, topics: [7] }],
      'message thread not found',
    ],
    [
      'no right to post in a channel',
      {},
      [{ ...channel, bot: { status: 'administrator', can_post_messages: false } }],
      'need administrator rights in the channel chat',
    ],
  ])('rejects the post if it is permanent: %s', async (_what, change, chats, words) => {
    await server.close();
    await start(chats);
    const error = await refusal(commit(change));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '400' } });
    expect(error.message).toContain(words);
    expect(error.options.providerError).toMatchObject({
      status: 400,
      message: expect.stringContaining(words),
    });
    expect(network.listPosts()).toEqual([]);
  });

  test.each(['kicked', 'left'])('requires a reconnect if the bot was %s', async (status) => {
    await server.close();
    await start([{ ...channel, bot: { status } }]);
    const error = await refusal(commit());
    expect(error).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: '403', isRevoked: true },
    });
  });

  test('requires a reconnect if the token was revoked', async () => {
    await network.revokeToken();
    expect(await refusal(commit())).toMatchObject({
      kind: 'reauthorize',
      options: { platformCode: '401', isRevoked: true },
    });
  });

  const body = (error: object) => JSON.stringify({ ok: false, ...error });
  const limited = (parameters?: object) =>
    body({ error_code: 429, description: 'Too Many Requests: retry after 7', parameters });

  test.each<[string, number, Record<string, string>, string, object]>([
    [
      'a rate limit, with the time in the body',
      429,
      {},
      limited({ retry_after: 7 }),
      { kind: 'rate_limited', options: { retryAfterMs: 7_000, throttled: 'account' } },
    ],
    [
      'a rate limit, with the time in a header',
      429,
      { 'retry-after': '3' },
      limited(),
      { kind: 'rate_limited', options: { retryAfterMs: 3_000 } },
    ],
    ['a rate limit of a proxy', 429, {}, '<html>', { kind: 'rate_limited' }],
    [
      'a restart',
      500,
      {},
      body({ error_code: 500, description: 'Internal Server Error: restart' }),
      { kind: 'unknown_outcome', options: { platformCode: '500' } },
    ],
    ['a bad gateway', 502, {}, '<html>', { kind: 'unknown_outcome' }],
    ["a success that can't be read", 200, {}, '<html>', { kind: 'unknown_outcome' }],
    [
      'a success without a message',
      200,
      {},
      '{"ok":true,"result":true}',
      { kind: 'unknown_outcome' },
    ],
    [
      'a message that is not sent yet',
      200,
      {},
      '{"ok":true,"result":{"message_id":0,"chat":{"id":-1,"type":"group"}}}',
      { kind: 'unknown_outcome' },
    ],
    ['a redirect', 302, { location: 'https://example.com' }, '', { kind: 'unavailable' }],
    [
      'a refusal that is not known',
      418,
      {},
      body({ error_code: 418, description: 'I am a teapot' }),
      { kind: 'rejected', options: { platformCode: '418' } },
    ],
  ])('reads %s', async (_what, status, headers, text, expected) => {
    const server = await startHttp((_request, response) => {
      response.writeHead(status, headers).end(text);
    });
    expect(await refusal(commit({}, channel, server.url))).toMatchObject(expected);
  });
});

describe('a group that became a supergroup', () => {
  const migrated = () => [{ ...group, migratedTo: supergroup.id }, supergroup];

  test('asks for a refresh, which finds the supergroup', async () => {
    await server.close();
    await start(migrated());
    const error = await refusal(commit({}, group));
    expect(error.kind).toBe('reauthorize');
    expect(error.options.isRevoked).toBeUndefined();
    const { refresh } = createTelegram({ fetch, apiUrl: server.url });
    expect(await refresh!(loginOf(targetOf({}, group).credentials), never)).toEqual({
      externalAccountId: String(supergroup.id),
      accountName: supergroup.title,
      credentials: { bot_token: network.token, chat: String(supergroup.id) },
      tokenExpiresAt: null,
    });
  });
});

describe('the token', () => {
  test.each([
    ['a refusal that repeats the URL', 400],
    ['a failure that repeats the URL', 500],
    ['a connection that is cut', 'cut'],
  ] as const)('shows in no error: %s', async (_what, answer) => {
    const server = await startHttp((request, response) => {
      if (answer === 'cut') request.socket.destroy();
      else {
        const description = `Bad Request: ${request.url} ${encodeURIComponent(request.url!)}`;
        response.writeHead(answer).end(JSON.stringify({ error_code: answer, description }));
      }
    });
    const error = await refusal(commit({}, channel, server.url));
    const secret = network.token.split(':')[1]!;
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
  });
});
