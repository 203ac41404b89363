// After a lost answer of Instagram: what its lists name.
import { describe, expect, test } from 'vitest';
import { hostVideo } from '../../../support/media/hosted-media.ts';
import { hostJpeg, startInstagram } from '../../../support/networks/instagram/connected.ts';
import { publicWithoutId } from '../../../support/networks/meta/lost-answer-cases.ts';

type Network = Awaited<ReturnType<typeof startInstagram>>;

test.each([
  ['a reel', () => hostVideo(), {}],
  ['a story', () => hostJpeg(), { placement: 'story' }],
  ['a story of a video', () => hostVideo(), { placement: 'story' }],
])("%s is found among the account's posts", async (_, host, platformOptions) => {
  await using network = await startInstagram();
  network.server.addPost('Hello');
  const media = [await host()];
  const target = await network.prepare(network.target({ media, platformOptions }));
  const published = await network.commit(target);
  expect(await network.reconcile(target)).toEqual(published);
});

test('a post is public without an ID if the login may not list posts', async () => {
  await using network = await startInstagram();
  const target = await network.prepare(network.target());
  network.server.answers.push(
    Response.json({ status_code: 'PUBLISHED' }),
    Response.json({ error: { code: 10 } }, { status: 403 }),
  );
  expect(await network.reconcile(target)).toEqual(publicWithoutId);
});

test.each([{ id: '1' }, { id: '1', timestamp: 'today' }])(
  'the outcome is unknown if a post has no valid time: %j',
  async (post) => {
    await using network = await startInstagram();
    network.server.answers.push(Response.json({ data: [post] }));
    expect(await network.reconcile(network.target())).toEqual({ outcome: 'unknown' });
  },
);

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

  test('has an unknown outcome if the ID of its author may be a second ID of the account', async () => {
    await using network = await startInstagram();
    const target = comment(network, network.server.addPost('Hello'));
    network.server.addComment(target.replyTo!, 'Second!');
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
    await network.commit(target);
    network.server.comments.at(-1)!.by = network.server.scopedId;
    expect(await network.reconcile(target)).toEqual({ outcome: 'unknown' });
  });

  test('has an unknown outcome if it is found twice', async () => {
    await using network = await startInstagram();
    const target = comment(network, network.server.addPost('Hello'));
    await network.commit(target);
    await network.commit(target);
    expect(await network.reconcile(target)).toEqual({ outcome: 'unknown' });
  });
});
