// After a lost answer of Threads: the container proves whether the post is public, and a list names it.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { hostMedia } from '../../../support/media/hosted-media.ts';
import { createImage } from '../../../support/media/target-media.ts';
import { startThreads } from '../../../support/networks/threads/connected.ts';

type Network = Awaited<ReturnType<typeof startThreads>>;

const prepared = (network: Network, change = {}) => network.prepare(network.target(change));

describe('by its container', () => {
  test('a post is absent until the container is published', async () => {
    await using network = await startThreads();
    const target = await prepared(network);
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
    const published = await network.commit(target);
    expect(await network.reconcile(target)).toEqual(published);
  });

  test('a reply is looked for among the replies', async () => {
    await using network = await startThreads();
    const replyTo = network.server.addPost('Hello');
    const target = await prepared(network, { replyTo });
    const published = await network.commit(target);
    network.server.calls.length = 0;
    expect(await network.reconcile(target)).toEqual(published);
    expect(network.server.calls.at(-1)).toBe('GET /v1.0/me/replies');
  });

  test('a post is public without an ID if two posts can be it', async () => {
    await using network = await startThreads();
    const target = await prepared(network, { caption: 'Hello #world' });
    await network.commit(target);
    network.server.addPost('Hello world');
    expect(await network.reconcile(target)).toEqual({
      outcome: 'published',
      published: { externalId: null, url: null, visibility: null },
    });
  });

  test('a reply is public without an ID if the login may not list replies', async () => {
    await using network = await startThreads();
    const replyTo = network.server.addPost('Hello');
    const scopes = ['threads_basic', 'threads_content_publish', 'threads_manage_replies'];
    const access_token = network.server.logins.createToken(scopes);
    const target = await prepared(network, { replyTo, credentials: { access_token } });
    await network.commit(target);
    expect(await network.reconcile(target)).toMatchObject({
      outcome: 'published',
      published: { externalId: null },
    });
  }, 15_000);

  test('a post that is not listed yet is waited for', async () => {
    await using network = await startThreads();
    network.server.lag.list = 1;
    const target = await prepared(network);
    const published = await network.commit(target);
    expect(await network.reconcile(target)).toEqual(published);
  }, 15_000);

  test('nothing is sure while Threads does not know the container', async () => {
    await using network = await startThreads();
    const target = await prepared(network);
    network.server.containers[0]!.hiddenReads = 1;
    expect(await refusal(network.reconcile(target))).toMatchObject({ kind: 'unavailable' });
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
  });

  test('a post is looked for if its container has expired', async () => {
    await using network = await startThreads();
    const target = await prepared(network);
    network.server.logins.pass(25 * 3_600_000);
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
    const id = network.server.addPost(target.caption);
    expect(await network.reconcile(target)).toMatchObject({ published: { externalId: id } });
  });
});

describe('without its container', () => {
  test('a post is found by its text and its media', async () => {
    await using network = await startThreads();
    const media = [await hostMedia(await createImage()), await hostMedia(await createImage())];
    const target = await prepared(network, { caption: 'Two pictures', media });
    network.server.addPost('Two pictures');
    const published = await network.commit(target);
    expect(await network.reconcile({ ...target, state: {} })).toEqual(published);
    const other = { ...target, state: {}, media: media.slice(1) };
    expect(await network.reconcile(other)).toEqual({ outcome: 'absent' });
  });

  test('an older post is not taken for the post', async () => {
    await using network = await startThreads();
    network.server.addPost('Hello', Date.now() - 600_000);
    expect(await network.reconcile(network.target())).toEqual({ outcome: 'absent' });
  });

  test('two equal posts, or one without text, prove nothing', async () => {
    await using network = await startThreads();
    network.server.addPost('Hello');
    network.server.addPost('Hello');
    expect(await network.reconcile(network.target())).toEqual({ outcome: 'unknown' });
    const media = [await hostMedia(await createImage())];
    const target = await prepared(network, { caption: '', media });
    await network.commit(target);
    expect(await network.reconcile({ ...target, state: {} })).toEqual({ outcome: 'unknown' });
  });

  test('a post is found behind many others', async () => {
    await using network = await startThreads();
    const published = await network.commit(await prepared(network, { caption: 'First' }));
    for (let i = 0; i < 220; i++) network.server.addPost(`No. ${i}`);
    network.server.calls.length = 0;
    expect(await network.reconcile(network.target({ caption: 'First' }))).toEqual(published);
    expect(network.server.calls).toHaveLength(4);
  });

  test('nothing is sure after more posts than an account makes in a day', async () => {
    await using network = await startThreads();
    for (let i = 0; i < 510; i++) network.server.addPost(`No. ${i}`);
    expect(await network.reconcile(network.target())).toEqual({ outcome: 'unknown' });
  });

  test('a list is complete if it has no next page and no odd row', async () => {
    await using network = await startThreads();
    const next = 'https://graph.threads.net/next';
    const search = async (...answers: object[]) => {
      network.server.answers.push(...answers.map((answer) => Response.json(answer)));
      return (await network.reconcile(network.target())).outcome;
    };
    expect(await search({ data: [], paging: { next } })).toBe('unknown');
    const named = { data: [], paging: { next, cursors: { after: '1' } } };
    expect(await search(named, { data: [] })).toBe('absent');
    expect(await search({ data: [{ id: 'x' }] })).toBe('unknown');
  });
});
