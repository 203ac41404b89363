// Comments at LinkedIn: which accounts can write them, what they carry, and how a lost one is found.
import { describe, expect, test } from 'vitest';
import { linkedin as definition } from '../../../../schema/platforms/linkedin.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { pageUrn, startLinkedIn } from '../../../support/networks/linkedin/connected.ts';
import { commentScopes } from '../../../support/networks/linkedin/subject.ts';

const comments = { scopes: commentScopes };

describe('an account', () => {
  test.each([
    [['w_member_social_feed'], [{ comments: true }, undefined]],
    [['w_organization_social_feed'], [undefined, { comments: true }]],
    [commentScopes, [{ comments: true }, { comments: true }]],
    [[], [undefined, undefined]],
  ])('can comment if its login has the scope: %j', async (scopes, traits) => {
    await using network = await startLinkedIn({ scopes });
    const { accounts } = await network.logIn();
    expect(accounts.slice(0, 2).map((account) => account.traits)).toEqual(traits);
    const connected = [await network.connect(''), await network.connect()];
    expect(connected.map((account) => account.traits)).toEqual(traits);
  });

  test('takes replies and first comments only if it can comment', () => {
    expect(definition.rules.replies).toBeNull();
    expect(definition.rulesFor({}).replies).toBeNull();
    const { replies } = definition.rulesFor({ comments: true });
    expect(replies).toMatchObject({ areComments: true });
    expect(replies!.id.test(replies!.example)).toBe(true);
    expect(replies!.id.test('urn:li:comment:(urn:li:activity:1,2)')).toBe(false);
  });
});

describe('a comment', () => {
  test.each(['target', 'memberTarget'] as const)('of a %s is under its post', async (author) => {
    await using network = await startLinkedIn(comments);
    const post = await network.commit(network[author]());
    const [{ id: replyTo, given }] = network.server.posts as [(typeof network.server.posts)[0]];
    expect(post).toMatchObject({ published: { externalId: replyTo } });
    const outcome = await network.commit(network[author]({ caption: 'A (b) #c \ud83d', replyTo }));
    const [comment] = network.server.comments;
    expect(comment).toMatchObject({
      actor: given.author,
      object: replyTo,
      message: { text: 'A (b) #c \ufffd' },
    });
    expect(outcome).toMatchObject({
      outcome: 'published',
      published: { externalId: comment!.commentUrn, url: null, visibility: null },
    });
  });

  test('without the scope is refused in the words of LinkedIn', async () => {
    await using network = await startLinkedIn();
    const replyTo = network.server.addPost({});
    expect(await refusal(network.commit(network.target({ replyTo })))).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'ACCESS_DENIED', providerError: { status: 403 } },
    });
  });

  test('under a missing post is refused', async () => {
    await using network = await startLinkedIn(comments);
    const target = network.target({ replyTo: 'urn:li:share:1' });
    expect((await refusal(network.commit(target))).kind).toBe('rejected');
  });

  test('of a page is found after a lost answer', async () => {
    await using network = await startLinkedIn(comments);
    const replyTo = network.server.addPost({});
    const target = network.target({ caption: 'More', replyTo });
    expect(await network.reconcile(target)).toEqual({ outcome: 'absent' });
    const { throttle: _, ...published } = await network.commit(target);
    expect(await network.reconcile(target)).toEqual(published);
    await network.commit(target);
    expect(await network.reconcile(target)).toEqual({ outcome: 'unknown' });
  });

  test.each([
    ['memberTarget', commentScopes],
    ['target', ['w_organization_social_feed']],
  ] as const)('of a %s that may not read comments stays unknown', async (author, scopes) => {
    await using network = await startLinkedIn({ scopes });
    const replyTo = network.server.addPost({ author: pageUrn });
    const target = network[author]({ replyTo });
    expect(await network.reconcile(target)).toEqual({ outcome: 'unknown' });
  });
});

describe('the rules', () => {
  const { check } = definition.rulesFor({ comments: true });
  const post = { caption: 'a', media: [], options: {}, firstComment: null, isReply: false };
  const image = { kind: 'image', contentType: 'image/png', bytes: 1 } as const;

  test.each<[object, string[]]>([
    [{ firstComment: 'b'.repeat(1_250) }, []],
    [{ firstComment: 'b'.repeat(1_251) }, ['first_comment_too_long']],
    [{ isReply: true }, []],
    [{ isReply: true, caption: 'b'.repeat(1_251) }, ['caption_too_long']],
    [{ isReply: true, media: [image] }, ['media_not_supported']],
    [{ isReply: true, options: { disable_reshare: true } }, ['option_ignored']],
  ])('find %j', (change, codes) => {
    expect(check!({ ...post, ...change }).map(({ code }) => code)).toEqual(codes);
  });
});
