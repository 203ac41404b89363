// An edit of a message at Slack: its text as it was written, in the same message.
import { describe, expect, test } from 'vitest';
import { slack as definition } from '../../../../schema/platforms/slack.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startSlack } from '../../../support/networks/slack/connected.ts';

const never = new AbortController().signal;
type Network = Awaited<ReturnType<typeof startSlack>>;

function edited(network: Network, externalId: string | null, change: object = {}) {
  const { resultId, ...target } = network.target();
  const more = { resultId, altTexts: [], publishedAt: null, changed: {}, ...change };
  return { ...target, ...more, externalId: externalId! };
}

const apply = ({ slack }: Network, post: ReturnType<typeof edited>) =>
  slack.edit!.apply(post, never);
const isApplied = ({ slack }: Network, post: ReturnType<typeof edited>) =>
  slack.edit!.isApplied!(post, never);

describe('an edit', () => {
  test('shows the text as it was written, and keeps what leads to the message', async () => {
    await using network = await startSlack();
    const { externalId } = await network.publish({ resultId: 'res_1' });
    const caption = '*no* <b> & https://example.com/a.';
    const post = edited(network, externalId, { caption, resultId: 'res_1' });
    expect(await isApplied(network, post)).toBe(false);
    await apply(network, post);
    expect(await isApplied(network, post)).toBe(true);
    const [message, ...others] = network.server.messages;
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      ts: externalId,
      text: '*no* &lt;b&gt; &amp; https://example.com/a.',
      metadata: { event_payload: { result_id: 'res_1' } },
      options: {
        blocks: [
          {
            type: 'rich_text',
            elements: [
              {
                type: 'rich_text_section',
                elements: [
                  { type: 'text', text: '*no* <b> & ' },
                  { type: 'link', url: 'https://example.com/a' },
                  { type: 'text', text: '.' },
                ],
              },
            ],
          },
        ],
      },
    });
  });

  test('of mrkdwn sends the text unchanged, without blocks', async () => {
    await using network = await startSlack();
    const platformOptions = { mrkdwn: true };
    const { externalId } = await network.publish({ platformOptions });
    const post = edited(network, externalId, { caption: '*bold* &amp; <@U1>', platformOptions });
    await apply(network, post);
    const [message] = network.server.messages;
    expect(message).toMatchObject({ text: '*bold* &amp; <@U1>', options: { mrkdwn: true } });
    expect(message!.options).not.toHaveProperty('blocks');
  });

  test('finds a message in a thread, also if Slack has marked its links', async () => {
    await using network = await startSlack();
    const { externalId: first } = await network.publish();
    await network.publish({ replyTo: first });
    const { externalId } = await network.publish({ replyTo: first });
    const post = edited(network, externalId, { caption: 'See https://example.com/a now' });
    await apply(network, post);
    const message = network.server.messages.find(({ ts }) => ts === externalId)!;
    message.text = 'See <https://example.com/a> now';
    expect(await isApplied(network, post)).toBe(true);
    message.text = 'See <https://example.com/b> now';
    expect(await isApplied(network, post)).toBe(false);
  });

  test('of a message that is gone says so', async () => {
    await using network = await startSlack();
    const post = edited(network, '1503435956.000247');
    for (const failed of [apply(network, post), isApplied(network, post)]) {
      expect((await refusal(failed)).options.failsAs).toBe('post_gone');
    }
  });

  test('of a message of another author is refused', async () => {
    await using network = await startSlack();
    const post = edited(network, network.server.say('Mine'));
    expect((await refusal(apply(network, post))).options.platformCode).toBe('cant_update_message');
  });
});

test.each([
  [{ mediaCount: 0, options: {} }, undefined],
  [{ mediaCount: 1, options: {} }, /without media/],
  [{ mediaCount: 0, options: { blocks: [] } }, /`blocks`/],
])('the rules refuse what an edit would lose: %j', (post, expected) => {
  const reason = definition.afterPublishing.edit.refuse({ isReply: false, ...post });
  if (expected) expect(reason).toMatch(expected);
  else expect(reason).toBeUndefined();
});
