// Meta's own client and the connector make the same calls to Instagram, and the simulator answers both.
import { expect, test } from 'vitest';
import { createInstagram } from '../../../activities/platforms/instagram/index.ts';
import { parseJson } from '../../../activities/platforms/json-client.ts';
import type { ConsentMethod, Target } from '../../../activities/platforms/platform.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { driveWithSdk } from '../../support/judges/meta-sdk.ts';
import {
  findDifferent,
  isJson,
  recordCalls,
  type Call,
  type CallForm,
} from '../../support/judges/recorded-calls.ts';
import { hostVideo } from '../../support/media/hosted-media.ts';
import { giveConsent } from '../../support/networks/connection.ts';
import { createSwitchboard } from '../../support/networks/faults.ts';
import { startFaultyServer } from '../../support/networks/faulty-server.ts';
import { hostJpeg, instagramVariables } from '../../support/networks/instagram/connected.ts';
import { pageOf } from '../../support/networks/instagram/facebook-side.ts';
import { InstagramServer } from '../../support/networks/instagram/server.ts';
import { prepareTarget, targetOf } from '../../support/networks/target.ts';

const never = new AbortController().signal;

const form: CallForm = {
  isRecorded: (url) => url.includes('/graph.facebook.com/'),
  toPath: (path) => path.replaceAll(/\/179\d{14}/g, '/ID'),
  toParameter(name, value) {
    if (name === 'fields') return [name, String(value).split(',').toSorted().join()];
    if (name === 'children') {
      return [name, [value].flat().flatMap((each) => String(each).split(',')).length];
    }
    if (name === 'creation_id') return [name, 'ID'];
    return [name, isJson(value) ? parseJson(value) : value];
  },
};

test('the client and the connector make the same calls', async () => {
  const server = new InstagramServer();
  server.facebook.logins.businesses.push({ id: '77', name: 'Fanfare' });
  const calls: Call[] = [];
  const { url, close } = await startFaultyServer(
    recordCalls(server, calls, form),
    createSwitchboard(),
  );
  await using _ = { [Symbol.asyncDispose]: close };
  const { client } = server.facebook.logins;
  const { instagram: settings } = readConfig(instagramVariables(url)).platforms;
  const instagram = createInstagram({ ...settings, fetch });
  const app = { clientId: client.id, clientSecret: client.secret };
  const connect = [instagram.connect[1] as ConsentMethod];
  const { accounts, ...grant } = await giveConsent({ ...instagram, connect }, app, never);

  const [image, second, cover, video] = [
    await hostJpeg(),
    await hostJpeg(),
    await hostJpeg(),
    await hostVideo(),
  ];
  const publish = async (change: Partial<Target>) => {
    const target = targetOf({ ...accounts[0]!, ...grant }, change);
    const state = await prepareTarget(instagram, target, never);
    const outcome = await instagram.commit({ ...target, state }, never);
    expect(outcome).toMatchObject({ outcome: 'published' });
    return { target: { ...target, state }, outcome };
  };
  const { target, outcome } = await publish({
    caption: 'Hello #world',
    media: [image],
    platformOptions: {
      user_tags: [{ username: 'grace.hopper', x: 0.5, y: 0.25 }],
      location_id: '110774245616525',
      collaborators: ['alan'],
    },
  });
  await publish({ caption: 'Two', media: [image, video] });
  await publish({
    caption: 'A reel',
    media: [{ ...video, thumbnail: cover }],
    platformOptions: { share_to_feed: false, audio_name: 'Fanfare' },
  });
  const story = { media: [second], platformOptions: { placement: 'story' } };
  const { target: storyTarget } = await publish({ ...story, caption: '' });
  const replyTo = outcome.outcome === 'published' ? outcome.published.externalId : null;
  const comment = { ...target, media: [], caption: 'First!', replyTo };
  await instagram.commit(comment, never);
  for (const each of [comment, target, storyTarget]) await instagram.reconcile!(each, never);
  const own = calls.splice(0);

  const answers = await driveWithSdk('instagram.mjs', `${url}/graph.facebook.com`, {
    userToken: server.facebook.logins.createToken(),
    pageToken: server.facebook.logins.createToken(pageOf(server.user.id).id),
    account: server.user.id,
    business: '77',
    imageUrl: image.publicUrl(0),
    secondImageUrl: second.publicUrl(0),
    coverUrl: cover.publicUrl(0),
    videoUrl: video.publicUrl(0),
  });
  const refused = answers.filter(({ error }) => error);
  expect(refused.map(({ step, error }) => [step, error!.code, error!.subcode])).toEqual([
    ['image again', 9007, 2207027],
    ['unknown parameter', 100, undefined],
    ['no image', 9004, 2207052],
  ]);
  expect(server.listPosts().filter(({ replyTo: to }) => to === null)).toHaveLength(8);

  // Each call of the client that isn't refused on purpose has one of the connector that equals it.
  const theirs = calls.slice(0, -2);
  expect(findDifferent(theirs, own)).toEqual([]);
}, 120_000);
