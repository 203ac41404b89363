// Videos of a page: in the feed, as reels and as stories, from their uploads to the time when they are public.
import { describe, expect, test } from 'vitest';
import type { PrepareOutcome, Target } from '../../../../activities/platforms/platform.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { createImage, createVideo } from '../../../support/media/target-media.ts';
import { startFacebook } from '../../../support/networks/facebook/connected.ts';

type Network = Awaited<ReturnType<typeof startFacebook>>;

const upright = { width: 1_080, height: 1_920 };
const story = { platformOptions: { placement: 'story' } };

/** The calls, with short names. */
const callsOf = ({ server }: Network) =>
  server.calls.map((call) =>
    call.replace('/v25.0', '').replaceAll(/\d{15,}/g, (id) => (id.length > 15 ? 'ID' : 'PAGE')),
  );

/** Takes steps until one matches. */
async function stepUntil(
  network: Network,
  target: Target,
  isThere: (step: PrepareOutcome) => boolean,
): Promise<PrepareOutcome> {
  for (let { state } = target; ;) {
    const step = await network.prepareStep({ ...target, state });
    if (isThere(step)) return step;
    state = step.state;
  }
}

describe('a video in the feed', () => {
  test('is sent in the ranges that Facebook asks for, and polled until it is public', async () => {
    await using network = await startFacebook();
    const video = createVideo();
    const outcome = await network.publish({ caption: 'Look', media: [video] });
    expect(callsOf(network)).toEqual([
      'POST /PAGE/videos start',
      'POST /PAGE/videos transfer',
      'POST /PAGE/videos transfer',
      'POST /PAGE/videos transfer',
      'POST /PAGE/videos finish',
      'GET /ID',
      'GET /ID',
    ]);
    const [stored] = network.server.videos.all;
    expect(outcome).toEqual({
      outcome: 'published',
      published: {
        externalId: stored!.id,
        url: `https://www.facebook.com/${stored!.id}`,
        visibility: 'public',
      },
    });
    expect(network.server.listPosts()).toMatchObject([{ text: 'Look', media: [video.sha256] }]);
  });

  test('saves its ID before its bytes are sent', async () => {
    await using network = await startFacebook();
    const step = await network.prepareStep(network.target({ media: [createVideo()] }));
    const [stored] = network.server.videos.all;
    expect(step).toMatchObject({
      outcome: 'more',
      state: { video: { id: stored!.id, session: { id: stored!.session, start: 0, end: 400 } } },
    });
    expect(stored!.bytes).toHaveLength(0);
  });

  test('continues after a lost answer with the range that Facebook has not got', async () => {
    await using network = await startFacebook();
    const video = createVideo();
    const target = network.target({ media: [video] });
    const started = await network.prepareStep(target);
    // The first range arrives, and its answer is lost.
    await network.prepareStep({ ...target, state: started.state });
    await network.commit(await network.prepare({ ...target, state: started.state }));
    expect(network.server.listPosts()[0]!.media).toEqual([video.sha256]);
    expect(network.server.videos.all).toHaveLength(1);
  });

  test('is no reel if it is wide, or if the placement is the feed', async () => {
    await using network = await startFacebook();
    await network.publish({ media: [createVideo()] });
    await network.publish({
      caption: 'Upright',
      media: [createVideo(upright)],
      platformOptions: { placement: 'feed' },
    });
    expect(network.server.videos.all.map(({ edge }) => edge)).toEqual(['videos', 'videos']);
  });
});

describe('a reel', () => {
  test('is an upright video of 3 to 90 seconds', async () => {
    await using network = await startFacebook();
    const video = createVideo(upright);
    const outcome = await network.publish({ caption: 'Look', media: [video] });
    expect(callsOf(network)).toEqual([
      'POST /PAGE/video_reels start',
      'GET /ID',
      'POST /video-upload/ID',
      'POST /PAGE/video_reels finish',
      'GET /ID',
      'GET /ID',
    ]);
    const [stored] = network.server.videos.all;
    expect(outcome).toMatchObject({
      published: { externalId: stored!.id, url: `https://www.facebook.com/reel/${stored!.id}` },
    });
    expect(network.server.listPosts()).toMatchObject([
      { text: 'Look', media: [video.sha256], options: { placement: 'reel' } },
    ]);
  });

  test.each(['bytes_transfered', 'bytes_transferred'] as const)(
    'continues where its upload was cut, by %s',
    async (spelling) => {
      await using network = await startFacebook();
      Object.assign(network.server.videos.switches, { spelling, uploadFaults: ['cut'] });
      const video = createVideo(upright);
      const target = network.target({ media: [video] });
      const started = await network.prepareStep(target);
      const error = await refusal(network.prepareStep({ ...target, state: started.state }));
      expect(error).toMatchObject({
        kind: 'unavailable',
        options: { platformCode: 'PartialRequestError' },
      });
      const [stored] = network.server.videos.all;
      expect(stored!.bytes.length).toBe(video.bytes >> 1);
      await network.commit(await network.prepare({ ...target, state: started.state }));
      expect(network.server.listPosts()[0]!.media).toEqual([video.sha256]);
    },
  );

  test('begins its upload again if a repeat fails too', async () => {
    await using network = await startFacebook();
    network.server.videos.switches.uploadFaults.push('fails', 'fails');
    const target = network.target({ media: [createVideo(upright)] });
    await network.prepare(target);
    expect(network.server.videos.all.map(({ isUploaded }) => isUploaded)).toEqual([false, true]);
  });

  test('gives up an upload that fails again and again', async () => {
    await using network = await startFacebook();
    const { uploadFaults } = network.server.videos.switches;
    uploadFaults.push('unauthorized', 'fails', 'fails', 'fails');
    const target = network.target({ media: [createVideo(upright)] });
    expect(await refusal(network.prepare(target))).toMatchObject({
      kind: 'unavailable',
      options: { platformCode: 'ProcessingFailedError' },
    });
  });

  test('has the cover that the client chose', async () => {
    await using network = await startFacebook();
    const thumbnail = await createImage();
    await network.publish({ media: [createVideo({ ...upright, thumbnail })] });
    expect(network.server.videos.all[0]!.cover).toHaveLength(thumbnail.bytes);
  });

  test.each(['error', 'errors'] as const)(
    "fails with Facebook's reason if it can't be processed, in the form %s",
    async (failureForm) => {
      await using network = await startFacebook();
      const message = 'Resolution too low. Video must have a minimum resolution of 540p.';
      const failure = { code: 1363127, message };
      Object.assign(network.server.videos.switches, { failureForm, failures: [failure] });
      const error = await refusal(network.publish({ media: [createVideo(upright)] }));
      expect(error.kind).toBe('rejected');
      expect(error.message).toContain(`Facebook could not process the video: ${message}`);
      const isNamed = failureForm === 'errors';
      expect(error.options.platformCode).toBe(isNamed ? '1363127' : 'video_failed');
      expect(network.server.listPosts()).toEqual([]);
    },
  );

  test('is not sent to a foreign host', async () => {
    await using network = await startFacebook();
    const upload_url = 'https://rupload.facebook.com.example.com/video-upload/v25.0/1';
    network.server.answers.push(Response.json({ video_id: '1', upload_url }));
    const target = network.target({ media: [createVideo(upright)] });
    const started = await network.prepareStep(target);
    const status = { uploading_phase: { status: 'not_started' } };
    network.server.answers.push(Response.json({ id: '1', status }));
    const error = await refusal(network.prepareStep({ ...target, state: started.state }));
    expect(error.kind).toBe('rejected');
    expect(error.message).toContain('rupload.facebook.com.example.com');
  });

  test('hides the token that a refusal of its upload repeats', async () => {
    await using network = await startFacebook();
    const target = network.target({ media: [createVideo(upright)] });
    const token = Object.values(target.credentials)[0]!;
    const started = await network.prepareStep(target);
    const status = { uploading_phase: { status: 'not_started' } };
    const debug_info = { type: 'NotAuthorizedError', message: `Not with ${token}.` };
    network.server.answers.push(
      Response.json({ id: '1', status }),
      Response.json({ debug_info }, { status: 400 }),
    );
    const error = await refusal(network.prepareStep({ ...target, state: started.state }));
    expect(error.message).toContain('Not with [redacted].');
    expect(JSON.stringify(error.options)).not.toContain(token);
  });

  test('is prepared again if its upload is lost', async () => {
    await using network = await startFacebook();
    const target = network.target({ media: [createVideo(upright)] });
    expect(await network.commit(target)).toEqual({ outcome: 'stale' });
    const started = await network.prepareStep(target);
    expect(await network.commit({ ...target, state: started.state })).toEqual({
      outcome: 'stale',
    });
  });
});

describe('a story', () => {
  test('is finished only when its video is ready', async () => {
    await using network = await startFacebook();
    network.server.videos.switches.readsUntilReady = 2;
    const video = createVideo(upright);
    const target = network.target({ ...story, media: [video] });
    const waiting = await stepUntil(
      network,
      target,
      (step) => step.outcome === 'more' && step.waitMs > 0,
    );
    expect(waiting).toMatchObject({ waitMs: 2_000, state: { video: { isUploaded: true } } });
    const outcome = await network.publish({ ...story, media: [video] });
    const [made] = network.server.stories;
    expect(outcome).toMatchObject({
      published: {
        externalId: made!.postId,
        url: `https://facebook.com/stories/${made!.postId}`,
      },
    });
    expect(network.server.listPosts()).toMatchObject([
      { text: '', options: { placement: 'story' } },
    ]);
  });

  test('is public without an address if Facebook lists no stories', async () => {
    await using network = await startFacebook();
    const prepared = await network.prepare(
      network.target({ ...story, media: [createVideo(upright)] }),
    );
    const outcome = await network.commit(prepared);
    expect(outcome.outcome).toBe('accepted');
    const { state } = outcome as { state: Target['state'] };
    expect(state['postId']).toBe(network.server.stories[0]!.postId);
    network.server.videos.all[0]!.readsUntilPublic = 0;
    const status = { publishing_phase: { status: 'complete' } };
    network.server.answers.push(
      Response.json({ id: '1', status }),
      network.server.refuse('unavailable'),
    );
    expect(await network.confirm(prepared, state)).toMatchObject({
      published: { externalId: state['postId'], url: null },
    });
  });
});

test("a check that Facebook refuses doesn't fail the post", async () => {
  await using network = await startFacebook();
  const prepared = await network.prepare(network.target({ media: [createVideo(upright)] }));
  const { state } = (await network.commit(prepared)) as { state: Target['state'] };
  network.server.answers.push(network.server.refuse('rejected'));
  expect(await refusal(network.confirm(prepared, state))).toMatchObject({ kind: 'unavailable' });
});
