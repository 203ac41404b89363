// Erased users: their logins are revoked, their connect sessions end, and their accounts never come back.
import { expect, test } from 'vitest';
import { createPlatforms } from '../../../activities/platforms/index.ts';
import type { Platform } from '../../../activities/platforms/platform.ts';
import { disconnectAccount } from '../../../api/accounts/operations.ts';
import { eraseUser } from '../../../api/users/operations.ts';
import { choose, returnUrl, useHostedFlow } from '../../support/networks/oauth/hosted-flow.ts';
import { readErasure } from '../../support/rows/erasures.ts';
import { addGrant } from '../../support/rows/grants.ts';

const { rest, tenant, network, platform, browse, createSession, readSession, readFlow, ...flow } =
  useHostedFlow();
const { listAccounts, logIn } = flow;

const user = 'user-1';
const contextWith = (at: Platform) => ({ ...rest.context, platforms: createPlatforms([at]) });
const caller = () =>
  ({
    projectId: tenant.projectId,
    keyId: tenant.keyId,
    keyName: 'test',
    scopes: [],
    environment: 'production',
    keyExpiresAt: null,
  }) as const;
const erase = (at: Platform = platform) => eraseUser(contextWith(at), caller(), user);
const disconnect = (id: string, given: { erase: boolean }) =>
  disconnectAccount(contextWith(platform), caller(), id, given);

/** The ID of the account that the user connects. */
async function connect(): Promise<string> {
  const browser = browse();
  const session = await createSession();
  await browser.submit(await logIn(browser, session), choose('page-1'));
  return (await readSession(session)).completed_social_account_id;
}

test('a login that waits for a choice is revoked, and its session can connect nothing', async () => {
  const session = await createSession({ return_url: returnUrl });
  const browser = browse();
  const page = await logIn(browser, session);
  expect(network.countLiveGrants()).toBe(1);
  await erase();
  expect(network.countLiveGrants()).toBe(0);
  expect(await readSession(session)).toMatchObject({
    status: 'canceled',
    external_user_id: null,
    return_url: null,
  });
  expect((await readFlow(session)).flow).toBeNull();
  await browser.submit(page, choose('page-1'));
  expect(await listAccounts()).toEqual([]);
});

test('an account that is just being connected is erased too, or never connected', async () => {
  const browser = browse();
  const page = await logIn(browser, await createSession());
  await Promise.all([browser.submit(page, choose('page-1')), erase()]);
  const { key } = tenant;
  expect((await rest.call('GET', `/v1/users/${user}`, { key })).status).toBe(404);
  expect(network.countLiveGrants()).toBe(0);
});

test('a user can have many accounts, whose logins are revoked a few at a time', async () => {
  const { context } = rest;
  const { projectId } = tenant;
  const ids: string[] = [];
  for (let i = 0; i < 45; i++) {
    const credentials = { access_token: `token-${i}` };
    const grant_id = await addGrant(context.db, { projectId, credentials }, context.vault);
    const columns = { platform: 'sandbox', external_user_id: user, grant_id } as const;
    ids.push(await rest.insertAccount(projectId, columns));
  }
  const gate = Promise.withResolvers<void>();
  let [running, most, revoked] = [0, 0, 0];
  async function revoke() {
    most = Math.max(most, ++running);
    await gate.promise;
    running--;
    revoked++;
  }
  const erasing = erase({ ...platform, revoke });
  await expect.poll(() => running).toBe(20);
  gate.resolve();
  expect(await erasing).toEqual({ status: 204, data: null });
  expect(revoked).toBe(45);
  expect(most).toBeLessThanOrEqual(20);
  const erased = await Promise.all(ids.map((id) => readErasure(context.db, id)));
  expect(erased.every(({ is_erased }) => is_erased)).toBe(true);
});

test('an account that is connected again before its erasure is not erased, and keeps its ID', async () => {
  const id = await connect();
  await disconnect(id, { erase: false });
  expect((await readErasure(rest.context.db, id)).erase_at).not.toBeNull();
  expect(await connect()).toBe(id);
  expect(await readErasure(rest.context.db, id)).toEqual({
    account_name: 'Bakery',
    is_erased: false,
    erase_at: null,
  });
});

test('an erased account that the user connects again is a new one', async () => {
  const id = await connect();
  await disconnect(id, { erase: true });
  const body = { social_account_id: id };
  const refused = await rest.call('POST', '/v1/connect/sessions', { key: tenant.key, body });
  expect(refused.status).toBe(422);
  expect(refused.body.error.issues).toMatchObject([
    { path: 'social_account_id', code: 'unknown_account' },
  ]);
  expect(await connect()).not.toBe(id);
  expect(await listAccounts()).toEqual(['Bakery', 'Erased account']);
});
