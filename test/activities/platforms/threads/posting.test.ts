// A post to Threads: its container, its publish, and what a refusal of either means.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { startThreads } from '../../../support/networks/threads/connected.ts';
import { limited, notFound } from '../../../support/networks/threads/refusals.ts';

type Network = Awaited<ReturnType<typeof startThreads>>;

/** A target whose container is finished. */
const prepared = (network: Network, change = {}) => network.prepare(network.target(change));

describe('a text', () => {
  test('is a container that is finished before it is published', async () => {
    await using network = await startThreads();
    const outcome = await network.commit(await prepared(network, { caption: 'Hello' }));
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

  test('saves its container before the next call', async () => {
    await using network = await startThreads();
    const target = network.target();
    const step = await network.prepareStep(target);
    const [container] = network.server.containers;
    expect(step).toMatchObject({
      outcome: 'more',
      waitMs: 0,
      state: { post: { id: container!.id } },
    });
    const next = await network.prepareStep({ ...target, state: step.state });
    expect(next.outcome).toBe('prepared');
    expect(network.server.containers).toHaveLength(1);
  });

  test('goes out as it was written, with its options', async () => {
    await using network = await startThreads();
    const caption = 'Tabs & spaces? 100% ää 😀\nhttps://example.com/?a=1&b=2';
    const platformOptions = {
      reply_control: 'followers_only',
      topic_tag: 'Tabs',
      poll: { options: ['Tabs', 'Spaces', 'Both'] },
    };
    await network.commit(await prepared(network, { caption, platformOptions }));
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

  test('waits until Threads knows the post that it replies to', async () => {
    await using network = await startThreads();
    network.server.lag.post = 1;
    const replyTo = network.server.addPost('Hello');
    const target = network.target({ replyTo });
    const early = await refusal(network.prepareStep(target));
    expect(early).toMatchObject({ kind: 'unavailable', options: { platformCode: '100' } });
    await network.commit(await network.prepare(target));
    expect(network.server.listPosts()[1]).toMatchObject({ replyTo });
  });
});

describe('the wait for a container', () => {
  test('grows, up to a minute', async () => {
    await using network = await startThreads();
    network.server.readsUntilFinished.TEXT = 9;
    const waits: number[] = [];
    let target = network.target();
    for (let outcome = 'more'; outcome === 'more';) {
      const step = await network.prepareStep(target);
      if (step.outcome === 'more') waits.push(step.waitMs);
      target = { ...target, state: step.state };
      ({ outcome } = step);
    }
    expect(waits).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  test('includes the time in which Threads does not know it', async () => {
    await using network = await startThreads();
    network.server.lag.container = 2;
    await prepared(network);
    expect(network.server.containers).toHaveLength(1);
  });

  test('ends with another container if Threads has dropped it', async () => {
    await using network = await startThreads();
    const target = network.target();
    const { state } = await network.prepareStep(target);
    network.server.logins.pass(25 * 3_600_000);
    const step = await network.prepareStep({ ...target, state });
    expect(step).toMatchObject({ outcome: 'more', waitMs: 1_000, state: { replaced: 1 } });
    await network.prepare({ ...target, state: step.state });
    expect(network.server.containers).toHaveLength(2);
  });
});

describe('the quota', () => {
  test('stops a post before its container', async () => {
    await using network = await startThreads();
    network.server.quota.posts = 250;
    const error = await refusal(network.prepareStep(network.target()));
    expect(error).toMatchObject({
      kind: 'rate_limited',
      message: 'Threads accepts 250 posts of an account in 24 hours, and all are used.',
      options: { isOutOfQuota: true },
    });
    expect(network.server.containers).toEqual([]);
  });

  test('counts replies apart from posts', async () => {
    await using network = await startThreads();
    const replyTo = network.server.addPost('Hello');
    network.server.quota = { posts: 250, replies: 0 };
    await network.commit(await prepared(network, { replyTo }));
    network.server.quota.replies = 1_000;
    const error = await refusal(network.prepareStep(network.target({ replyTo })));
    expect(error).toMatchObject({ kind: 'rate_limited' });
    expect(error.message).toContain('1000 replies');
  });

  test('stops the publish if it is used up after the preparation', async () => {
    await using network = await startThreads();
    const target = await prepared(network);
    network.server.quota.posts = 250;
    expect(await refusal(network.commit(target))).toMatchObject({
      kind: 'rate_limited',
      options: { platformCode: 'quota', isOutOfQuota: true },
    });
    network.server.quota.posts = 249;
    expect(await network.commit(target)).toMatchObject({ outcome: 'published' });
  });

  test('is not to blame for a refusal as long as posts are left', async () => {
    await using network = await startThreads();
    const target = await prepared(network);
    network.server.answers.push(limited().toResponse());
    const error = await refusal(network.commit(target));
    expect(error).toMatchObject({
      kind: 'rate_limited',
      options: { platformCode: '613/4279002' },
    });
    expect(error.options.isOutOfQuota).toBeUndefined();
  });
});

describe('a publish', () => {
  test('is not repeated if Threads carries it out but reports an error', async () => {
    await using network = await startThreads();
    network.server.publishFaults.push('lies');
    const target = await prepared(network);
    expect(await refusal(network.commit(target))).toMatchObject({
      kind: 'unknown_outcome',
      options: { platformCode: '10' },
    });
    expect(await network.reconcile(target)).toMatchObject({
      outcome: 'published',
      published: { externalId: network.server.posts[0]!.id },
    });
    expect(network.server.posts).toHaveLength(1);
  });

  test('makes no second post if the container is public', async () => {
    await using network = await startThreads();
    const target = await prepared(network);
    await network.commit(target);
    const error = await refusal(network.commit(target));
    expect(error).toMatchObject({
      kind: 'unknown_outcome',
      message: 'Threads says that the container is public.',
    });
    expect(network.server.posts).toHaveLength(1);
  });

  test('is repeated with the same container if Threads does not find the container at once', async () => {
    await using network = await startThreads();
    network.server.publishFaults.push('loses');
    const target = await prepared(network);
    expect(await refusal(network.commit(target))).toMatchObject({
      kind: 'unavailable',
      options: { platformCode: '24/4279009' },
    });
    expect(await network.commit(target)).toMatchObject({ outcome: 'published' });
    expect(network.server.containers).toHaveLength(1);
  });

  test('needs a new container if Threads does not find the container for minutes', async () => {
    await using network = await startThreads();
    network.server.publishFaults.push('loses');
    const { state, ...target } = await prepared(network);
    const late = { ...target, state: { ...state, finishedAt: Date.now() - 180_000 } };
    expect(await network.commit(late)).toEqual({ outcome: 'stale' });
  });

  test('needs no new container if Threads finds the old one after all', async () => {
    await using network = await startThreads();
    const { state, ...target } = await prepared(network);
    const [container] = network.server.containers;
    const { id } = container!;
    container!.postId = '17900000000000001';
    network.server.answers.push(
      notFound(id).toResponse(),
      Response.json({ id, status: 'FINISHED' }),
    );
    const late = { ...target, state: { ...state, finishedAt: Date.now() - 180_000 } };
    expect(await refusal(network.commit(late))).toMatchObject({ kind: 'unknown_outcome' });
  });

  test('needs a new container if its container has expired', async () => {
    await using network = await startThreads();
    const target = await prepared(network);
    network.server.logins.pass(25 * 3_600_000);
    expect(await network.commit(target)).toEqual({ outcome: 'stale' });
    expect(network.server.posts).toEqual([]);
  });

  test('reads the container again after five minutes', async () => {
    await using network = await startThreads();
    const { state, ...target } = await prepared(network);
    const late = { ...target, state: { ...state, finishedAt: Date.now() - 301_000 } };
    network.server.calls.length = 0;
    expect(await network.commit(late)).toMatchObject({ outcome: 'published' });
    const calls = network.server.calls.map((call) => call.replace(/\d{17}/, 'ID'));
    expect(calls).toEqual(['GET /v1.0/ID', 'POST /v1.0/me/threads_publish', 'GET /v1.0/ID']);
    expect(await refusal(network.commit(late))).toMatchObject({ kind: 'unknown_outcome' });
    expect(network.server.posts).toHaveLength(1);
    network.server.calls.length = 0;
    const gone = { ...late, state: { ...late.state, post: { id: '1', madeAt: 0 } } };
    expect(await network.commit(gone)).toEqual({ outcome: 'stale' });
    expect(network.server.calls).toEqual(['GET /v1.0/1']);
  });

  test('needs a new container if it has none, and makes no call', async () => {
    await using network = await startThreads();
    expect(await network.commit(network.target())).toEqual({ outcome: 'stale' });
    expect(network.server.calls).toEqual([]);
  });

  test('waits for its address, and is published without one', async () => {
    await using network = await startThreads();
    network.server.lag.post = 1;
    expect(await network.commit(await prepared(network))).toMatchObject({
      published: { url: expect.stringContaining('/post/') as string },
    });
    const target = await prepared(network);
    // The first answer is that of the publish.
    network.server.answers.push(
      Response.json({ id: '17900000000000001' }),
      Response.json({ id: '17900000000000001' }),
    );
    expect(await network.commit(target)).toEqual({
      outcome: 'published',
      published: { externalId: '17900000000000001', url: null, visibility: null },
    });
    network.server.answers.push(
      Response.json({ id: '17900000000000001' }),
      new Response('<html>', { status: 500 }),
    );
    expect(await network.commit(target)).toMatchObject({ published: { url: null } });
  });
});
