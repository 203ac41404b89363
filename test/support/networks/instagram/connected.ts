// The connector of Instagram, connected to the simulator over HTTP.
import type {
  ConsentMethod,
  Target,
  TargetMedia,
} from '../../../../activities/platforms/platform.ts';
import { createInstagram } from '../../../../activities/platforms/instagram/index.ts';
import { readConfig } from '../../../../schema/config/config.ts';
import { hostMedia } from '../../media/hosted-media.ts';
import { createImage } from '../../media/target-media.ts';
import { appOf, callbackUrl, loginOf, toConnection } from '../connection.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { phasesOf, targetOf } from '../target.ts';
import { InstagramServer } from './server.ts';

/**
 * `url`: URL of the simulator. Its paths begin with the host. The simulator fetches media from the app of the
 * test.
 */
export const instagramVariables = (url: string) => ({
  FANFARE_INSTAGRAM_API_URL: `${url}/graph.instagram.com`,
  FANFARE_INSTAGRAM_CONSENT_URL: `${url}/www.instagram.com/oauth/authorize`,
  FANFARE_INSTAGRAM_TOKEN_URL: `${url}/api.instagram.com/oauth/access_token`,
  FANFARE_INSTAGRAM_FACEBOOK_API_URL: `${url}/graph.facebook.com`,
  FANFARE_INSTAGRAM_FACEBOOK_LOGIN_URL: `${url}/www.facebook.com`,
  FANFARE_MEDIA_PUBLIC_URL: '',
});

/** An image that Instagram takes. */
export const hostJpeg = async (change: Partial<TargetMedia> = {}) =>
  hostMedia(await createImage({ contentType: 'image/jpeg', ...change }));

/** `env`: further variables. */
export async function startInstagram(env: Record<string, string> = {}) {
  const server = new InstagramServer();
  const { logins, facebook } = server;
  logins.redirectUri = callbackUrl;
  facebook.logins.redirectUri = callbackUrl;
  const { url, close } = await startFaultyServer(server, createSwitchboard());
  const { instagram: settings } = readConfig({ ...instagramVariables(url), ...env }).platforms;
  const instagram = createInstagram({ ...settings, fetch });
  const [atInstagram, atFacebook] = instagram.connect as ConsentMethod[];
  const login = loginOf(atInstagram!, appOf(logins.client));
  const grant = await login.logIn();
  const connection = toConnection(grant);
  server.calls.length = 0;
  const image = await hostJpeg();
  return {
    server,
    instagram,
    ...login,
    grant,
    connection,
    /** The login at Facebook. */
    atFacebook: loginOf(atFacebook!, appOf(facebook.logins.client)),
    image,
    /** A target with an image. */
    target: (change?: Partial<Target>) => targetOf(connection, { media: [image], ...change }),
    ...phasesOf(instagram),
    [Symbol.asyncDispose]: close,
  };
}
