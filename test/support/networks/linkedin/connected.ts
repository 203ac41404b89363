// The connector of LinkedIn, connected to the simulator over HTTP.
import { createLinkedIn } from '../../../../activities/platforms/linkedin/index.ts';
import type {
  ConsentRequest,
  ConsentMethod,
  Fetch,
  Grant,
  Target,
} from '../../../../activities/platforms/platform.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { formOf } from '../connection.ts';
import { prepareTarget, targetOf } from '../target.ts';
import { LinkedInServer } from './server.ts';
import { pageScopes } from './subject.ts';

const never = new AbortController().signal;
const callbackUrl = 'https://fanfare.test/connect/callback';
const page = '5515715';
export const pageUrn = `urn:li:organization:${page}`;

interface Changes {
  /** In addition to the scopes for posts. */
  scopes?: readonly string[];
  version?: string;
  /** The `fetch` that reaches LinkedIn. */
  send?: Fetch;
}

export async function startLinkedIn({
  version = '202609',
  send = fetch,
  scopes: more = [],
}: Changes = {}) {
  const server = new LinkedInServer();
  server.logins.redirectUri = callbackUrl;
  server.logins.scopes.push(...pageScopes, ...more);
  const { client } = server.logins;
  const { url, close } = await startFaultyServer(server, createSwitchboard());
  const app = { id: 'app_1', clientId: client.id, clientSecret: client.secret };
  const request: ConsentRequest = {
    state: 'state-of-8',
    callbackUrl,
    productName: 'Acme',
    inputs: {},
    app,
  };

  const connectorOf = (scopes: readonly string[]) =>
    createLinkedIn({
      fetch: send,
      apiUrl: url,
      loginUrl: `${url}/oauth/v2`,
      version,
      scopes: [...scopes],
    });
  const linkedin = connectorOf(server.logins.scopes);

  /** Returns the callback's query. */
  async function allow(scopes: readonly string[], decision = 'allow') {
    const method = connectorOf(scopes).connect[0] as ConsentMethod;
    const begun = await method.begin(request, never);
    const asked = await fetch(begun.url, { redirect: 'manual' });
    const { searchParams } = new URL(begun.url);
    searchParams.set('decision', decision);
    const init = { method: 'POST', body: searchParams, redirect: 'manual' } as const;
    const answer = asked.ok ? await fetch(begun.url.split('?')[0]!, init) : asked;
    const query = Object.fromEntries(new URL(answer.headers.get('location')!).searchParams);
    return { method, query, flow: begun.flow, url: begun.url };
  }

  async function logIn(scopes: readonly string[] = server.logins.scopes): Promise<Grant> {
    const { method, query, flow } = await allow(scopes);
    return method.complete(query, { ...request, flow }, never);
  }

  /** Connects with a token. `organization`: empty for the member. */
  function connect(organization = page, access_token = server.logins.createToken()) {
    const { credentials, run } = formOf(linkedin);
    return run(credentials.parse({ access_token, organization }), never);
  }

  const [ofPage, ofMember] = [await connect(), await connect('')];
  server.calls.length = 0;

  return {
    server,
    linkedin,
    connectorOf,
    app,
    request,
    allow,
    logIn,
    connect,
    /** A target of the page. */
    target: (change?: Partial<Target>) => targetOf(ofPage, change),
    memberTarget: (change?: Partial<Target>) => targetOf(ofMember, change),
    prepare: (given: Target) => prepareTarget(linkedin, given, never),
    commit: (given: Target) => linkedin.commit(given, never),
    reconcile: (given: Target) => linkedin.reconcile!(given, never),
    /** Prepares and commits a target. */
    async publish(given: Target) {
      const state = await prepareTarget(linkedin, given, never);
      return linkedin.commit({ ...given, state }, never);
    },
    [Symbol.asyncDispose]: close,
  };
}
