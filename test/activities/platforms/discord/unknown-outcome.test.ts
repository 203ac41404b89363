// What became of a message to Discord whose answer was lost.
import { describe, expect, test } from 'vitest';
import { connected, never } from '../../../support/networks/discord/connected.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';

describe('a bot', () => {
  test('posts once when it repeats the message within minutes', async () => {
    await using started = await connected('bot');
    const { connector, discord, scripted, target } = started;
    const post = target('Hello');
    scripted.push('lost');
    expect(await refusal(connector.commit(post, never))).toMatchObject({ kind: 'unknown_outcome' });
    const again = await connector.commit(post, never);
    expect(discord.messages).toHaveLength(1);
    expect(again).toMatchObject({ published: { externalId: discord.messages[0]!.id } });
    // The nonce is no promise for longer.
    discord.skippedMs = 600_000;
    await connector.commit(post, never);
    expect(discord.messages).toHaveLength(2);
  });

  test.each([true, false])(
    'finds a lost message in the channel; the nonce is shown: %s',
    async (showsNonce) => {
      await using started = await connected('bot');
      const { connector, discord, target, post } = started;
      discord.showsNonce = showsNonce;
      const first = await post('Hello');
      const replyTo = first.outcome === 'published' ? first.published.externalId : '';
      const ours = target('  Hello\u200B *you*\n', { replyTo });
      await connector.commit(ours, never);
      discord.addMessage({ content: 'Hello *you*' });
      await post('Hello *you*');
      const { id } = discord.messages[1]!;
      expect(await connector.reconcile!({ ...ours, state: {} }, never)).toEqual({
        outcome: 'published',
        published: {
          externalId: id,
          url: `https://discord.com/channels/${discord.guildId}/${discord.channelId}/${id}`,
          visibility: 'private',
        },
      });
    },
  );

  test('distinguishes its own message from a message with another nonce', async () => {
    await using started = await connected('bot');
    const { connector, discord, target, post } = started;
    discord.showsNonce = true;
    await post('Hello');
    expect(await connector.reconcile!(target('Hello'), never)).toEqual({ outcome: 'absent' });
  });

  test('does not take an older message with the same text for the lost message', async () => {
    await using started = await connected('bot');
    const { connector, target, post } = started;
    await post('Hello');
    const later = target('Hello', { dueAt: new Date(Date.now() + 60_000) });
    expect(await connector.reconcile!(later, never)).toEqual({ outcome: 'absent' });
  });

  test('finds a lost message among a hundred, and returns unknown if there are more messages', async () => {
    await using started = await connected('bot');
    const { connector, discord, target } = started;
    const ours = target('Hello');
    const chatter = (count: number) => {
      for (let i = 0; i < count; i++) discord.addMessage({ content: 'Hello' });
    };
    chatter(99);
    expect(await connector.reconcile!(ours, never)).toEqual({ outcome: 'absent' });
    await connector.commit(ours, never);
    chatter(10);
    expect(await connector.reconcile!(ours, never)).toMatchObject({ outcome: 'published' });
    const other = target('Other', { dueAt: ours.dueAt });
    expect(await connector.reconcile!(other, never)).toEqual({ outcome: 'unknown' });
  });

  test('returns unknown for a history that it may not read', async () => {
    await using started = await connected('bot');
    const { connector, discord, target } = started;
    discord.channels.get(discord.channelId)!.canReadHistory = false;
    const ours = target('Hello');
    // Nothing was posted since.
    expect(await connector.reconcile!(ours, never)).toEqual({ outcome: 'absent' });
    await connector.commit(ours, never);
    expect(await connector.reconcile!(ours, never)).toEqual({ outcome: 'unknown' });
  });
});

describe('a webhook', () => {
  test('cannot check for a lost message', async () => {
    await using started = await connected('webhook');
    const { connector, discord, seen, target } = started;
    const before = seen.length;
    expect(await connector.reconcile!(target('Hello'), never)).toEqual({ outcome: 'unknown' });
    expect(seen).toHaveLength(before);
    expect(discord.messages).toEqual([]);
  });
});
