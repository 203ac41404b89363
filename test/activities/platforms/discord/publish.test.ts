// What Discord receives of a post, by a webhook and by a bot.
import { describe, expect, test } from 'vitest';
import { discord as definition } from '../../../../schema/platforms/discord.ts';
import { connected } from '../../../support/networks/discord/connected.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';

const embed = {
  title: 'Launch',
  description: 'It is **here**.',
  url: 'https://example.com/launch',
  color: 0x58_65_f2,
  image: { url: 'https://example.com/image.png' },
  fields: [{ name: 'Price', value: 'Free', inline: true }],
};

describe('a bot', () => {
  test('posts to its channel, and notifies only the users that its text mentions', async () => {
    await using started = await connected('bot');
    const { discord, post, seen } = started;
    const outcome = await post('Hello @everyone, see https://example.com');
    const [message] = discord.messages;
    expect(outcome).toEqual({
      outcome: 'published',
      published: {
        externalId: message!.id,
        url: `https://discord.com/channels/${discord.guildId}/${discord.channelId}/${message!.id}`,
        visibility: 'private',
      },
      throttle: undefined,
    });
    expect(await seen.at(-1)!.json()).toEqual({
      content: 'Hello @everyone, see https://example.com',
      allowed_mentions: { parse: ['users'] },
      nonce: expect.stringMatching(/^[\w-]{25}$/) as string,
      enforce_nonce: true,
    });
  });

  test('replies to a message, and fails if the message is gone', async () => {
    await using started = await connected('bot');
    const { discord, post } = started;
    const first = await post('First');
    const replyTo = first.outcome === 'published' ? first.published.externalId! : '';
    await post('Second', { replyTo });
    expect(discord.listPosts()).toMatchObject([
      { text: 'First', replyTo: null },
      { text: 'Second', replyTo },
    ]);
    discord.deleteMessage(replyTo);
    const error = await refusal(post('Third', { replyTo }));
    expect(error).toMatchObject({
      kind: 'rejected',
      message:
        'Discord refused the request: 50035: Invalid Form Body; message_reference: Unknown message',
      options: { platformCode: '50035' },
    });
  });

  test.each(['username', 'thread_id'])('refuses %s, an option of webhooks', async (option) => {
    await using started = await connected('bot');
    const error = await refusal(started.post('Hello', { platformOptions: { [option]: 'x' } }));
    expect(error).toMatchObject({
      kind: 'rejected',
      message: 'Discord takes username and thread_id from webhooks only, not from bots.',
      options: { platformCode: 'webhook_only_option' },
    });
    expect(started.discord.messages).toEqual([]);
  });

  test('fails in a channel that it may only read', async () => {
    await using started = await connected('bot');
    started.discord.channels.get(started.discord.channelId)!.canSend = false;
    const error = await refusal(started.post('Hello'));
    expect(error).toMatchObject({
      kind: 'rejected',
      message: 'Discord refused the request: 50013: Missing Permissions',
      options: { platformCode: '50013' },
    });
  });
});

describe('a webhook', () => {
  test('posts with its options, waits for the message and sends no nonce', async () => {
    await using started = await connected('webhook');
    const { discord, post, seen } = started;
    const platformOptions = definition.options.parse({
      username: 'Release Bot',
      embeds: [embed],
      allowed_mentions: ['everyone'],
      suppress_embeds: true,
    });
    const outcome = await post('Hello', { platformOptions });
    const { search, pathname } = new URL(seen.at(-1)!.url);
    expect(search).toBe('?wait=true');
    expect(pathname).toBe(`/api/v10/webhooks/${discord.webhook.id}/${discord.webhook.token}`);
    expect(await seen.at(-1)!.json()).toEqual({
      content: 'Hello',
      username: 'Release Bot',
      embeds: [embed],
      allowed_mentions: { parse: ['everyone'] },
      flags: 4,
    });
    expect(outcome).toMatchObject({
      outcome: 'published',
      published: { url: expect.not.stringContaining(discord.webhook.token) as string },
    });
  });

  test('posts into the thread that the URL names', async () => {
    await using started = await connected('webhook');
    const { discord, post } = started;
    const thread_id = discord.addChannel('300000000000000007', 11);
    const outcome = await post('Hello', { platformOptions: { thread_id } });
    expect(discord.messages).toMatchObject([{ channel_id: thread_id }]);
    const { id } = discord.messages[0]!;
    expect(outcome).toMatchObject({
      published: { url: `https://discord.com/channels/${discord.guildId}/${thread_id}/${id}` },
    });
  });

  test('does not post to a forum without a thread', async () => {
    await using started = await connected('webhook');
    const { discord, post } = started;
    discord.channels.get(discord.webhook.channel_id)!.type = 15;
    expect(await refusal(post('Hello'))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: '220001' },
    });
  });
});

describe('limits', () => {
  test('count 2000 code points, as Discord does', async () => {
    await using started = await connected('bot');
    // Two code units each.
    await started.post('🎺'.repeat(2_000));
    expect(await refusal(started.post('🎺'.repeat(2_001)))).toMatchObject({
      kind: 'rejected',
      message:
        'Discord refused the request: 50035: Invalid Form Body; content: Must be 2000 or fewer in length.',
    });
    expect(definition.rules.text).toEqual({ max: 2_000, unit: 'characters' });
  });

  test('let a bot reply, but not a webhook', () => {
    expect(definition.rulesFor({ via: 'bot' }).replies).not.toBeNull();
    expect(definition.rulesFor({ via: 'webhook' }).replies).toBeNull();
  });

  const long = (characters: number) => '🎺'.repeat(characters);
  const fields = (length: number) => Array.from({ length }, () => ({ name: 'x', value: 'x' }));
  const whole = [{ description: 'x'.repeat(4_000) }, { title: 'xx', description: long(1_998) }];
  test.each<[string, Record<string, unknown>, Record<string, unknown>, string?]>([
    ['embeds.0.title', { embeds: [{ title: long(256) }] }, { embeds: [{ title: long(257) }] }],
    [
      'embeds.0.description',
      { embeds: [{ description: ` ${long(4_096)} ` }] },
      { embeds: [{ description: long(4_097) }] },
    ],
    [
      'embeds.0.fields.0.name',
      { embeds: [{ fields: [{ name: long(256), value: 'x' }] }] },
      { embeds: [{ fields: [{ name: long(257), value: 'x' }] }] },
    ],
    [
      'embeds.0.fields.0.value',
      { embeds: [{ fields: [{ name: 'x', value: long(1_024) }] }] },
      { embeds: [{ fields: [{ name: 'x', value: long(1_025) }] }] },
    ],
    ['embeds.0.fields.0.name', {}, { embeds: [{ fields: [{ name: ' ', value: 'x' }] }] }],
    ['embeds.0.fields', { embeds: [{ fields: fields(25) }] }, { embeds: [{ fields: fields(26) }] }],
    ['embeds', { embeds: whole }, { embeds: [...whole, { title: 'x' }] }],
    ['username', { username: long(80) }, { username: long(81) }],
    ['username', { username: 'Ada' }, { username: 'My Discord' }],
    ['username', { username: 'C lyde' }, { username: 'CLYDE' }],
    [
      'allowed_mentions',
      { allowed_mentions: ['users', 'roles'] },
      { allowed_mentions: ['users', 'users'] },
      'allowed_mentions.parse',
    ],
  ])('are those of Discord: %s', async (path, allowed, over, named = path) => {
    await using started = await connected('webhook');
    const post = (platformOptions: Record<string, unknown>) =>
      started.post('Hello', { platformOptions });
    await post(definition.options.parse(allowed));
    const { error } = definition.options.safeParse(over);
    expect(error!.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
    const refused = await refusal(post(over));
    expect(refused).toMatchObject({ kind: 'rejected', options: { platformCode: '50035' } });
    expect(refused.message).toContain(`; ${named}: `);
  });
});

describe('options', () => {
  test.each([
    [{ thread_id: 'general' }, 'thread_id'],
    [{ allowed_mentions: ['here'] }, 'allowed_mentions.0'],
    [{ embeds: [{ colour: 1 }] }, 'embeds.0'],
    [{ username: '' }, 'username'],
    [{ avatar_url: 'https://example.com/a.png' }, ''],
    [{ embeds: [{ url: 'javascript:alert(1)' }] }, 'embeds.0.url'],
    [{ embeds: [{ color: 0x1_00_00_00 }] }, 'embeds.0.color'],
    [{ embeds: Array.from({ length: 11 }, () => ({})) }, 'embeds'],
    [{ content: 'x' }, ''],
  ])('refuse %j at its path', (given, path) => {
    const { error } = definition.options.safeParse(given);
    expect(error!.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  });
});
