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
  test('posts to its channel, and notifies nobody but the users it names', async () => {
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

  test('replies to a message, and fails if that is gone', async () => {
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

  test('of replies exist for a bot, and not for a webhook', () => {
    expect(definition.rulesFor({ via: 'bot' }).replies).not.toBeNull();
    expect(definition.rulesFor({ via: 'webhook' }).replies).toBeNull();
  });

  const long = (characters: number) => '🎺'.repeat(characters);
  test.each([
    ['title', { title: long(256) }, { title: long(257) }],
    ['description', { description: long(4_096) }, { description: long(4_097) }],
    [
      'fields.0.name',
      { fields: [{ name: long(256), value: 'x' }] },
      { fields: [{ name: long(257), value: 'x' }] },
    ],
    [
      'fields.0.value',
      { fields: [{ name: 'x', value: long(1_024) }] },
      { fields: [{ name: 'x', value: long(1_025) }] },
    ],
    [
      'fields',
      { fields: Array.from({ length: 25 }, () => ({ name: 'x', value: 'x' })) },
      { fields: Array.from({ length: 26 }, () => ({ name: 'x', value: 'x' })) },
    ],
  ])('of an embed come from Discord: %s', async (name, allowed, over) => {
    await using started = await connected('webhook');
    const post = (embed: object) => {
      const platformOptions = definition.options.parse({ embeds: [embed] });
      return started.post('Hello', { platformOptions });
    };
    await post({ title: 'x', ...allowed });
    const error = await refusal(post(over));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '50035' } });
    expect(error.message).toMatch(new RegExp(`; embeds\\.0\\.${name}: Must be \\d+ or fewer`));
  });

  test('of all embeds together come from Discord: 6000 characters', async () => {
    await using started = await connected('webhook');
    const full = [
      { description: 'x'.repeat(4_000) },
      { title: 'xx', description: 'x'.repeat(1_998) },
    ];
    await started.post('Hello', { platformOptions: definition.options.parse({ embeds: full }) });
    const platformOptions = definition.options.parse({ embeds: [...full, { title: 'x' }] });
    expect(await refusal(started.post('Hello', { platformOptions }))).toMatchObject({
      message: expect.stringContaining('embeds: Embed size exceeds maximum size of 6000') as string,
    });
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
