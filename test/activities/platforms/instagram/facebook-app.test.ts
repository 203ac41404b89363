// An Instagram account is connected with a project's app of Facebook alone. Meta's calls end its login, then erase it.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../../support/app/app.ts';
import { createBrowser } from '../../../support/app/browser.ts';
import { payloadOf, signRequest } from '../../../support/networks/meta/callbacks.ts';
import { createSwitchboard } from '../../../support/networks/faults.ts';
import type { RunningNetwork } from '../../../support/networks/contract/subject.ts';
import { pageOf } from '../../../support/networks/instagram/facebook-side.ts';
import { InstagramServer } from '../../../support/networks/instagram/server.ts';
import { startNetwork } from '../../../support/networks/instagram/subject.ts';

const server = new InstagramServer();
const { logins } = server.facebook;
let network: RunningNetwork;
let app: TestApp;
beforeAll(async () => {
  network = await startNetwork(createSwitchboard(), server);
  const noApp = { FANFARE_INSTAGRAM_CLIENT_ID: '', FANFARE_INSTAGRAM_CLIENT_SECRET: '' };
  app = await startApp({
    env: { ...network.env, ...noApp },
    roles: { api: true, worker: false },
  });
});
afterAll(async () => {
  await app?.stop();
  await network?.[Symbol.asyncDispose]();
});

test('a login at Facebook connects an account, and the reports of Meta end its login and erase it', async () => {
  const session = { platform: 'instagram', external_user_id: 'user-1' };
  const refused = await app.api.post('/v1/connect/sessions', session);
  expect(refused.body.error.issues).toMatchObject([{ code: 'platform_not_configured' }]);
  const { id: client_id, secret: client_secret } = logins.client;
  const path = '/v1/platform-credentials/facebook';
  const set = await app.api.call('PUT', path, { client_id, client_secret });
  const urls = set.body.data.callback_urls as Record<string, string>;
  expect(urls['deauthorize']).toMatch(`${app.url}/inbound/meta/`);

  logins.pages.splice(0, Infinity, pageOf(server.user.id));
  const { id, url, login } = (await app.api.post('/v1/connect/sessions', session)).body.data;
  expect(login).toBe('facebook');
  const browser = createBrowser();
  const consent = await browser.submit(await browser.visit(url), { decision: 'connect' });
  await browser.submit(consent, { decision: 'allow' });
  const ended = await app.api.get(`/v1/connect/sessions/${id}`);
  expect(ended.body.data).toMatchObject({ status: 'completed' });
  const accountId = ended.body.data.completed_social_account_id as string;

  const call = (to: string) => {
    const signed_request = signRequest(payloadOf(logins.user.id), client_secret);
    return fetch(to, { method: 'POST', body: new URLSearchParams({ signed_request }) });
  };
  expect((await call(urls['deauthorize']!)).status).toBe(200);
  const account = `/v1/accounts/${accountId}`;
  expect((await app.api.get(account)).body.data.status).toBe('reconnect_required');
  const deleted = await call(urls['data_deletion']!);
  expect(deleted.status).toBe(200);
  expect((await app.api.get(account)).body.data).toMatchObject({
    status: 'disconnected',
    account_name: 'Erased account',
  });
  const { url: shown } = (await deleted.json()) as { url: string };
  const page = await fetch(shown);
  expect([page.status, page.headers.get('Content-Type')]).toEqual([
    200,
    'text/html; charset=utf-8',
  ]);
});
