// Meta's own client and the connector make the same calls to Facebook, and the simulator answers both.
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createFacebook } from '../../../activities/platforms/facebook/index.ts';
import { parseJson } from '../../../activities/platforms/json-client.ts';
import type { Target } from '../../../activities/platforms/platform.ts';
import { readConfig } from '../../../schema/config/config.ts';
import { driveWithSdk } from '../../support/judges/meta-sdk.ts';
import { hostMedia } from '../../support/media/hosted-media.ts';
import { createImage, createVideo } from '../../support/media/target-media.ts';
import { giveConsent } from '../../support/networks/connection.ts';
import type { NetworkServer } from '../../support/networks/contract/subject.ts';
import { FacebookServer } from '../../support/networks/facebook/server.ts';
import { createSwitchboard } from '../../support/networks/faults.ts';
import { startFaultyServer } from '../../support/networks/faulty-server.ts';
import { prepareTarget, targetOf } from '../../support/networks/target.ts';

/** A call in the words that both clients share. */
interface Call {
  call: string;
  parameters: Record<string, unknown>;
}

const never = new AbortController().signal;
const page = '102030405060708';
const business = '9001';

/** The connector has the token in a header, and only Meta's client repeats the object of the path. */
const unread = new Set(['access_token', 'id']);

/** In another order, and as form, query or JSON. */
async function readCall(request: Request): Promise<Call> {
  const { pathname, searchParams } = new URL(request.url);
  const body = request.method === 'GET' ? {} : await readBody(request);
  const given = { ...Object.fromEntries(searchParams), ...body };
  const parameters = Object.entries(given)
    .filter(([name, value]) => !unread.has(name) && String(value) !== '')
    .map(([name, value]) => toPlain(name, value))
    .toSorted(([a], [b]) => a.localeCompare(b));
  const path = pathname
    .replace(/^\/v\d+\.\d+/, '')
    .replace(`/${page}_`, '/PAGE_')
    // Once it has read the user, Meta's client names it by its ID.
    .replace(/^\/10207\d+\//, '/me/')
    .replaceAll(/\d{18}/g, 'ID');
  return { call: `${request.method} ${path}`, parameters: Object.fromEntries(parameters) };
}

async function readBody(request: Request): Promise<Record<string, unknown>> {
  const type = request.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) {
    return (await request.json()) as Record<string, unknown>;
  }
  if (type.startsWith('multipart/')) return Object.fromEntries(await request.formData());
  return Object.fromEntries(new URLSearchParams(await request.text()));
}

/** IDs and times differ from run to run, and the client sends the address of an image instead of its bytes. */
function toPlain(name: string, value: unknown): [string, unknown] {
  if (name === 'url' || value instanceof Blob) return ['file', 'FILE'];
  if (name === 'since') return [name, 'TIME'];
  if (name === 'input_token') return [name, 'TOKEN'];
  const plain = typeof value === 'string' && /^(?:[[{]|true$|false$|\d+$)/.test(value);
  const text = JSON.stringify(plain ? parseJson(value) : value);
  return [name, text.replaceAll(/"?\d{18}"?/g, 'ID')];
}

/** Remembers each call to the API. */
function recording(server: FacebookServer, calls: Call[]): NetworkServer {
  return {
    answer: async (request) => {
      const isUpload = request.url.includes('/video-upload/');
      if (!isUpload && !request.url.includes('/oauth')) calls.push(await readCall(request.clone()));
      return server.answer(request);
    },
    refuse: (kind) => server.refuse(kind),
    revokeToken: () => server.revokeToken(),
  };
}

test('the client and the connector make the same calls', async () => {
  const server = new FacebookServer();
  server.logins.businesses.push({ id: business, name: 'Acme' });
  server.videos.switches.readsUntilPublic = 0;
  const calls: Call[] = [];
  const { url, close } = await startFaultyServer(recording(server, calls), createSwitchboard());
  await using _ = { [Symbol.asyncDispose]: close };
  const { facebook: settings } = readConfig({
    FANFARE_FACEBOOK_API_URL: url,
    FANFARE_FACEBOOK_VIDEO_URL: url,
    FANFARE_FACEBOOK_LOGIN_URL: url,
  }).platforms;
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
  const different = theirs.filter(
    (call) => !own.some((each) => JSON.stringify(each) === JSON.stringify(call)),
  );
  console.log(`Meta's client: ${theirs.length} calls compared, ${different.length} differ.`);
  expect(different).toEqual([]);
}, 120_000);
