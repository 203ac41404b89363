// Meta's own client and the connector make the same calls to Facebook, and the simulator answers both.
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createFacebook } from '../../../activities/platforms/facebook/index.ts';
import { parseJson } from '../../../activities/platforms/json-client.ts';
import type { Target } from '../../../activities/platforms/platform.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { driveWithSdk } from '../../support/judges/meta-sdk.ts';
import {
  findDifferent,
  isJson,
  recordCalls,
  type Call,
  type CallForm,
} from '../../support/judges/recorded-calls.ts';
import { hostMedia } from '../../support/media/hosted-media.ts';
import { createImage, createVideo } from '../../support/media/target-media.ts';
import { giveConsent } from '../../support/networks/connection.ts';
import { facebookVariables } from '../../support/networks/facebook/connected.ts';
import { FacebookServer } from '../../support/networks/facebook/server.ts';
import { createSwitchboard } from '../../support/networks/faults.ts';
import { startFaultyServer } from '../../support/networks/faulty-server.ts';
import { prepareTarget, targetOf } from '../../support/networks/target.ts';

const never = new AbortController().signal;
const page = '102030405060708';
const business = '9001';

const form: CallForm = {
  isRecorded: (url) => !url.includes('/video-upload/') && !url.includes('/oauth'),
  toPath: (path) =>
    path
      .replace(`/${page}_`, '/PAGE_')
      // Once it has read the user, Meta's client names it by its ID.
      .replace(/^\/10207\d+\//, '/me/')
      .replaceAll(/\d{18}/g, 'ID'),
  toParameter(name, value) {
    // The client sends the address of an image instead of its bytes.
    if (name === 'url' || value instanceof Blob) return ['file', 'FILE'];
    if (name === 'since') return [name, 'TIME'];
    if (name === 'input_token') return [name, 'TOKEN'];
    const text = JSON.stringify(isJson(value) ? parseJson(value) : value);
    return [name, text.replaceAll(/"?\d{18}"?/g, 'ID')];
  },
};

test('the client and the connector make the same calls', async () => {
  const server = new FacebookServer();
  server.logins.businesses.push({ id: business, name: 'Acme' });
  server.videos.switches.readsUntilPublic = 0;
  const calls: Call[] = [];
  const { url, close } = await startFaultyServer(
    recordCalls(server, calls, form),
    createSwitchboard(),
  );
  await using _ = { [Symbol.asyncDispose]: close };
  const { facebook: settings } = readConfig(facebookVariables(url)).platforms;
  const facebook = createFacebook({ ...settings, fetch });
  const { client } = server.logins;
  const app = { clientId: client.id, clientSecret: client.secret };
  const { accounts, ...grant } = await giveConsent(facebook, app, never);

  const upright = { width: 1_080, height: 1_920 };
  const [image, film, reel] = [await createImage(), createVideo(), createVideo(upright)];
  const publish = async (change: Partial<Target>) => {
    const target = targetOf({ ...accounts[0]!, ...grant }, change);
    const state = target.media.length > 0 ? await prepareTarget(facebook, target, never) : {};
    const outcome = await facebook.commit({ ...target, state }, never);
    const ended =
      outcome.outcome === 'accepted'
        ? await facebook.confirm!({ ...target, state: outcome.state }, never)
        : outcome;
    expect(ended).toMatchObject({ outcome: 'published' });
    const id = ended.outcome === 'published' ? ended.published.externalId : null;
    return { target: { ...target, state }, id };
  };
  const story = { caption: '', platformOptions: { placement: 'story' } };
  const { target, id } = await publish({ caption: 'Hello' });
  await publish({ caption: 'News', platformOptions: { link: 'https://example.com/' } });
  await publish({ caption: 'Two', media: [image, await createImage()] });
  const { target: ofStory } = await publish({ ...story, media: [image] });
  await publish({ caption: 'A film', media: [film] });
  const { target: ofReel } = await publish({ caption: 'A reel', media: [reel] });
  await publish({ ...story, media: [reel] });
  const { target: ofComment } = await publish({ caption: 'First!', replyTo: id });
  for (const each of [target, ofStory, { ...ofReel, state: {} }, ofComment]) {
    expect(await facebook.reconcile!(each, never)).toMatchObject({ outcome: 'published' });
  }
  const own = calls.splice(0);

  const answers = await driveWithSdk('facebook.mjs', url, {
    userToken: server.logins.createToken(),
    pageToken: server.logins.createToken(page),
    appToken: `${client.id}|${client.secret}`,
    page,
    business,
    imageUrl: (await hostMedia(image)).publicUrl(0),
    video: (await buffer(film.open())).toString('base64'),
    since: Math.floor(Date.now() / 1_000) - 60,
  });
  const refused = answers.filter(({ error }) => error);
  expect(refused.map(({ step, error }) => [step, error!.code, error!.subcode])).toEqual([
    ['same text', 506, 1455006],
    ['unknown parameter', 100, undefined],
    ['nothing', 100, undefined],
    ['link and photos', 100, undefined],
    ['token of a user', 190, 2069032],
  ]);

  // Each call of the client that isn't refused on purpose has one of the connector that equals it.
  const theirs = calls.slice(0, -4);
  expect(findDifferent(theirs, own)).toEqual([]);
}, 120_000);
