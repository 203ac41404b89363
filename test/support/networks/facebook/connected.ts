// The connector of Facebook, connected to the simulator over HTTP.
import { createFacebook } from '../../../../activities/platforms/facebook/index.ts';
import type {
  ConsentMethod,
  ConsentRequest,
  Fetch,
  Grant,
  Target,
} from '../../../../activities/platforms/platform.ts';
import { readConfig } from '../../../../schema/config/config.ts';
import { createBrowser } from '../../app/browser.ts';
import { toConnection } from '../connection.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { prepareTarget, targetOf } from '../target.ts';
import type { SimulatedPage } from './logins.ts';
import { FacebookServer } from './server.ts';

const never = new AbortController().signal;
const callbackUrl = 'https://fanfare.test/connect/callback';

interface Changes {
  /** Of the user. Default: one that can be posted to. */
  pages?: SimulatedPage[];
  /** Of Facebook Login for Business. */
  configId?: string;
  /** Reaches Facebook. */
  send?: Fetch;
}

export async function startFacebook({ pages, configId, send = fetch }: Changes = {}) {
  const server = pages ? new FacebookServer(pages) : new FacebookServer();
  const { logins } = server;
  logins.redirectUri = callbackUrl;
  const { url, close } = await startFaultyServer(server, createSwitchboard());
  const { facebook: settings } = readConfig({
    FANFARE_FACEBOOK_API_URL: url,
    FANFARE_FACEBOOK_VIDEO_URL: url,
    FANFARE_FACEBOOK_LOGIN_URL: url,
    ...(configId !== undefined && { FANFARE_FACEBOOK_CONFIG_ID: configId }),
  }).platforms;
  const facebook = createFacebook({ ...settings, fetch: send });
  const app = { id: 'app_1', clientId: logins.client.id, clientSecret: logins.client.secret };
  const request: ConsentRequest = {
    state: 'state-of-8',
    callbackUrl,
    productName: 'Acme',
    inputs: {},
    app,
  };
  const method = facebook.connect[0] as ConsentMethod;

  /** Returns the callback's query. */
  async function allow(decision = 'allow') {
    const begun = await method.begin(request, never);
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

  async function logIn(): Promise<Grant> {
    const { query, flow } = await allow();
    return method.complete(query, { ...request, flow }, never);
  }

  /** Of the first page. Absent with several pages: a test logs in itself. */
  const connection = pages ? undefined : toConnection(await logIn());
  server.calls.length = 0;
  const target = (change?: Partial<Target>) => targetOf(connection!, change);
  const prepareStep = (given: Target) => facebook.prepare!(given, never);
  const prepare = async (given: Target): Promise<Target> => ({
    ...given,
    state: await prepareTarget(facebook, given, never),
  });

  /** Until it is public. */
  async function confirm(given: Target, state: Target['state']) {
    for (let at = state; ;) {
      const outcome = await facebook.confirm!({ ...given, state: at }, never);
      if (outcome.outcome !== 'accepted') return outcome;
      at = outcome.state;
    }
  }

  /** Prepares, commits and confirms. */
  async function publish(change?: Partial<Target>) {
    const prepared = await prepare(target(change));
    const outcome = await facebook.commit(prepared, never);
    return outcome.outcome === 'accepted' ? confirm(prepared, outcome.state) : outcome;
  }

  return {
    server,
    facebook,
    app,
    request,
    method,
    allow,
    logIn,
    target,
    prepareStep,
    prepare,
    commit: (given: Target) => facebook.commit(given, never),
    confirm,
    publish,
    reconcile: (given: Target) => facebook.reconcile!(given, never),
    check: (grant: Pick<Grant, 'credentials'>) =>
      facebook.check!({ credentials: grant.credentials, app }, never),
    [Symbol.asyncDispose]: close,
  };
}
