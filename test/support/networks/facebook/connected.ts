// The connector of Facebook, connected to the simulator over HTTP.
import { createFacebook } from '../../../../activities/platforms/facebook/index.ts';
import type {
  CommitOutcome,
  ConsentMethod,
  Fetch,
  Grant,
  Target,
} from '../../../../activities/platforms/platform.ts';
import { readConfig } from '../../../../schema/config/config.ts';
import { appOf, callbackUrl, loginOf, toConnection } from '../connection.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { phasesOf, targetOf } from '../target.ts';
import type { SimulatedPage } from './logins.ts';
import { FacebookServer } from './server.ts';

const never = new AbortController().signal;

/** `url`: URL of the simulator. */
export const facebookVariables = (url: string) => ({
  FANFARE_FACEBOOK_API_URL: url,
  FANFARE_FACEBOOK_VIDEO_URL: url,
  FANFARE_FACEBOOK_LOGIN_URL: url,
});

interface Changes {
  /** Pages of the user. Default: one page that can be posted to. */
  pages?: SimulatedPage[];
  /** ID of the configuration of Facebook Login for Business. */
  configId?: string;
  /** The `fetch` that reaches Facebook. */
  send?: Fetch;
}

export async function startFacebook({ pages, configId, send = fetch }: Changes = {}) {
  const server = new FacebookServer(pages);
  const { logins } = server;
  logins.redirectUri = callbackUrl;
  const { url, close } = await startFaultyServer(server, createSwitchboard());
  const { facebook: settings } = readConfig({
    ...facebookVariables(url),
    ...(configId !== undefined && { FANFARE_FACEBOOK_CONFIG_ID: configId }),
  }).platforms;
  const facebook = createFacebook({ ...settings, fetch: send });
  const login = loginOf(facebook.connect[0] as ConsentMethod, appOf(logins.client));
  /** Connects the first page. With several pages, connects nothing, because the test logs in itself. */
  const connection = pages ? undefined : toConnection(await login.logIn());
  server.calls.length = 0;
  const target = (change?: Partial<Target>) => targetOf(connection!, change);
  const phases = phasesOf(facebook);

  /** Confirms until the post is public. */
  async function confirm(given: Target, state: Target['state']) {
    for (let at = state; ;) {
      const outcome = await facebook.confirm!({ ...given, state: at }, never);
      if (outcome.outcome !== 'accepted') return outcome;
      at = outcome.state;
    }
  }

  /** Prepares, commits and confirms. */
  async function publish(change?: Partial<Target>): Promise<CommitOutcome> {
    const prepared = await phases.prepare(target(change));
    const outcome = await phases.commit(prepared);
    return outcome.outcome === 'accepted' ? confirm(prepared, outcome.state) : outcome;
  }

  return {
    server,
    facebook,
    ...login,
    target,
    ...phases,
    confirm,
    publish,
    check: (grant: Pick<Grant, 'credentials'>) =>
      facebook.check!({ credentials: grant.credentials, app: login.app }, never),
    [Symbol.asyncDispose]: close,
  };
}
