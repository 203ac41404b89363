// A text to Threads: its calls and its options, and replies.
import { expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startThreads } from '../../../support/networks/threads/connected.ts';

test('a text is a container that is finished before it is published', async () => {
  await using network = await startThreads();
  const outcome = await network.publish(network.target({ caption: 'Hello' }));
  expect(network.server.calls).toEqual([
    'GET /v1.0/me/threads_publishing_limit',
    'POST /v1.0/me/threads',
    expect.stringMatching(/^GET \/v1\.0\/\d+$/),
    'POST /v1.0/me/threads_publish',
    expect.stringMatching(/^GET \/v1\.0\/\d+$/),
  ]);
  const [post] = network.server.posts;
  expect(outcome).toEqual({
    outcome: 'published',
    published: {
      externalId: post!.id,
      url: expect.stringMatching(/^https:\/\/www\.threads\.com\/@ada\/post\//) as string,
      visibility: null,
    },
  });
  expect(post!.id).not.toBe(post!.container.id);
});

test('a text goes out as it was written, with its options', async () => {
  await using network = await startThreads();
  const caption = 'Tabs & spaces? 100% ää 😀\nhttps://example.com/?a=1&b=2';
  const platformOptions = {
    reply_control: 'followers_only',
    topic_tag: 'Tabs',
    poll: { options: ['Tabs', 'Spaces', 'Both'] },
  };
  await network.publish(network.target({ caption, platformOptions }));
  expect(network.server.listPosts()).toMatchObject([
    {
      text: caption,
      options: {
        reply_control: 'followers_only',
        topic_tag: 'Tabs',
        poll_attachment: { option_a: 'Tabs', option_b: 'Spaces', option_c: 'Both' },
      },
    },
  ]);
});

test('a reply waits until Threads knows the post that it replies to', async () => {
  await using network = await startThreads();
  network.server.lag.post = 1;
  const replyTo = network.server.addPost('Hello');
  const target = network.target({ replyTo });
  const early = await refusal(network.prepareStep(target));
  expect(early).toMatchObject({ kind: 'unavailable', options: { platformCode: '100' } });
  await network.publish(target);
  expect(network.server.listPosts()[1]).toMatchObject({ replyTo });
});

test('the quota counts replies apart from posts', async () => {
  await using network = await startThreads();
  const replyTo = network.server.addPost('Hello');
  network.server.quota = { posts: 250, replies: 0 };
  await network.publish(network.target({ replyTo }));
  network.server.quota.replies = 1_000;
  const error = await refusal(network.prepareStep(network.target({ replyTo })));
  expect(error).toMatchObject({ kind: 'rate_limited' });
  expect(error.message).toContain('1000 replies');
});
