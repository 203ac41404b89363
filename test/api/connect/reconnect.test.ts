// Sessions that connect one known account again.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { FormMethod } from '../../../activities/platforms/platform.ts';
import { beginConsent } from '../../support/app/consent.ts';
import {
  choose,
  origin,
  returnUrl,
  useHostedFlow,
} from '../../support/networks/oauth/hosted-flow.ts';

const flow = useHostedFlow();
const { rest, tenant, network, browse, createSession, readSession, listAccounts, logIn } = flow;

const post = (body: object, key = tenant.key) =>
  rest.call('POST', '/v1/connect/sessions', { key, body });

/** The ID of an account that a user connected. */
async function connect(externalId: string, userId = 'user-1'): Promise<string> {
  const browser = browse();
  const session = await createSession({ external_user_id: userId });
  await browser.submit(await logIn(browser, session), choose(externalId));
  return (await readSession(session)).completed_social_account_id;
}

const readAccount = async (id: string) =>
  (await rest.call('GET', `/v1/accounts/${id}`, { key: tenant.key })).body.data;

const setAccount = (id: string, columns: object) =>
  rest.context.db.updateTable('social_accounts').set(columns).where('id', '=', id).execute();

async function createReconnect(id: string, input: object = {}) {
  const { status, body } = await post({ social_account_id: id, ...input });
  expect(status).toBe(201);
  return body.data;
}

describe('POST /v1/connect/sessions with social_account_id', () => {
  test("takes the account's network and user", async () => {
    const id = await connect('page-1');
    const session = await createReconnect(id);
    expect(session).toMatchObject({
      platform: 'sandbox',
      external_user_id: 'user-1',
      social_account_id: id,
      status: 'pending',
    });
    expect(await readSession(session)).toEqual({ ...session, url: null });
  });

  test.each([
    [{}, ['platform required', 'external_user_id required']],
    [{ platform: 'sandbox' }, ['external_user_id required']],
    [
      {
        social_account_id: 'sa_1',
        platform: 'sandbox',
        external_user_id: 'u',
        external_user_email: 'u@example.com',
      },
      [
        'platform set_by_account',
        'external_user_id set_by_account',
        'external_user_email set_by_account',
      ],
    ],
    [{ social_account_id: 'sa_unknown' }, ['social_account_id unknown_account']],
  ])('refuses %j', async (body, expected) => {
    const answer = await post(body);
    expect(answer.status).toBe(422);
    const issues: { path: string; code: string }[] = answer.body.error.issues;
    expect(issues.map(({ path, code }) => `${path} ${code}`)).toEqual(expected);
  });

  test("finds no account of another project, or outside a test key's environment", async () => {
    const id = await rest.insertAccount(tenant.projectId);
    const other = await rest.createTenant();
    const { projectId } = tenant;
    const testing = await rest.createTenant({ projectId, environment: 'test' });
    for (const { key } of [other, testing]) {
      const answer = await post({ social_account_id: id }, key);
      expect(answer.status).toBe(422);
      expect(answer.body.error.issues[0].code).toBe('unknown_account');
    }
    expect((await post({ social_account_id: id })).status).toBe(201);
  });
});

describe('a consent', () => {
  test.each(['reconnect_required', 'disconnected', 'active'])(
    'reconnects an account that is %s, without a choice, and no other account',
    async (status) => {
      const id = await connect('page-2');
      await setAccount(id, { status });
      const before = await readAccount(id);
      const session = await createReconnect(id, { return_url: returnUrl });
      const browser = browse();
      const consent = await beginConsent(browser, session.url);
      const ended = await browser.request(await flow.findCallback(consent));
      expect(ended.headers.get('Location')).toBe(
        `${returnUrl}&status=completed&session_id=${session.id}&account_id=${id}`,
      );
      expect(await listAccounts()).toEqual(['Garden']);
      const after = await readAccount(id);
      expect(after).toEqual({
        ...before,
        status: 'active',
        connected_at: after.connected_at,
        token_expires_at: after.token_expires_at,
      });
      expect(after.connected_at > before.connected_at).toBe(true);
      expect(await readSession(session)).toMatchObject({
        status: 'completed',
        completed_social_account_ids: [id],
      });
    },
  );

  test('reconnects an account without a user, and leaves it without one', async () => {
    const id = await connect('page-1');
    await setAccount(id, { external_user_id: null });
    const session = await createReconnect(id);
    expect(session.external_user_id).toBeNull();
    await logIn(browse(), session);
    expect(await readSession(session)).toMatchObject({ status: 'completed' });
    expect((await readAccount(id)).external_user_id).toBeNull();
  });

  test('is refused and revoked if it does not reach the account, and can be repeated', async () => {
    const id = await connect('page-1');
    const live = network.countLiveGrants();
    const all = [...network.accounts];
    network.accounts = all.filter((account) => account.id !== 'page-1');
    const session = await createReconnect(id);
    const browser = browse();
    const refused = await logIn(browser, session);
    expect(refused.status).toBe(409);
    expect(refused.html).toContain(
      'This login does not reach the account Bakery. Log in as a user who can post to it.',
    );
    expect(network.countLiveGrants()).toBe(live);
    expect(await readSession(session)).toMatchObject({
      status: 'pending',
      completed_social_account_ids: [],
    });
    expect(await listAccounts()).toEqual(['Bakery']);
    network.accounts = all;
    const link = /href="([^"]*)">Try again/.exec(refused.html)![1]!;
    const again = await beginConsent(browser, new URL(link, origin).href);
    await browser.submit(again, { decision: 'allow' });
    expect(await readSession(session)).toMatchObject({ status: 'completed' });
  });

  test('is refused with the reason why the account cannot be used', async () => {
    const id = await connect('page-1');
    network.accounts[0]!.problem = 'You are not an editor any more.';
    const refused = await logIn(browse(), await createReconnect(id));
    expect(refused.html).toContain('Bakery: You are not an editor any more.');
    expect(network.countLiveGrants()).toBe(1);
  });

  test.each([
    ['user-1', 'user-2', 'active'],
    ['user-1', 'user-2', 'disconnected'],
    ['user-1', 'user-2', 'reconnect_required'],
    ['user-1', null, 'disconnected'],
    [null, 'user-2', 'disconnected'],
  ])(
    'is refused if the account has moved from the user %s to %s, and is %s',
    async (before, now, status) => {
      const id = await connect('page-1');
      await setAccount(id, { external_user_id: before });
      const session = await createReconnect(id);
      await setAccount(id, { external_user_id: now, status });
      const live = network.countLiveGrants();
      const refused = await logIn(browse(), session);
      expect(refused.status).toBe(409);
      expect(refused.html).toContain(
        'The account Bakery no longer belongs to the user of this link.',
      );
      expect(await readAccount(id)).toMatchObject({ external_user_id: now, status });
      expect(await readSession(session)).toMatchObject({ status: 'pending' });
      expect(network.countLiveGrants()).toBe(live);
    },
  );
});

test('a form names the account, and refuses credentials of any other account', async () => {
  const id = await connect('page-1');
  const method: FormMethod = {
    kind: 'form',
    fields: z.strictObject({ access_token: z.string() }),
    run({ access_token }) {
      const externalAccountId = access_token!;
      const account = { externalAccountId, accountName: externalAccountId, problem: null };
      return Promise.resolve({
        credentials: { access_token: 'x' },
        scope: ['accounts', 'publish'],
        tokenExpiresAt: null,
        accounts: [account],
      });
    },
  };
  const browser = browse(flow.withMethods(method));
  const session = await createReconnect(id);
  const form = await browser.visit(session.url);
  expect(form.html).toContain('<h1>Reconnect your Sandbox account</h1>');
  expect(form.html).toContain('again, as <bdi>Bakery</bdi>.');
  const refused = await browser.submit(form, { access_token: 'page-9', decision: 'connect' });
  expect(refused.status).toBe(422);
  expect(refused.html).toContain('This login does not reach the account Bakery.');
  await browser.submit(refused, { access_token: 'page-1', decision: 'connect' });
  expect(await readSession(session)).toMatchObject({ completed_social_account_ids: [id] });
});
