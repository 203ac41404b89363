// Whether a post is on Mastodon, when nobody knows: found among the account's own, without any state of ours.
import { describe, expect, test } from 'vitest';
import { connectNew } from '../../../support/networks/mastodon/connected.ts';

const minute = 60_000;

describe('a post that the server has', () => {
  test.each([
    ['with a mention and a link', 'Ask @bob@mastodon.example <b> https://example.com/a', {}],
    ['with spaces around it', '  Hello \n', {}],
    ['with a content warning', 'Hello', { spoiler_text: 'Loud' }],
    ['with a poll', 'Hello', { poll: { options: ['a', 'b'], expires_in: 300 } }],
    ['in no timeline', 'Hello', { visibility: 'unlisted' }],
    ['for followers', 'Hello', { visibility: 'private' }],
    ['for the mentioned accounts', 'Hello', { visibility: 'direct' }],
  ])('is found %s', async (_what, caption, platformOptions) => {
    const { network, commit, reconcile, targetOf } = await connectNew();
    const target = targetOf({ caption, platformOptions });
    const { published } = (await commit(target)) as { published: unknown };
    network.forgetKeys();
    expect(await reconcile(target)).toEqual({ outcome: 'published', published });
  });

  test.each([-30 * minute, 30 * minute])('is found if clocks differ by %i ms', async (aheadMs) => {
    const { commit, reconcile, targetOf } = await connectNew({ clockAheadMs: aheadMs });
    const target = targetOf();
    await commit(target);
    expect(await reconcile(target)).toMatchObject({ outcome: 'published' });
  });

  test('is found behind later posts', async () => {
    const { network, commit, reconcile, targetOf } = await connectNew();
    const target = targetOf();
    await commit(target);
    const [post] = network.listPosts();
    for (let i = 0; i < 38; i++) network.addStatus({ text: `Later ${i}`, replyTo: '7' });
    network.calls.length = 0;
    expect(await reconcile(target)).toMatchObject({ published: { externalId: post!.id } });
    expect(network.calls.map((path) => path.split('/').at(-1))).toEqual(['statuses', 'source']);
  });

  test('is found rather than a later post with the same text', async () => {
    const { network, commit, reconcile, targetOf } = await connectNew();
    const target = targetOf();
    await commit(target);
    network.addStatus({ text: target.caption });
    const [post] = network.listPosts();
    expect(await reconcile(target)).toMatchObject({ published: { externalId: post!.id } });
  });
});

describe('a post that is not at the server', () => {
  test.each([
    ['another text', { text: 'Hello!' }],
    ['an answer to another post', { replyTo: '7' }],
    ['another content warning', { options: { spoiler_text: 'Loud' } }],
    ['a poll', { options: { poll: { options: ['a', 'b'], expires_in: 300 } } }],
    ['the same text before it was due', { createdAt: Date.now() - minute }],
  ])('is not taken for %s', async (_what, other) => {
    const { network, reconcile, targetOf } = await connectNew();
    const target = targetOf();
    network.addStatus({ text: 'Hello', ...other });
    expect(await reconcile(target)).toEqual({ outcome: 'absent' });
  });

  test('is absent even if it was due long ago', async () => {
    const { network, reconcile, targetOf } = await connectNew();
    network.addStatus({ text: 'Hello', createdAt: Date.now() - 3 * minute });
    network.addStatus({ text: 'Later', createdAt: Date.now() - minute });
    const dueAt = new Date(Date.now() - 2 * minute);
    expect(await reconcile(targetOf({ dueAt }))).toEqual({ outcome: 'absent' });
  });
});

describe('the outcome stays unknown', () => {
  test('after the account has posted more than is listed', async () => {
    const { network, commit, reconcile, targetOf } = await connectNew();
    const target = targetOf();
    await commit(target);
    for (let i = 0; i < 40; i++) network.addStatus({ text: `Later ${i}`, replyTo: '7' });
    expect(await reconcile(target)).toEqual({ outcome: 'unknown' });
  });

  test('when a post that may be the lost one was edited', async () => {
    const { network, commit, reconcile, targetOf } = await connectNew();
    const target = targetOf();
    await commit(target);
    network.editStatus(network.listPosts()[0]!.id, 'Hello, all');
    expect(await reconcile(target)).toEqual({ outcome: 'unknown' });
  });
});
