// Signing in to the dashboard in a real browser, and what ends a session.
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createSignInUrl } from '../../../api/dashboard/sign-in.ts';
import { hasChromium } from '../../support/app/chromium.ts';
import { expectNoBarriers } from '../../support/dashboard/barriers.ts';
import { newTab } from '../../support/dashboard/browser.ts';
import { useDashboard } from '../../support/dashboard/dashboard.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';

/** The budget of the first page. */
const maxScriptBytes = 250 * 1_024;
const ended = 'Your session has ended. Sign in again.';

describe.skipIf(!hasChromium)('signing in to the dashboard', { timeout: 60_000 }, () => {
  const { app, browser, tenant, tab } = useDashboard();

  async function makeKey(values: object = {}): Promise<{ id: string; key: string }> {
    return (await tenant.api.post('/v1/api-keys', { name: 'brief', ...values })).body.data;
  }

  test('takes a key, keeps it nowhere, and ends in every tab', async () => {
    const { page, context, complaints } = tab;
    await page.goto(`${app.url}/dashboard`);
    await tab.heading('Sign in to Fanfare').waitFor();
    await expectNoBarriers(page);
    await tab.button('Sign in').click();
    await page.getByText('Paste an API key first.').waitFor();
    await page.getByLabel('API key').fill(tenant.key);
    await page.keyboard.press('Enter');
    await tab.heading('Home').waitFor();

    const kept = 'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])';
    expect(await page.evaluate(kept)).not.toContain('fan_');
    const second = await context.newPage();
    await second.goto(`${app.url}/dashboard/posts`);
    await second.getByRole('heading', { level: 1, name: 'Posts' }).waitFor();
    await tab.button('Sign out').click();
    await tab.heading('Sign in to Fanfare').waitFor();
    await second.getByText(ended).waitFor();
    expect(complaints).toEqual([]);
  });

  test('refuses a wrong, a revoked and an expired key', async () => {
    const revoked = await makeKey();
    await tenant.api.delete(`/v1/api-keys/${revoked.id}`);
    const expired = await makeKey();
    await app.context.db
      .updateTable('api_keys')
      .set({ expires_at: new Date() })
      .where('id', '=', expired.id)
      .execute();
    await tab.page.goto(`${app.url}/dashboard`);
    const problem = tab.page.getByText('The key is unknown, revoked or expired.');
    for (const key of ['fan_live_wrong', revoked.key, expired.key, '<script>alert(1)</script>']) {
      await tab.page.getByLabel('API key').fill(key);
      const answered = tab.page.waitForResponse('**/dashboard/session');
      await tab.button('Sign in').click();
      expect((await answered).status()).toBe(422);
      await problem.waitFor();
    }
    expect(await tab.page.getByLabel('API key').getAttribute('aria-invalid')).toBe('true');
  });

  test('takes a link with a code, removes the code at once, and takes it only once', async () => {
    const { page } = tab;
    const { id } = await makeKey({ name: 'Laptop' });
    const url = (await createSignInUrl(app.context, id))!;
    await page.goto(url);
    await tab.heading('Home').waitFor();
    await page.getByText('Signed in with “Laptop”').waitFor();
    expect(page.url()).toBe(`${app.url}/dashboard`);
    await tab.button('Sign out').click();
    await page.goto('about:blank');
    await page.goto(url);
    await page.getByText('The link is unknown, used or expired').waitFor();
    expect(page.url()).toBe(`${app.url}/dashboard`);
    const broken = await page.goto(`${app.url}/dashboard/nothing.png`);
    expect([broken!.status(), await tab.heading('There is nothing here').count()]).toEqual([
      404, 1,
    ]);
  });

  test('stays open, and says so, if the server refuses to end it', async () => {
    const { page } = tab;
    await tab.signIn(tenant.key);
    let isFailing = true;
    await page.route('**/dashboard/session', (route) =>
      isFailing ? route.fulfill({ status: 500, body: '' }) : route.continue(),
    );
    await tab.button('Sign out').click();
    await page.getByText('The server does not answer. Try again in a moment.').waitFor();
    await tab.heading('Home').waitFor();
    isFailing = false;
    await tab.button('Sign out').click();
    await tab.heading('Sign in to Fanfare').waitFor();
  });

  test('ends within seconds when the key is revoked, while a page is open', async () => {
    const { id, key } = await makeKey();
    await tab.signIn(key, '/posts', 'Posts');
    await tenant.api.delete(`/v1/api-keys/${id}`);
    await tab.page.getByText(ended).waitFor();
  });

  test('opens nothing to a page of another origin, although the browser sends the cookie', async () => {
    // Another port is another origin, but the same site.
    await using foreign = await startReceiver({
      respond: () => ({ headers: { 'Content-Type': 'text/html' }, body: '<h1>Foreign</h1>' }),
    });
    await tab.signIn(tenant.key);
    const page = await tab.context.newPage();
    await page.goto(foreign.url);
    const connection = JSON.stringify({ type: 'connection_init', payload: { session: true } });
    const ended = await page.evaluate(`new Promise((resolve) => {
      const url = '${app.url.replace('http', 'ws')}/graphql';
      const socket = new WebSocket(url, 'graphql-transport-ws');
      socket.onopen = () => socket.send('${connection}');
      socket.onmessage = ({ data }) => resolve(data);
      socket.onclose = ({ code }) => resolve(code);
    })`);
    expect(ended).toBe(4401);
    const query = JSON.stringify({ query: '{ currentApiKey { apiKey { id } } }' });
    const send = (headers: object) =>
      page.evaluate(`fetch('${app.url}/graphql', {
        method: 'POST',
        credentials: 'include',
        headers: ${JSON.stringify(headers)},
        body: '${query}',
      }).then((response) => response.text(), (error) => error.name)`);
    const json = { 'Content-Type': 'application/json' };
    expect(await send({ ...json, 'X-Fanfare-Session': '1' })).toBe('TypeError');
    expect(await send({ 'Content-Type': 'text/plain' })).toBe('TypeError');
    await tab.open('/posts', 'Posts');
  });

  test('loads at most 250 kB of compressed script for the first page', async () => {
    const sizes: Promise<number>[] = [];
    // Without the cache of the other tests.
    const first = await newTab(app.url, await browser.newContext());
    first.page.on('response', (response) => {
      if (!response.url().endsWith('.js')) return;
      sizes.push(response.body().then((body) => gzipSync(body).length));
    });
    await first.signIn(tenant.key);
    const loaded = await Promise.all(sizes);
    expect(loaded.length).toBeGreaterThan(1);
    expect(loaded.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(maxScriptBytes);
  });
});
