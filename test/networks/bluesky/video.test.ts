// Videos on Bluesky: by the video service for its own servers, directly elsewhere, within the server's limit.
import { afterAll, describe, expect, test } from 'vitest';
import { createBluesky } from '../../../activities/platforms/bluesky/index.ts';
import type { Platform, Target, TargetMedia } from '../../../activities/platforms/platform.ts';
import { bluesky as definition } from '../../../schema/platforms/bluesky.ts';
import { startApp } from '../../support/app/app.ts';
import { refusal } from '../../support/checks/platform-refusal.ts';
import { createVideo } from '../../support/media/target-media.ts';
import {
  startVideoService,
  type VideoService,
  type VideoServiceOptions,
} from '../../support/networks/bluesky/video-service.ts';
import { formOf, toConnection, type Connection } from '../../support/networks/connection.ts';
import { prepareTarget, targetOf } from '../../support/networks/target.ts';
import { loginOf } from '../../support/rows/grants.ts';
import { connectByConsent } from '../../support/servers/bluesky-consent.ts';
import { txtOf } from '../../support/servers/bluesky-identity.ts';
import { startBlueskyPds } from '../../support/servers/bluesky-pds.ts';

// Before the tests are collected, so that a machine that can't have it skips them by name.
const started = await startBlueskyPds();
if ('skipped' in started) console.warn(`No Bluesky server here: ${started.skipped}`);
const pds = 'skipped' in started ? undefined : started;
afterAll(() => pds?.stop());

const signal = AbortSignal.timeout(120_000);
const password = 'correct-horse-battery';
/** The test server takes files of this size. */
const limit = 5 * 1_048_576;
let accountCount = 0;

/** `hostedDomain`: the test server belongs to Bluesky. */
function connectorFor({ url: videoUrl }: { url: string }, hostedDomain = 'localhost'): Platform {
  const { url: apiUrl, plcUrl } = pds!;
  return createBluesky({ fetch, apiUrl, plcUrl, videoUrl, hostedDomain, lookUpTxt: txtOf({}) });
}

function createAccount() {
  return pds!.createAccount(`video${++accountCount}.test`, password);
}

async function connect(bluesky: Platform): Promise<Connection> {
  const { handle, appPassword } = await createAccount();
  return formOf(bluesky).run({ handle, app_password: appPassword }, signal);
}

interface Uploaded extends AsyncDisposable {
  service: VideoService;
  bluesky: Platform;
  target: Target;
  video: TargetMedia;
}

async function start(options?: VideoServiceOptions): Promise<Uploaded> {
  const service = await startVideoService(pds!, options);
  const bluesky = connectorFor(service);
  const video = createVideo({ altText: 'A parade' });
  const target = targetOf(await connect(bluesky), { media: [video] });
  return {
    service,
    bluesky,
    video,
    target,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

async function bytesOf(media: TargetMedia): Promise<Buffer> {
  return Buffer.from(await new Response(media.open()).arrayBuffer());
}

/** Publishes the prepared target. Returns the bytes of its video at the account's server. */
async function readPublished(bluesky: Platform, target: Target): Promise<Buffer> {
  const outcome = await bluesky.commit(target, signal);
  expect(outcome).toMatchObject({ outcome: 'published' });
  const { embed } = target.state['record'] as {
    embed: { $type: string; alt: string; video: { ref: { $link: string } } };
  };
  expect(embed).toMatchObject({ $type: 'app.bsky.embed.video', alt: 'A parade' });
  const query = { did: target.externalAccountId, cid: embed.video.ref.$link };
  const blob = await fetch(
    `${pds!.url}/xrpc/com.atproto.sync.getBlob?${new URLSearchParams(query).toString()}`,
  );
  return Buffer.from(await blob.arrayBuffer());
}

describe.skipIf(!pds).concurrent("a video of an account on Bluesky's own servers", () => {
  test.each([{ isWrapped: false }, { isWrapped: true }])(
    'is the file that the video service made of it (%j)',
    async (options) => {
      await using network = await start(options);
      const { service, bluesky, target, video } = network;
      const ready = { ...target, state: await prepareTarget(bluesky, target, signal) };
      expect(service.calls).toEqual([
        'getUploadLimits',
        'uploadVideo',
        'getJobStatus',
        'getJobStatus',
        'getJobStatus',
      ]);
      const stored = await readPublished(bluesky, ready);
      expect(stored.equals(service.process(await bytesOf(video)))).toBe(true);
    },
  );

  test('waits between the checks of its job', async () => {
    await using network = await start();
    const { bluesky, target } = network;
    const uploaded = await bluesky.prepare!(target, signal);
    expect(uploaded).toEqual({
      outcome: 'more',
      state: { blobs: [], job: expect.any(String) },
      waitMs: 2_000,
    });
    expect(await bluesky.prepare!({ ...target, state: uploaded.state }, signal)).toEqual(uploaded);
  });

  test('is found again if it was uploaded before', async () => {
    await using network = await start();
    const { service, bluesky, target } = network;
    const first = await prepareTarget(bluesky, target, signal);
    service.calls.length = 0;
    const again = await prepareTarget(bluesky, target, signal);
    expect(again).toEqual(first);
    expect(service.calls).toEqual(['getUploadLimits', 'uploadVideo', 'getJobStatus']);
  });

  test('is uploaded with a login of the consent page too', async () => {
    await using service = await startVideoService(pds!);
    const bluesky = connectorFor(service);
    const { handle } = await createAccount();
    const { grant } = await connectByConsent(bluesky, { handle, password });
    const connection = toConnection(grant);
    expect(connection.traits).toEqual({ blob_upload_limit: limit, video_service: true });
    const target = targetOf(connection, { media: [createVideo({ altText: 'A parade' })] });
    const ready = { ...target, state: await prepareTarget(bluesky, target, signal) };
    await readPublished(bluesky, ready);
  });

  test.each(['validation_failure', 'pds_upload_failure'])(
    'is refused if its processing ends with %s',
    async (failureCode) => {
      await using network = await start({ failure: { failureCode, message: 'No video track.' } });
      expect(await refusal(prepareTarget(network.bluesky, network.target, signal))).toMatchObject({
        kind: 'rejected',
        message: 'Bluesky could not process the video: No video track.',
        options: { platformCode: failureCode },
      });
    },
  );

  test('is not uploaded while the email address is unverified', async () => {
    const message = 'Please confirm your email address.';
    await using network = await start({
      limits: { canUpload: false, error: 'unconfirmed_email', message },
    });
    expect(await refusal(prepareTarget(network.bluesky, network.target, signal))).toMatchObject({
      kind: 'rejected',
      message: `Bluesky accepts no video of the account: ${message}`,
      options: { platformCode: 'unconfirmed_email' },
    });
    expect(network.service.calls).toEqual(['getUploadLimits']);
  });

  test.each([
    { canUpload: false, remainingDailyVideos: 0 },
    { canUpload: true, remainingDailyVideos: 3, remainingDailyBytes: 10 },
  ])('waits while the daily limit is used up: %j', async (limits) => {
    await using network = await start({ limits });
    expect(await refusal(prepareTarget(network.bluesky, network.target, signal))).toMatchObject({
      kind: 'rate_limited',
      options: { isOutOfQuota: true },
    });
  });

  test('may be larger than the files that the server takes', async () => {
    await using network = await start();
    const { traits } = network.target;
    expect(traits).toEqual({ blob_upload_limit: limit, video_service: true });
    const { media } = definition.rulesFor(traits);
    expect([media.video.maxBytes, media.image.maxBytes]).toEqual([300_000_000, 2_000_000]);
  });
});

describe.skipIf(!pds).concurrent('a video of another server', () => {
  test('is uploaded to the server itself', async () => {
    await using service = await startVideoService(pds!);
    const bluesky = connectorFor(service, 'host.bsky.network');
    const video = createVideo({ altText: 'A parade' });
    const target = targetOf(await connect(bluesky), { media: [video] });
    const ready = { ...target, state: await prepareTarget(bluesky, target, signal) };
    expect(service.calls).toEqual([]);
    expect((await readPublished(bluesky, ready)).equals(await bytesOf(video))).toBe(true);
  });

  test('must not be larger than the files that the server takes', async () => {
    const bluesky = connectorFor({ url: 'http://localhost:1' }, 'host.bsky.network');
    const { traits = {}, credentials } = await connect(bluesky);
    expect(traits).toEqual({ blob_upload_limit: limit });
    const { media } = definition.rulesFor(traits);
    expect([media.video.maxBytes, media.image.maxBytes]).toEqual([limit, 2_000_000]);
    expect(await bluesky.refresh!(loginOf(credentials), signal)).toMatchObject({ traits });
  });

  test('has the limit of its account in the API', async () => {
    await using app = await startApp({ env: pds!.env });
    const { handle, appPassword } = await createAccount();
    const credentials = { handle, app_password: appPassword };
    const body = { platform: 'bluesky', credentials };
    const { id } = (await app.api.post('/v1/accounts/connect', body)).body.data;
    const { data } = (await app.api.get(`/v1/accounts/${id}/capabilities`)).body;
    expect(data.media.video.max_bytes).toBe(limit);
  });
});

describe('the limit of a server', () => {
  test.each([
    [{}, 300_000_000, 2_000_000, 1_000_000],
    [{ blob_upload_limit: 900_000 }, 900_000, 900_000, 900_000],
    [{ blob_upload_limit: 900_000, video_service: true }, 300_000_000, 900_000, 900_000],
  ])('of the traits %j narrows the rules', (traits, video, image, linkCard) => {
    const { media } = definition.rulesFor(traits);
    expect([media.video.maxBytes, media.image.maxBytes, media.linkCard.maxBytes]).toEqual([
      video,
      image,
      linkCard,
    ]);
  });
});
