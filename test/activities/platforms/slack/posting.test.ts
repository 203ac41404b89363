// What a post becomes at Slack: its text, its options, its thread, its URL.
import { describe, expect, test } from 'vitest';
import { checkText } from '../../../../activities/platforms/text-rules.ts';
import { slack } from '../../../../schema/platforms/slack.ts';
import { startSlack } from '../../../support/networks/slack/connected.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';

const section = { type: 'section', text: { type: 'mrkdwn', text: '*Hi* <@U0123456789>' } };

const sections = (length: number) => Array.from({ length }, () => section);

describe('text', () => {
  test('shows as it was written', async () => {
    await using network = await startSlack();
    await network.publish({ caption: 'a < b & c > d: *no* &amp; <!channel>' });
    const [message] = network.server.messages;
    expect(message).toMatchObject({
      text: 'a &lt; b &amp; c &gt; d: *no* &amp;amp; &lt;!channel&gt;',
      options: { mrkdwn: false },
    });
    expect(network.server.listPosts()[0]!.text).toBe('a < b & c > d: *no* &amp; <!channel>');
  });

  test('is sent unchanged if it is mrkdwn', async () => {
    await using network = await startSlack();
    const caption = '*bold* <https://example.com|link> &amp; <@U0123456789>';
    await network.publish({ caption, platformOptions: { mrkdwn: true } });
    const [message] = network.server.messages;
    expect(message).toMatchObject({ text: caption, options: { mrkdwn: true } });
  });

  test.each([
    ['a', 4_000, {}],
    ['🎺', 4_000, {}],
    ['&', 800, {}],
    ['<', 1_000, {}],
    ['&', 4_000, { mrkdwn: true }],
  ])('may repeat %s %i times, and no more', async (character, times, platformOptions) => {
    const check = (text: string) =>
      checkText(slack, text, { path: ['caption'], options: platformOptions });
    expect(check(character.repeat(times))).toEqual([]);
    expect(check(character.repeat(times + 1))).toMatchObject([{ code: 'caption_too_long' }]);
    await using network = await startSlack();
    await network.publish({ caption: character.repeat(times), platformOptions });
    expect(network.server.messages).toHaveLength(1);
  });
});

describe('options', () => {
  test('reach Slack', async () => {
    await using network = await startSlack();
    const given = {
      blocks: [section, { type: 'divider' }],
      unfurl_links: false,
      unfurl_media: true,
    };
    await network.publish({ platformOptions: slack.options.parse(given) });
    expect(network.server.messages[0]!.options).toEqual({ mrkdwn: false, ...given });
  });

  test.each([
    [{ blocks: sections(50) }, true],
    [{ blocks: sections(51) }, false],
    [{ blocks: [] }, false],
    [{ blocks: [{ text: 'no type' }] }, false],
    [{ blocks: ['section'] }, false],
    [{ blocks: [{ ...section, note: 'x'.repeat(50_000) }] }, false],
    [{ attachments: [] }, false],
    [{ mrkdwn: 'yes' }, false],
  ])('%# are checked before anything is sent', (given, isTaken) => {
    expect(slack.options.safeParse(given).success).toBe(isTaken);
  });
});

describe('a post', () => {
  test('has the id and the URL that Slack gives it', async () => {
    await using network = await startSlack();
    const root = await network.publish();
    const reply = await network.publish({ replyTo: root.externalId });
    expect(root.externalId).toMatch(slack.rules.replies.id);
    for (const { externalId, url, visibility } of [root, reply]) {
      expect(visibility).toBe('private');
      const query = { channel: network.server.channel, message_ts: externalId! };
      expect(network.server['chat.getPermalink'](query)).toMatchObject({ permalink: url });
    }
    expect(reply.url).toContain(`?thread_ts=${root.externalId}&cid=C0GENERAL1`);
  });

  test('contains nothing of Fanfare except the ID of its result', async () => {
    await using network = await startSlack();
    const target = network.target();
    await network.commit(target);
    expect(network.server.messages[0]!.metadata).toEqual({
      event_type: 'fanfare_post',
      event_payload: { result_id: target.resultId },
    });
  });
});

describe('replies', () => {
  test('all answer the post that starts their thread', async () => {
    await using network = await startSlack();
    const first = await network.publish({ caption: '1' });
    const second = await network.publish({ caption: '2', replyTo: first.externalId });
    const third = await network.publish({ caption: '3', replyTo: second.externalId });
    await network.publish({ caption: '4', replyTo: third.externalId });
    expect(network.server.listPosts().map(({ text, replyTo }) => [text, replyTo])).toEqual([
      ['1', null],
      ['2', first.externalId],
      ['3', first.externalId],
      ['4', first.externalId],
    ]);
  });

  test('find their thread again if the state is lost', async () => {
    await using network = await startSlack();
    const first = await network.publish();
    const second = await network.publish({ replyTo: first.externalId });
    await network.commit(network.target({ replyTo: second.externalId, state: {} }));
    expect(network.server.messages[2]!.thread_ts).toBe(first.externalId);
  });

  test('show in the channel too if they ask for it', async () => {
    await using network = await startSlack();
    const platformOptions = { reply_broadcast: true };
    const { externalId } = await network.publish({ platformOptions });
    await network.publish({ platformOptions, replyTo: externalId });
    const asked = network.server.messages.map(({ options }) => options['reply_broadcast']);
    expect(asked).toEqual([undefined, true]);
  });

  test('are refused before anything is sent if their parent is missing', async () => {
    await using network = await startSlack();
    const target = network.target({ replyTo: '1503435956.000247' });
    expect(await refusal(network.prepare(target))).toMatchObject({
      kind: 'rejected',
      message: 'Slack refused the request: message_not_found',
    });
    expect(network.server.messages).toEqual([]);
  });

  test('make an extra call only if the post is a reply', async () => {
    await using network = await startSlack();
    network.server.calls.length = 0;
    await network.publish();
    expect(network.server.calls).toEqual(['chat.postMessage']);
  });
});
