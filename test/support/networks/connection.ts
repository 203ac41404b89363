// Connects with a network's form or consent page, and returns the grant together with its only account.
import type { z } from 'zod';
import { findFormMethod } from '../../../activities/platforms/index.ts';
import { readAllChoices, type ChoiceList } from '../../../activities/platforms/choices.ts';
import type {
  ConsentMethod,
  ConsentRequest,
  Credentials,
  Grant,
  GrantedAccount,
  NewApp,
  Platform,
} from '../../../activities/platforms/platform.ts';
import type { App } from '../../../schema/platforms/definition.ts';
import { createBrowser } from '../app/browser.ts';
import type { Decision, LiveNetwork } from './contract/subject.ts';

export type Connection = Omit<Grant, 'accounts'> & Omit<GrantedAccount, 'problem'>;

interface Form {
  credentials: z.ZodType<Credentials>;
  run(credentials: Credentials, signal: AbortSignal): Promise<Connection>;
}

export function formOf(platform: Platform): Form {
  const { fields, run } = findFormMethod(platform)!;
  return {
    credentials: fields,
    run: async (given, signal) => toConnection(await run(given, signal)),
  };
}

/** Connects with the credentials, or by a consent at the network's own page. */
export async function connectTo(
  platform: Platform,
  { credentials: given, app, way = 0 }: Pick<LiveNetwork, 'credentials' | 'app' | 'way'>,
  signal: AbortSignal,
): Promise<Connection> {
  if (findFormMethod(platform)) {
    const { credentials, run } = formOf(platform);
    return run(credentials.parse(given), signal);
  }
  const connect = platform.connect.slice(way);
  return toConnection(await giveConsent({ ...platform, connect }, app, signal));
}

export const callbackUrl = 'https://fanfare.test/connect/callback';
const never = new AbortController().signal;

export const appOf = ({ id: clientId, secret: clientSecret }: { id: string; secret: string }) => ({
  id: 'app_of_a_test',
  clientId,
  clientSecret,
});

/** Logs in at the network's consent page. */
export function loginOf<A extends App | null>(method: ConsentMethod, app: A, signal = never) {
  const asked = { state: 'state-of-a-test', callbackUrl, productName: 'Acme' };
  const request: ConsentRequest = { ...asked, inputs: {}, app };

  /** Opens the network's consent page. Returns the callback's query. */
  async function allow(decision: Decision = 'allow') {
    const { url, flow } = await method.begin(request, signal);
    let callback = new URL(callbackUrl);
    const browser = createBrowser((to, init) => {
      if (!to.startsWith(callbackUrl)) return fetch(to, init);
      callback = new URL(to);
      return new Response();
    });
    await browser.submit(await browser.visit(url), { decision });
    return { url, flow, query: Object.fromEntries(callback.searchParams.entries()) };
  }

  async function logIn(): Promise<Grant> {
    const { query, flow } = await allow();
    return method.complete(query, { ...request, flow }, signal);
  }

  return { method, app, request, allow, logIn };
}

/** Allows what the network's consent page asks for. */
export function giveConsent(
  { connect }: Platform,
  app: NewApp | undefined,
  signal: AbortSignal,
): Promise<Grant> {
  const method = connect.find(({ kind }) => kind === 'consent') as ConsentMethod;
  return loginOf(method, app ? { id: 'app_of_a_test', ...app } : null, signal).logIn();
}

/** Throws unless the grant has exactly one account, which can publish. */
export function toConnection({ accounts, ...grant }: Grant): Connection {
  const [account, ...others] = accounts;
  if (account?.problem !== null || others.length > 0) {
    throw new Error('The grant must have exactly one account, which can publish.');
  }
  const { problem: _, ...shown } = account;
  return { ...shown, ...grant };
}

export function toGrant({ credentials, scope, tokenExpiresAt, ...account }: Connection): Grant {
  return { credentials, scope, tokenExpiresAt, accounts: [{ ...account, problem: null }] };
}

/** The choices of the account, read from its network. */
export function listChoices(
  platform: Platform,
  { credentials, externalAccountId, traits = {} }: Connection,
  kind: string,
): Promise<ChoiceList> {
  const account = { credentials, externalAccountId, traits, app: null };
  return readAllChoices(platform.choices![kind]!, account, AbortSignal.timeout(10_000));
}
