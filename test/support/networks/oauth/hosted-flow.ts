// The hosted flow of a new tenant at a network with OAuth 2, whose login reaches three accounts.
import { afterEach, expect } from 'vitest';
import { z } from 'zod';
import { createPlatforms } from '../../../../activities/platforms/index.ts';
import { PlatformError } from '../../../../activities/platforms/platform-error.ts';
import type {
  ConnectMethod,
  ConsentMethod,
  Platform,
} from '../../../../activities/platforms/platform.ts';
import { createConnectRoutes } from '../../../../api/connect/routes.ts';
import type { Context } from '../../../../api/http/context.ts';
import { createBrowser, type Browser, type Page } from '../../app/browser.ts';
import { beginConsent } from '../../app/consent.ts';
import { useRest } from '../../app/rest.ts';
import { forEachTest } from '../../fixtures.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { createOAuthPlatform } from './connector.ts';
import { createOAuthServer } from './server.ts';

export const origin = 'http://fanfare.test';
export const returnUrl = 'https://app.example.com/done?tab=2';

export interface Session {
  id: string;
  url: string;
}

export const consentOf = ({ connect }: Platform) => connect[0] as ConsentMethod;

export const choose = (...account: string[]) => ({ decision: 'choose', account });

/** A form that refuses every token. */
export const formMethod: ConnectMethod = {
  kind: 'form',
  fields: z.strictObject({ access_token: z.string().meta({ 'x-secret': true }) }),
  run: () => Promise.reject(new PlatformError('rejected', 'Not with this token.')),
};

export function useHostedFlow() {
  const rest = useRest();
  const tenant = forEachTest(async () => {
    const made = await rest.createTenant();
    const body = { return_origins: [new URL(returnUrl).origin] };
    await rest.call('PATCH', '/v1/project', { key: made.key, body });
    return made;
  });
  const network = forEachTest(() => createOAuthServer(`${origin}/connect/callback`));
  const http = forEachTest(() => startFaultyServer(network, createSwitchboard()));
  afterEach(() => http.close());
  const platform = forEachTest(() =>
    createOAuthPlatform({ fetch, url: http.url, client: network.client }),
  );

  const withMethods = (...connect: ConnectMethod[]): Platform => ({ ...platform, connect });

  /** Creates the hosted pages. */
  const createPages = (at: Platform = platform, context: Partial<Context> = {}) =>
    createConnectRoutes({ ...rest.context, ...context, platforms: createPlatforms([at]) });

  /** A browser of its own, which reaches Fanfare and the network. */
  function browse(at: Platform = platform, pages = createPages(at)) {
    return createBrowser((url, init) =>
      new URL(url).origin === origin ? pages.request(url, init) : fetch(url, init),
    );
  }

  async function createSession(input: object = {}): Promise<Session> {
    const body = { platform: 'sandbox', external_user_id: 'user-1', ...input };
    const answer = await rest.call('POST', '/v1/connect/sessions', { key: tenant.key, body });
    expect(answer.body).toMatchObject({ data: { status: 'pending' } });
    return answer.body.data;
  }

  const readSession = async ({ id }: Session) =>
    (await rest.call('GET', `/v1/connect/sessions/${id}`, { key: tenant.key })).body.data;

  /** Names of the connected accounts. */
  async function listAccounts(): Promise<string[]> {
    const { body } = await rest.call('GET', '/v1/accounts', { key: tenant.key });
    return body.data.map((account: { account_name: string }) => account.account_name).toSorted();
  }

  const readFlow = ({ id }: Session) =>
    rest.context.db
      .selectFrom('connect_sessions')
      .select('flow')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();

  /** The address that the network's consent page sends the user to. */
  async function findCallback(page: Page, decision: 'allow' | 'deny' = 'allow'): Promise<string> {
    const body = new URLSearchParams({
      ...Object.fromEntries(new URL(page.url).searchParams),
      decision,
    });
    const init = { method: 'POST', body, redirect: 'manual' } as const;
    const answer = await fetch(page.url.split('?')[0]!, init);
    return answer.headers.get('Location')!;
  }

  /** Goes from the link through the consent, and returns the page after the consent. */
  async function logIn(browser: Browser, { id, url }: Session, query = ''): Promise<Page> {
    const at = query === '' ? url : `${origin}/connect/${id}${query}`;
    return browser.submit(await beginConsent(browser, at), { decision: 'allow' });
  }

  /** Expects that the session is still open, and that only these accounts are connected. */
  async function expectOpen(session: Session, accounts: string[] = []): Promise<void> {
    expect(await listAccounts()).toEqual(accounts);
    expect(await readSession(session)).toMatchObject({
      status: 'pending',
      completed_social_account_id: null,
      completed_social_account_ids: [],
    });
  }

  return {
    rest,
    tenant,
    network,
    http,
    platform,
    withMethods,
    createPages,
    browse,
    createSession,
    readSession,
    listAccounts,
    readFlow,
    findCallback,
    logIn,
    expectOpen,
  };
}
