// The connector of Instagram, connected to the simulator over HTTP.
import type {
  ConsentMethod,
  ConsentRequest,
  Target,
  TargetMedia,
} from '../../../../activities/platforms/platform.ts';
import { createInstagram } from '../../../../activities/platforms/instagram/index.ts';
import { readConfig } from '../../../../schema/config/config.ts';
import { createBrowser } from '../../app/browser.ts';
import { hostMedia } from '../../media/hosted-media.ts';
import { createImage, createVideo } from '../../media/target-media.ts';
import { toConnection } from '../connection.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { prepareTarget, targetOf } from '../target.ts';
import { InstagramServer } from './server.ts';

const never = new AbortController().signal;
const callbackUrl = 'https://fanfare.test/connect/callback';
export const dayMs = 24 * 3_600_000;

/** `url`: of the simulator. Its paths begin with the host. */
export const instagramVariables = (url: string) => ({
  FANFARE_INSTAGRAM_API_URL: `${url}/graph.instagram.com`,
  FANFARE_INSTAGRAM_CONSENT_URL: `${url}/www.instagram.com/oauth/authorize`,
  FANFARE_INSTAGRAM_TOKEN_URL: `${url}/api.instagram.com/oauth/access_token`,
  FANFARE_INSTAGRAM_FACEBOOK_API_URL: `${url}/graph.facebook.com`,
  FANFARE_INSTAGRAM_FACEBOOK_LOGIN_URL: `${url}/www.facebook.com`,
});

/** An image that Instagram takes. */
export const hostJpeg = async (change: Partial<TargetMedia> = {}) =>
  hostMedia(await createImage({ contentType: 'image/jpeg', ...change }));
export const hostVideo = (change: Partial<TargetMedia> = {}) => hostMedia(createVideo(change));

/** Where a user logs in. */
type Place = 'instagram' | 'facebook';

/** `env`: further variables. */
export async function startInstagram(
  server = new InstagramServer(),
  env: Record<string, string> = {},
) {
  const { logins, facebook } = server;
  logins.redirectUri = callbackUrl;
  logins.issuedBeforeMs = 2 * dayMs;
  facebook.logins.redirectUri = callbackUrl;
  const { url, close } = await startFaultyServer(server, createSwitchboard());
  const { instagram: settings } = readConfig({ ...instagramVariables(url), ...env }).platforms;
  const instagram = createInstagram({ ...settings, fetch });
  const methods: Record<Place, ConsentMethod> = {
    instagram: instagram.connect[0] as ConsentMethod,
    facebook: instagram.connect[1] as ConsentMethod,
  };
  const appOf = ({ id: clientId, secret: clientSecret }: { id: string; secret: string }) => ({
    id: `app_${clientId}`,
    clientId,
    clientSecret,
  });
  const apps = { instagram: appOf(logins.client), facebook: appOf(facebook.logins.client) };
  const requestOf = (place: Place): ConsentRequest => ({
    state: 'state-of-8',
    callbackUrl,
    productName: 'Acme',
    inputs: {},
    app: apps[place],
  });

  /** Returns the callback's query. */
  async function allow(place: Place = 'instagram', decision = 'allow') {
    const begun = await methods[place].begin(requestOf(place), never);
    let callback = new URL(callbackUrl);
    const browser = createBrowser((to, init) => {
      if (!to.startsWith(callbackUrl)) return fetch(to, init);
      callback = new URL(to);
      return new Response();
    });
    await browser.submit(await browser.visit(begun.url), { decision });
    const query = Object.fromEntries(callback.searchParams.entries());
    return { query, flow: begun.flow, url: begun.url };
  }

  async function logIn(place: Place = 'instagram') {
    const { query, flow } = await allow(place);
    return methods[place].complete(query, { ...requestOf(place), flow }, never);
  }

  const grant = await logIn();
  const connection = toConnection(grant);
  server.calls.length = 0;
  const image = await hostJpeg();

  const prepare = async (given: Target): Promise<Target> => ({
    ...given,
    state: await prepareTarget(instagram, given, never),
  });
  const commit = (given: Target) => instagram.commit(given, never);

  return {
    server,
    instagram,
    methods,
    apps,
    requestOf,
    allow,
    logIn,
    grant,
    /** With an image. */
    target: (change?: Partial<Target>) => targetOf(connection, { media: [image], ...change }),
    image,
    prepareStep: (given: Target) => instagram.prepare!(given, never),
    prepare,
    commit,
    publish: async (given: Target) => commit(await prepare(given)),
    reconcile: (given: Target) => instagram.reconcile!(given, never),
    [Symbol.asyncDispose]: close,
  };
}
