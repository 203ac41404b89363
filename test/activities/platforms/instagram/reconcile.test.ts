// After a lost answer of Instagram: the container proves whether the post is public, and a list names it.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import {
  dayMs,
  hostJpeg,
  hostVideo,
  startInstagram,
} from '../../../support/networks/instagram/connected.ts';

type Network = Awaited<ReturnType<typeof startInstagram>>;

const prepared = (network: Network, change = {}) => network.prepare(network.target(change));
const publicWithoutId = {
  outcome: 'published',
  published: { externalId: null, url: null, visibility: null },
};

describe('by its container', () => {
  test('a post is absent until the container is published', async () => {
    await using network = await startInstagram();
    const target = await prepared(network);
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
    const published = await network.commit(target);
    expect(await network.reconcile(target)).toEqual(published);
  });

  test.each([
    ['a reel', () => hostVideo(), {}],
    ['a story', () => hostJpeg(), { placement: 'story' }],
    ['a story of a video', () => hostVideo(), { placement: 'story' }],
  ])('%s is found among its kind', async (_, host, platformOptions) => {
    await using network = await startInstagram();
    network.server.addPost('Hello');
    const target = await prepared(network, { media: [await host()], platformOptions });
    const published = await network.commit(target);
    expect(await network.reconcile(target)).toEqual(published);
  });

  test('a post is public without an ID if two posts can be it', async () => {
    await using network = await startInstagram();
    const target = await prepared(network, { caption: 'Hello' });
    await network.commit(target);
    network.server.addPost('Hello ');
    expect(await network.reconcile(target)).toEqual(publicWithoutId);
  });

  test('a post that is not listed yet is waited for', async () => {
    await using network = await startInstagram();
    network.server.lag.list = 1;
    const target = await prepared(network);
    const published = await network.commit(target);
    expect(await network.reconcile(target)).toEqual(published);
  }, 15_000);

  test('a post that is never listed is public without an ID', async () => {
    await using network = await startInstagram();
    network.server.lag.list = 10;
    const target = await prepared(network);
    await network.commit(target);
    expect(await network.reconcile(target)).toEqual(publicWithoutId);
  }, 15_000);

  test('a post is public without an ID if the login may not list posts', async () => {
    await using network = await startInstagram();
    const target = await prepared(network);
    network.server.answers.push(
      Response.json({ status_code: 'PUBLISHED' }),
      Response.json({ error: { code: 10 } }, { status: 403 }),
    );
    expect(await network.reconcile(target)).toEqual(publicWithoutId);
  });

  test('nothing is sure while Instagram is busy with the container', async () => {
    await using network = await startInstagram();
    const target = await prepared(network);
    network.server.containers[0]!.readsLeft = 2;
    const busy = {
      kind: 'unavailable',
      message: 'Instagram is still busy with the container.',
    };
    expect(await refusal(network.reconcile(target))).toMatchObject(busy);
    const late = { ...target, state: { ...target.state, finishedAt: Date.now() - 301_000 } };
    expect(await refusal(network.commit(late))).toMatchObject(busy);
    expect(await network.commit(late)).toMatchObject({ outcome: 'published' });
  });

  test('nothing is sure while Instagram does not know the container', async () => {
    await using network = await startInstagram();
    const target = await prepared(network);
    network.server.containers[0]!.hiddenReads = 1;
    expect(await refusal(network.reconcile(target))).toMatchObject({ kind: 'unavailable' });
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
  });

  test('a post is looked for if its container has expired', async () => {
    await using network = await startInstagram();
    const target = await prepared(network);
    network.server.logins.pass(dayMs + 3_600_000);
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
    const id = network.server.addPost(target.caption);
    expect(await network.reconcile(target)).toMatchObject({ published: { externalId: id } });
  });
});

describe('without its container', () => {
  test('a post is found by its caption and its media', async () => {
    await using network = await startInstagram();
    const media = [await hostJpeg(), await hostVideo()];
    const target = await prepared(network, { caption: 'Two', media });
    network.server.addPost('Two');
    const published = await network.commit(target);
    expect(await network.reconcile({ ...target, state: {} })).toEqual(published);
    const other = { ...target, state: {}, media: media.slice(1) };
    expect(await network.reconcile(other)).toEqual({ outcome: 'absent' });
  });

  test('an older post is not taken for the post', async () => {
    await using network = await startInstagram();
    network.server.addPost('Hello', Date.now() - 600_000);
    expect(await network.reconcile(network.target())).toEqual({ outcome: 'absent' });
  });

  test('two equal posts, or one without a caption, prove nothing', async () => {
    await using network = await startInstagram();
    network.server.addPost('Hello');
    network.server.addPost('Hello');
    expect(await network.reconcile(network.target())).toEqual({ outcome: 'unknown' });
    const target = await prepared(network, { caption: '' });
    await network.commit(target);
    expect(await network.reconcile({ ...target, state: {} })).toEqual({ outcome: 'unknown' });
  });

  test('a post is found behind many others', async () => {
    await using network = await startInstagram();
    const published = await network.commit(await prepared(network, { caption: 'First' }));
    for (let i = 0; i < 220; i++) network.server.addPost(`No. ${i}`);
    network.server.calls.length = 0;
    expect(await network.reconcile(network.target({ caption: 'First' }))).toEqual(published);
    expect(network.server.calls).toHaveLength(3);
  });

  test('nothing is sure after more posts than Fanfare reads', async () => {
    await using network = await startInstagram();
    for (let i = 0; i < 510; i++) network.server.addPost(`No. ${i}`);
    expect(await network.reconcile(network.target())).toEqual({ outcome: 'unknown' });
  });

  test('a list is complete if it has no next page and no odd row', async () => {
    await using network = await startInstagram();
    const next = 'https://graph.instagram.com/next';
    const search = async (...answers: object[]) => {
      network.server.answers.push(...answers.map((answer) => Response.json(answer)));
      return (await network.reconcile(network.target())).outcome;
    };
    expect(await search({ data: [], paging: { next } })).toBe('unknown');
    const named = { data: [], paging: { next, cursors: { after: '1' } } };
    expect(await search(named, { data: [] })).toBe('absent');
    expect(await search({ data: [{ id: '1' }] })).toBe('unknown');
    expect(await search({ data: [{ id: '1', timestamp: 'today' }] })).toBe('unknown');
  });
});

describe('a comment', () => {
  const comment = (network: Network, replyTo: string) =>
    network.target({ caption: 'First!', media: [], replyTo });

  test('is found under its post', async () => {
    await using network = await startInstagram();
    const target = comment(network, network.server.addPost('Hello'));
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
    const published = await network.commit(target);
    expect(await network.reconcile(target)).toEqual(published);
  });

  test('is an unknown outcome if its author has an ID that may be another ID of the account', async () => {
    await using network = await startInstagram();
    const target = comment(network, network.server.addPost('Hello'));
    network.server.addComment(target.replyTo!, 'Second!');
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
    await network.commit(target);
    network.server.comments.at(-1)!.by = network.server.scopedId;
    expect(await network.reconcile(target)).toEqual({ outcome: 'unknown' });
  });

  test('is an unknown outcome if it is there twice', async () => {
    await using network = await startInstagram();
    const target = comment(network, network.server.addPost('Hello'));
    await network.commit(target);
    await network.commit(target);
    expect(await network.reconcile(target)).toEqual({ outcome: 'unknown' });
  });
});
