// Logins at a network that ends all logins of a user at once, and doesn't name the user of a login.
import { beforeEach, expect, test } from 'vitest';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { putApp } from '../../../schema/database/accounts/apps.ts';
import { newSecret } from '../../support/networks/oauth/grants.ts';
import { choose, useHostedFlow } from '../../support/networks/oauth/hosted-flow.ts';

const flow = useHostedFlow();
const { browse, createSession, logIn } = flow;

/** The network ends every login of the user with one revocation. */
const endingAll = (): Platform => ({
  ...flow.platform,
  definition: { ...flow.platform.definition, hasApp: true },
  revokesAll: { userOf: () => undefined },
  revoke: async () => flow.network.revokeToken(),
});

beforeEach(async () => {
  const { db, vault } = flow.rest.context;
  // Logins of other tests at the same client could be the user's.
  const clientId = newSecret('client');
  flow.network.client.id = clientId;
  const { secret: clientSecret } = flow.network.client;
  const app = { platform: 'sandbox', clientId, clientSecret } as const;
  await putApp(db, flow.tenant.projectId, vault, app);
});

/** Connects the first account. */
async function connect(platform: Platform): Promise<void> {
  const browser = browse(platform);
  await browser.submit(await logIn(browser, await createSession()), choose('page-1'));
}

test('a login that replaces another one stays good', async () => {
  const platform = endingAll();
  await connect(platform);
  await connect(platform);
  expect(await flow.listAccounts()).toEqual(['Bakery']);
  expect(flow.network.countLiveGrants()).toBe(2);
});

test('a login whose session another login has completed ends no login', async () => {
  const platform = endingAll();
  const session = await createSession();
  const [first, second] = [browse(platform), browse(platform)];
  const page = await logIn(first, session);
  await second.submit(await logIn(second, session), choose('page-1'));
  await first.submit(page, choose('page-1'));
  expect(await flow.listAccounts()).toEqual(['Bakery']);
  expect(flow.network.countLiveGrants()).toBe(2);
});

test('a login that nobody uses is revoked', async () => {
  const platform = endingAll();
  const browser = browse(platform);
  await browser.submit(await logIn(browser, await createSession()), { decision: 'cancel' });
  expect(flow.network.countLiveGrants()).toBe(0);
});
