// After a lost answer of Facebook: the IDs of photos and videos prove a post, and a text shows it.
import { describe, expect, test } from 'vitest';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { startFacebook } from '../../../support/networks/facebook/connected.ts';

type Network = Awaited<ReturnType<typeof startFacebook>>;

const upright = { width: 1_080, height: 1_920 };
const absent = { outcome: 'absent' };
const unknown = { outcome: 'unknown' };

const prepared = (network: Network, change: Partial<Target> = {}) =>
  network.prepare(network.target(change));

describe('a text', () => {
  test('is found among the posts since it was due', async () => {
    await using network = await startFacebook();
    const target = network.target();
    expect(await network.reconcile(target)).toEqual(absent);
    const published = await network.commit(target);
    network.server.addPost('Other');
    expect(await network.reconcile(target)).toEqual(published);
    expect(await network.reconcile(network.target({ caption: 'Hel' }))).toEqual(absent);
  });

  test('is taken to be the oldest of equal posts since it was due', async () => {
    await using network = await startFacebook();
    network.server.addPost('Hello', Date.now() - 600_000);
    expect(await network.reconcile(network.target())).toEqual(absent);
    const first = network.server.addPost('Hello', Date.now() - 2_000);
    network.server.addPost('Hello');
    expect(await network.reconcile(network.target())).toMatchObject({
      published: { externalId: first },
    });
  });

  test('is found if its attachment is a link and no photo', async () => {
    await using network = await startFacebook();
    const target = network.target({ platformOptions: { link: 'https://example.com' } });
    const published = await network.commit(target);
    expect(await network.reconcile(target)).toEqual(published);
  });

  test('is found behind many other posts', async () => {
    await using network = await startFacebook();
    const target = network.target({ caption: 'First' });
    const published = await network.commit(target);
    for (let i = 0; i < 220; i++) network.server.addPost(`No. ${i}`);
    network.server.calls.length = 0;
    expect(await network.reconcile(target)).toEqual(published);
    expect(network.server.calls).toHaveLength(3);
  });

  test('is unknown if there are too many other posts', async () => {
    await using network = await startFacebook();
    for (let i = 0; i < 510; i++) network.server.addPost(`No. ${i}`);
    expect(await network.reconcile(network.target())).toEqual(unknown);
  });

  test('is unknown if a list has a next page but no cursor, or an invalid row', async () => {
    await using network = await startFacebook();
    const next = 'https://graph.facebook.com/next';
    const search = async (...answers: object[]) => {
      network.server.answers.push(...answers.map((answer) => Response.json(answer)));
      return network.reconcile(network.target());
    };
    expect(await search({ data: [], paging: { next } })).toEqual(unknown);
    const named = { data: [], paging: { next, cursors: { after: '1' } } };
    expect(await search(named, { data: [] })).toEqual(absent);
    expect(await search({ data: [{ id: '1', message: 'Hello' }] })).toEqual(unknown);
    expect(await search({ data: [{ id: '1', created_time: 'today' }] })).toEqual(unknown);
  });

  test('is not looked for if Facebook refuses to list posts', async () => {
    await using network = await startFacebook();
    const scopes = ['pages_manage_posts'];
    const token = network.server.logins.createToken('102030405060708', scopes);
    const credentials = { page_token_102030405060708: token };
    const error = await refusal(network.reconcile(network.target({ credentials })));
    expect(error).toMatchObject({ kind: 'rejected', options: { platformCode: '283' } });
  });
});

describe('photos', () => {
  test('are found by their IDs, even if the text was edited', async () => {
    await using network = await startFacebook();
    const media = [await createImage(), await createImage()];
    const target = await prepared(network, { caption: 'Two', media });
    network.server.addPost('Two');
    expect(await network.reconcile(target)).toEqual(absent);
    const published = await network.commit(target);
    network.server.posts.at(-1)!.message = 'Edited';
    expect(await network.reconcile(target)).toEqual(published);
  });

  test('prove nothing if an equal post has photos with other IDs', async () => {
    await using network = await startFacebook();
    const target = await prepared(network, { media: [await createImage()] });
    await network.commit(target);
    const [post] = network.server.posts;
    post!.photos = post!.photos.map((photo) => ({ ...photo, id: '77' }));
    expect(await network.reconcile(target)).toEqual(unknown);
  });

  test('are recognized by their IDs if the files can not be read', async () => {
    await using network = await startFacebook();
    for (const platformOptions of [{}, { placement: 'story' }]) {
      const target = await prepared(network, { media: [await createImage()], platformOptions });
      const published = await network.commit(target);
      expect(await network.reconcile({ ...target, media: [] })).toEqual(published);
    }
  });

  test('are recognized by the text and their number if their IDs are lost', async () => {
    await using network = await startFacebook();
    const media = [await createImage(), await createImage()];
    const target = await prepared(network, { caption: 'Two', media });
    network.server.addPost('Two');
    const published = await network.commit(target);
    expect(await network.reconcile({ ...target, state: {} })).toEqual(published);
    const one = { ...target, state: {}, media: media.slice(1) };
    expect(await network.reconcile(one)).toEqual(absent);
  });
});

describe('a video', () => {
  test.each([
    ['in the feed', {}],
    ['as a reel', upright],
  ])('%s is recognized by its status', async (_, size) => {
    await using network = await startFacebook();
    const target = await prepared(network, { media: [createVideo(size)] });
    expect(await network.reconcile(target)).toEqual(absent);
    const outcome = await network.commit(target);
    expect(await refusal(network.reconcile(target))).toMatchObject({
      kind: 'unavailable',
      message: 'Facebook is still processing the video.',
    });
    const { state } = outcome as { state: Target['state'] };
    expect(await network.reconcile(target)).toEqual(await network.confirm(target, state));
  });

  test('is pending while it is processed, whatever its phases say', async () => {
    await using network = await startFacebook();
    const target = await prepared(network, { media: [createVideo(upright)] });
    const phase = { status: 'not_started' };
    const status = {
      video_status: 'processing',
      uploading_phase: { status: 'complete' },
      processing_phase: phase,
      publishing_phase: phase,
    };
    const wanted = { ...status, publishing_phase: { ...phase, publish_status: 'published' } };
    for (const each of [status, wanted]) {
      network.server.answers.push(Response.json({ status: each }));
      expect(await refusal(network.reconcile(target))).toMatchObject({ kind: 'unavailable' });
    }
    const failed = { ...status, processing_phase: { ...phase, error: { message: 'No.' } } };
    network.server.answers.push(Response.json({ status: failed }));
    expect(await network.reconcile(target)).toEqual(absent);
  });

  test('is absent if Facebook failed to process it', async () => {
    await using network = await startFacebook();
    const failure = { code: 1363128, message: 'Too short.' };
    Object.assign(network.server.videos.switches, { failures: [failure], readsUntilPublic: 0 });
    const target = await prepared(network, { media: [createVideo(upright)] });
    await network.commit(target);
    expect(await network.reconcile(target)).toEqual(absent);
  });

  test('is looked for by its text if its ID is lost', async () => {
    await using network = await startFacebook();
    const reel = await prepared(network, { caption: 'A reel', media: [createVideo(upright)] });
    const video = await prepared(network, { caption: 'A film', media: [createVideo()] });
    for (const target of [reel, video]) {
      const { state } = (await network.commit(target)) as { state: Target['state'] };
      await network.confirm(target, state);
    }
    const [reelId, videoId] = network.server.videos.all.map(({ id }) => id);
    expect(await network.reconcile({ ...reel, state: {} })).toMatchObject({
      published: { externalId: reelId },
    });
    expect(await network.reconcile({ ...video, state: {} })).toMatchObject({
      published: { externalId: `102030405060708_${videoId}` },
    });
    expect(await network.reconcile({ ...reel, state: {}, caption: 'Other' })).toEqual(absent);
    network.server.videos.all[0]!.description = '';
    expect(await network.reconcile({ ...reel, state: {}, caption: '' })).toEqual(unknown);
  });

  test('is looked for in the lists if Facebook does not know its ID', async () => {
    await using network = await startFacebook();
    const target = await prepared(network, { media: [createVideo(upright)] });
    network.server.videos.all.length = 0;
    expect(await network.reconcile(target)).toEqual(absent);
  });
});

describe('a story', () => {
  const platformOptions = { placement: 'story' };

  test('is recognized by its ID if it shows a photo', async () => {
    await using network = await startFacebook();
    const target = await prepared(network, { media: [await createImage()], platformOptions });
    network.server.addStory('1');
    expect(await network.reconcile(target)).toEqual(absent);
    const published = await network.commit(target);
    expect(await network.reconcile(target)).toEqual(published);
  });

  test('is recognized by its ID if it shows a video, and gets the ID of its post', async () => {
    await using network = await startFacebook();
    const target = await prepared(network, { media: [createVideo(upright)], platformOptions });
    await network.commit(target);
    await refusal(network.reconcile(target));
    const { postId } = network.server.stories[0]!;
    expect(await network.reconcile(target)).toMatchObject({ published: { externalId: postId } });
  });

  test('is absent if it has no ID, and the page has no story', async () => {
    await using network = await startFacebook();
    const target = network.target({ media: [await createImage()], platformOptions });
    expect(await network.reconcile(target)).toEqual(absent);
    network.server.addStory('1');
    expect(await network.reconcile(target)).toEqual(unknown);
  });
});

describe('a comment', () => {
  test('is found below its post, among the comments of the page', async () => {
    await using network = await startFacebook();
    const replyTo = network.server.addPost('Hello');
    const target = network.target({ caption: 'First', replyTo });
    expect(await network.reconcile(target)).toEqual(absent);
    const published = await network.commit(target);
    expect(await network.reconcile(target)).toEqual(published);
    network.server.comments[0]!.page = '102030405060709';
    network.server.logins.pages.push({ id: '102030405060709', name: 'Other', tasks: [] });
    expect(await network.reconcile(target)).toEqual(absent);
  });
});
