// Posts of a page: texts, links, photos and comments, and what a refusal of each means.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { startFacebook } from '../../../support/networks/facebook/connected.ts';

describe('a text', () => {
  test('takes one call, and gets the URL of its post', async () => {
    await using network = await startFacebook();
    const outcome = await network.commit(network.target());
    const [post] = network.server.posts;
    expect(network.server.calls).toEqual([`POST /v25.0/${post!.page}/feed`]);
    expect(outcome).toEqual({
      outcome: 'published',
      published: {
        externalId: post!.id,
        url: `https://www.facebook.com/${post!.id}`,
        visibility: 'public',
      },
    });
    expect(post!.id).toMatch(/^102030405060708_\d+$/);
  });

  test('is sent as it was written, except for half of a surrogate pair', async () => {
    await using network = await startFacebook();
    const caption = 'Tabs & spaces? 100% ää 😀\nhttps://example.com/?a=1&b=2';
    await network.commit(network.target({ caption }));
    await network.commit(network.target({ caption: 'a\ud83d' }));
    expect(network.server.posts.map(({ message }) => message)).toEqual([caption, 'a\ufffd']);
  });

  test('can have a link', async () => {
    await using network = await startFacebook();
    await network.commit(network.target({ platformOptions: { link: 'https://example.com/ä' } }));
    expect(network.server.posts).toMatchObject([
      { message: 'Hello', link: 'https://example.com/%C3%A4' },
    ]);
  });

  test("is refused with an explanation if the page's last post has the same text", async () => {
    await using network = await startFacebook();
    network.server.addPost('Hello', Date.now() - 600_000);
    const error = await refusal(network.commit(network.target()));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '506/1455006' } });
    expect(error.message).toContain('Duplicate Status Update');
    expect(error.message).toContain("The text is the same as that of the page's last post.");
    expect(network.server.posts).toHaveLength(1);
  });

  test('that the first call published is found when Facebook refuses the second call', async () => {
    await using network = await startFacebook();
    const target = network.target();
    const published = await network.commit(target);
    expect(await network.commit(target)).toEqual(published);
    expect(network.server.posts).toHaveLength(1);
  });

  test('needs a new login if its page has no token', async () => {
    await using network = await startFacebook();
    const error = await refusal(network.commit(network.target({ externalAccountId: '1' })));
    expect(error).toMatchObject({ kind: 'reauthorize', options: { isRevoked: true } });
    expect(network.server.calls).toEqual([]);
  });

  test('is refused, and keeps the login, if the user may no longer post to the page', async () => {
    await using network = await startFacebook();
    network.server.logins.pages[0]!.tasks = ['ANALYZE'];
    const error = await refusal(network.commit(network.target()));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '200' } });
    network.server.logins.endAll(492);
    const lost = await refusal(network.commit(network.target()));
    expect(lost).toMatchObject({ kind: 'rejected', options: { platformCode: '190/492' } });
    expect(lost.message).toContain('two-factor authentication');
  });
});

describe('photos', () => {
  test('are uploaded one by one, with their alt texts, before their post', async () => {
    await using network = await startFacebook();
    const media = [await createImage(), await createImage({ altText: null })];
    const target = network.target({ caption: 'Two', media });
    const first = await network.prepareStep(target);
    const [photo] = network.server.photos;
    expect(first).toMatchObject({ outcome: 'more', state: { photos: [photo!.id] }, waitMs: 0 });
    const second = await network.prepareStep({ ...target, state: first.state });
    expect(second.outcome).toBe('prepared');
    expect(network.server.posts).toEqual([]);
    await network.commit({ ...target, state: second.state });
    expect(network.server.photos.map(({ altText }) => altText)).toEqual(['Noise', undefined]);
    expect(network.server.listPosts()).toMatchObject([
      { text: 'Two', media: media.map(({ sha256 }) => sha256) },
    ]);
  });

  test('need no text', async () => {
    await using network = await startFacebook();
    const media = [await createImage({ contentType: 'image/jpeg' })];
    await network.publish({ caption: '', media });
    expect(network.server.posts).toMatchObject([{ message: '' }]);
  });

  test('that have arrived are not uploaded again after a failure', async () => {
    await using network = await startFacebook();
    const media = [await createImage(), await createImage()];
    const target = network.target({ media });
    const { state } = await network.prepareStep(target);
    network.server.answers.push(network.server.refuse('unavailable'));
    expect(await refusal(network.prepareStep({ ...target, state }))).toMatchObject({
      kind: 'unavailable',
    });
    await network.prepare({ ...target, state });
    expect(network.server.photos).toHaveLength(2);
  });

  test('are uploaded again if their IDs are lost', async () => {
    await using network = await startFacebook();
    const target = network.target({ media: [await createImage()] });
    expect(await network.commit(target)).toEqual({ outcome: 'stale' });
    expect(network.server.calls).toEqual([]);
  });

  test('are uploaded again if they wait for a day', async () => {
    await using network = await startFacebook();
    const target = await network.prepare(network.target({ media: [await createImage()] }));
    const state = { ...target.state, madeAt: Date.now() - 24 * 3_600_000 };
    expect(await network.commit({ ...target, state })).toEqual({ outcome: 'stale' });
    const again = await network.prepareStep({ ...target, state });
    expect(again).toMatchObject({
      outcome: 'prepared',
      state: { photos: [network.server.photos[1]!.id] },
    });
    expect(await network.commit({ ...target, state: again.state })).toMatchObject({
      outcome: 'published',
    });
  });

  test('are refused for good if their bytes are a video', async () => {
    await using network = await startFacebook();
    const wrong = { ...(await createImage()), open: createVideo().open };
    const bytes = createVideo().bytes;
    const error = await refusal(network.prepare(network.target({ media: [{ ...wrong, bytes }] })));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '100/1366046' } });
    expect(error.message).toContain('An image must be a JPEG or a PNG of less than 4 MB.');
  });

  test('are one photo in a story, and its URL comes from the list of stories', async () => {
    await using network = await startFacebook();
    const image = await createImage();
    const platformOptions = { placement: 'story' };
    const outcome = await network.publish({ media: [image], platformOptions });
    const [story] = network.server.stories;
    // Longer than JSON's numbers are exact.
    expect(Number.isSafeInteger(Number(story!.postId))).toBe(false);
    expect(outcome).toEqual({
      outcome: 'published',
      published: {
        externalId: story!.postId,
        url: `https://facebook.com/stories/${story!.postId}`,
        visibility: 'public',
      },
    });
    expect(network.server.posts).toEqual([]);
    expect(network.server.listPosts()).toMatchObject([{ text: '', media: [image.sha256] }]);
  });
});

test.each(['reel', 'story'])('a %s without media is refused', async (placement) => {
  await using network = await startFacebook();
  const error = await refusal(network.commit(network.target({ platformOptions: { placement } })));
  expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: 'media_required' } });
  expect(network.server.calls).toEqual([]);
});

describe('a comment', () => {
  test('is posted under its post, on behalf of the page', async () => {
    await using network = await startFacebook();
    const replyTo = network.server.addPost('Hello');
    const outcome = await network.commit(network.target({ caption: 'First', replyTo }));
    const [comment] = network.server.comments;
    expect(outcome).toMatchObject({ published: { externalId: comment!.id } });
    expect(comment).toMatchObject({ parent: replyTo, message: 'First' });
  });

  test('can go to a reel', async () => {
    await using network = await startFacebook();
    const reel = createVideo({ width: 1_080, height: 1_920 });
    const outcome = await network.publish({ caption: 'Look', media: [reel] });
    const replyTo = (outcome as { published: { externalId: string } }).published.externalId;
    await network.commit(network.target({ caption: 'First', replyTo }));
    expect(network.server.comments).toMatchObject([{ parent: replyTo }]);
  });

  test('is refused if the login lacks the permission for comments', async () => {
    await using network = await startFacebook();
    const replyTo = network.server.addPost('Hello');
    const scopes = ['pages_read_engagement', 'pages_manage_posts'];
    const token = network.server.logins.createToken('102030405060708', scopes);
    const credentials = { page_token_102030405060708: token };
    const error = await refusal(network.commit(network.target({ replyTo, credentials })));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '200' } });
  });

  test('is refused with an explanation if its post is gone', async () => {
    await using network = await startFacebook();
    const error = await refusal(network.commit(network.target({ replyTo: '1_2' })));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '100/33' } });
    expect(error.message).toContain('The object was deleted, or the login may not see it.');
  });
});
