// The upload of a large video to TikTok in chunks, each of which is a step of its own.
import { describe, expect, test } from 'vitest';
import type { ProviderState, Target } from '../../../../activities/platforms/platform.ts';
import { toSource, Upload } from '../../../../activities/platforms/tiktok/upload.ts';
import { refusal } from '../../../support/checks/platform-refusal.ts';
import { forFile } from '../../../support/fixtures.ts';
import { createRandomFile, fileMedia } from '../../../support/media/target-media.ts';
import { startTikTok } from '../../../support/networks/tiktok/connected.ts';

const chunk = 5_242_880;
/** Three chunks, the last of which is larger. */
const bytes = 3 * chunk + 1_000;

const file = forFile(
  () => createRandomFile(bytes),
  (made) => made[Symbol.asyncDispose](),
);
const media = () => [fileMedia(file.path, { sha256: file.sha256 })];

type Started = Awaited<ReturnType<typeof startTikTok>>;

const uploadOf = (state: ProviderState) => Upload.parse(state['upload']);

/** Takes this many steps of the prepare. */
async function takeSteps({ prepareStep }: Started, target: Target, count: number): Promise<Target> {
  let { state } = target;
  for (let i = 0; i < count; i++) ({ state } = await prepareStep({ ...target, state }));
  return { ...target, state };
}

describe('chunks', () => {
  test.each([
    [1, 1, 1],
    [4_999_999, 4_999_999, 1],
    [5_000_000, 5_000_000, 1],
    [chunk, chunk, 1],
    [2 * chunk - 1, chunk, 1],
    [2 * chunk, chunk, 2],
    [4_000_000_000, chunk, 762],
  ])('of %i bytes have %i bytes each: %i', (size, chunk_size, total_chunk_count) => {
    expect(toSource(size)).toEqual({
      source: 'FILE_UPLOAD',
      video_size: size,
      chunk_size,
      total_chunk_count,
    });
  });

  test('are sent in order, and the last one has the rest and publishes the video', async () => {
    await using started = await startTikTok();
    const { network, target, prepare, commit } = started;
    const prepared = await prepare(target({ media: media() }));
    expect(uploadOf(prepared.state)).toMatchObject({ bytes, sentBytes: 2 * chunk });
    expect(network.listPosts()).toEqual([]);
    expect(network.publishings[0]!.upload!.held).toBe(2 * chunk);
    expect((await commit(prepared)).outcome).toBe('accepted');
    expect(network.listPosts()).toMatchObject([{ media: [file.sha256] }]);
  });

  test('are one step each, whose state is saved', async () => {
    await using started = await startTikTok();
    const { network, target, prepareStep } = started;
    const asked = target({ media: media() });
    const first = await prepareStep(asked);
    expect([first.outcome, network.calls.length]).toEqual(['more', 2]);
    expect(uploadOf(first.state).publishId).toBe(network.publishings[0]!.id);
    const second = await prepareStep({ ...asked, state: first.state });
    expect(second).toMatchObject({ outcome: 'more', state: { upload: { sentBytes: chunk } } });
    expect(network.calls.slice(2)).toEqual(['PUT /video/']);
  });
});

describe('a chunk whose answer was lost', () => {
  test('is not sent twice: TikTok says how much it has', async () => {
    await using started = await startTikTok();
    const { network, target } = started;
    const before = await takeSteps(started, target({ media: media() }), 2);
    await takeSteps(started, before, 1);
    const again = await started.prepareStep(before);
    expect(again).toMatchObject({
      outcome: 'prepared',
      state: { upload: { sentBytes: 2 * chunk } },
    });
    expect(network.calls.at(-1)).toBe('POST /v2/post/publish/status/fetch/');
    await started.commit({ ...before, state: again.state });
    expect(network.listPosts()).toMatchObject([{ media: [file.sha256] }]);
  });

  test('makes the upload begin again if TikTok has another part', async () => {
    await using started = await startTikTok();
    const begun = await takeSteps(started, started.target({ media: media() }), 1);
    await takeSteps(started, begun, 2);
    const again = await started.prepareStep(begun);
    expect(again.outcome).toBe('more');
    expect(again.state).not.toHaveProperty('upload');
  });

  test('of the last one is found by the status, so that the commit is not repeated', async () => {
    await using started = await startTikTok();
    const prepared = await started.prepare(started.target({ media: media() }));
    await started.commit(prepared);
    expect((await started.commit(prepared)).outcome).toBe('accepted');
    expect(started.network.listPosts()).toHaveLength(1);
  });
});

describe('a chunk that TikTok refuses', () => {
  const answerTo = (started: Started, status: number) => {
    started.network.intercept = ({ method }) =>
      method === 'PUT' ? Response.json({}, { status }) : undefined;
  };

  test.each([
    [400, 'rejected'],
    [429, 'rate_limited'],
    [500, 'unavailable'],
  ])('with %i is %s, and no address is shown', async (status, kind) => {
    await using started = await startTikTok();
    const begun = await takeSteps(started, started.target({ media: media() }), 1);
    answerTo(started, status);
    const error = await refusal(started.prepareStep(begun));
    expect(error.kind).toBe(kind);
    const { url } = uploadOf(begun.state);
    expect(JSON.stringify([error.message, error.options])).not.toContain(url);
    expect(started.network.listPosts()).toEqual([]);
  });

  test('leaves the outcome of the last one unknown if TikTok may have it', async () => {
    await using started = await startTikTok();
    const prepared = await started.prepare(started.target({ media: media() }));
    answerTo(started, 500);
    expect((await refusal(started.commit(prepared))).kind).toBe('unknown_outcome');
    started.network.intercept = () => undefined;
    expect(await started.reconcile(prepared)).toEqual({ outcome: 'absent' });
    expect((await started.commit(prepared)).outcome).toBe('accepted');
    expect(started.network.listPosts()).toHaveLength(1);
  });
});

describe('an upload that has ended', () => {
  test('begins again in the prepare', async () => {
    await using started = await startTikTok();
    const { network, prepare, commit } = started;
    const begun = await takeSteps(started, started.target({ media: media() }), 2);
    network.expireUploads();
    const prepared = await prepare(begun);
    expect(network.publishings).toHaveLength(2);
    expect((await commit(prepared)).outcome).toBe('accepted');
    expect(network.listPosts()).toHaveLength(1);
  });

  test('is stale in the commit, and nothing is published', async () => {
    await using started = await startTikTok();
    const prepared = await started.prepare(started.target({ media: media() }));
    started.network.expireUploads();
    expect(await started.commit(prepared)).toEqual({ outcome: 'stale' });
    expect(started.network.listPosts()).toEqual([]);
  });

  test('is known by its time, before TikTok refuses it', async () => {
    await using started = await startTikTok();
    const prepared = await started.prepare(started.target({ media: media() }));
    const calls = started.network.calls.length;
    const upload = { ...uploadOf(prepared.state), expiresAtMs: Date.now() + 30_000 };
    const old = { ...prepared, state: { ...prepared.state, upload } };
    expect(await started.commit(old)).toEqual({ outcome: 'stale' });
    expect(started.network.calls).toHaveLength(calls);
  });

  test('that failed at TikTok has its reason', async () => {
    await using started = await startTikTok((network) => {
      network.failsWith = 'frame_rate_check_failed';
    });
    const asked = started.target({ media: media() });
    const prepared = await started.prepare(asked);
    await started.commit(prepared);
    const error = await refusal(started.commit(prepared));
    expect(error).toMatchObject({
      kind: 'rejected',
      options: { platformCode: 'frame_rate_check_failed' },
    });
  });
});

test('an address elsewhere gets no bytes', async () => {
  await using started = await startTikTok();
  started.network.origin = 'https://tiktokapis.com.example';
  const begun = await takeSteps(started, started.target({ media: media() }), 1);
  const error = await refusal(started.prepareStep(begun));
  expect(error.message).toContain('not a host of TikTok');
});

test('the calls of a minute are limited', async () => {
  await using started = await startTikTok((network) => {
    network.hasLimits = true;
  });
  for (let i = 0; i < 6; i++) await takeSteps(started, started.target({ media: media() }), 1);
  const error = await refusal(started.prepareStep(started.target({ media: media() })));
  expect(error).toMatchObject({
    kind: 'rate_limited',
    options: { platformCode: 'rate_limit_exceeded' },
  });
});
