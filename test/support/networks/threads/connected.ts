// The connector of Threads, connected to the simulator over HTTP.
import type {
  ConsentMethod,
  ConsentRequest,
  Target,
} from '../../../../activities/platforms/platform.ts';
import { createThreads } from '../../../../activities/platforms/threads/index.ts';
import { readConfig } from '../../../../schema/config/config.ts';
import { createBrowser } from '../../app/browser.ts';
import { toConnection } from '../connection.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { prepareTarget, targetOf } from '../target.ts';
import { ThreadsServer } from './server.ts';

const never = new AbortController().signal;
const callbackUrl = 'https://fanfare.test/connect/callback';
export const dayMs = 24 * 3_600_000;

export async function startThreads() {
  const server = new ThreadsServer();
  const { logins } = server;
  logins.redirectUri = callbackUrl;
  logins.issuedBeforeMs = 2 * dayMs;
  const { url, close } = await startFaultyServer(server, createSwitchboard());
  const { threads: settings } = readConfig({
    FANFARE_THREADS_API_URL: url,
    FANFARE_THREADS_CONSENT_URL: `${url}/oauth/authorize`,
  }).platforms;
  const threads = createThreads({ ...settings, fetch });
  const app = { id: 'app_1', clientId: logins.client.id, clientSecret: logins.client.secret };
  const request: ConsentRequest = {
    state: 'state-of-8',
    callbackUrl,
    productName: 'Acme',
    inputs: {},
    app,
  };
  const method = threads.connect[0] as ConsentMethod;

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

  async function logIn() {
    const { query, flow } = await allow();
    return method.complete(query, { ...request, flow }, never);
  }

  const grant = await logIn();
  const connection = toConnection(grant);
  server.calls.length = 0;

  return {
    server,
    url,
    threads,
    app,
    request,
    method,
    allow,
    logIn,
    grant,
    connection,
    target: (change?: Partial<Target>) => targetOf(connection, change),
    prepareStep: (given: Target) => threads.prepare!(given, never),
    prepare: async (given: Target): Promise<Target> => ({
      ...given,
      state: await prepareTarget(threads, given, never),
    }),
    commit: (given: Target) => threads.commit(given, never),
    reconcile: (given: Target) => threads.reconcile!(given, never),
    [Symbol.asyncDispose]: close,
  };
}
