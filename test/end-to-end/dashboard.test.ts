// The dashboard in a real browser: signing in, and what support and marketing do with it.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useApp } from '../support/app/app.ts';
import { hasChromium } from '../support/app/chromium.ts';
import {
  expectNoBarriers,
  startDashboardBrowser,
  type DashboardBrowser,
  type DashboardPage,
} from '../support/dashboard/browser.ts';
import type { Tenant } from '../support/app/seed.ts';
import { startReceiver, type Receiver } from '../support/receivers/receiver.ts';

const app = useApp();
/** The budget of the first page. */
const maxScriptBytes = 250 * 1_024;
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let browser: DashboardBrowser;
let receiver: Receiver;
let tenant: Tenant;
let opened: DashboardPage;

beforeAll(async () => {
  if (!hasChromium) return;
  browser = await startDashboardBrowser();
  receiver = await startReceiver();
});
afterAll(async () => {
  if (!hasChromium) return;
  await browser[Symbol.asyncDispose]();
  await receiver.close();
});
beforeEach(async () => {
  if (!hasChromium) return;
  tenant = await app.createTenant('Brass & Co');
  opened = await browser.newPage();
  return () => opened.context.close();
});

const open = (path: string) => opened.page.goto(`${app.url}/dashboard${path}`);
const heading = (name: string) => opened.page.getByRole('heading', { level: 1, name });
const button = (name: string) => opened.page.getByRole('button', { name, exact: true });

describe.skipIf(!hasChromium)('the dashboard', { timeout: 90_000 }, () => {
  test('signs in with a key, keeps it nowhere, and signs out in every tab', async () => {
    const { page, context, complaints } = opened;
    await page.goto(`${app.url}/dashboard`);
    await heading('Sign in to Fanfare').waitFor();
    await expectNoBarriers(page);
    await page.getByLabel('API key').fill('fan_live_wrong');
    await button('Sign in').click();
    await page.getByText('The key is unknown, revoked or expired.').waitFor();
    await page.getByLabel('API key').fill(tenant.key);
    await page.keyboard.press('Enter');
    await heading('Home').waitFor();

    const kept = 'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])';
    expect(await page.evaluate(kept)).not.toContain('fan_');
    const second = await context.newPage();
    await second.goto(`${app.url}/dashboard/posts`);
    await second.getByRole('heading', { level: 1, name: 'Posts' }).waitFor();
    await button('Sign out').click();
    await heading('Sign in to Fanfare').waitFor();
    await second.getByText('Your session has ended. Sign in again.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('removes a code from the address at once, and says that it is used', async () => {
    const { page } = opened;
    await page.goto(`${app.url}/dashboard#code=used`);
    await page.getByText('The link is unknown, used or expired').waitFor();
    expect(page.url()).toBe(`${app.url}/dashboard`);
  });

  test('says which scope a page needs', async () => {
    const { body } = await tenant.api.post('/v1/api-keys', {
      name: 'posts',
      scopes: ['posts:read'],
    });
    await opened.signIn(app.url, body.data.key);
    await open('/webhooks');
    await heading('This key is not enough').waitFor();
    expect(await opened.page.getByRole('main').innerText()).toContain('webhooks:read');
  });

  test('writes a post with a picture, which goes from pending to published without a reload', async () => {
    await tenant.connectSandbox('ada');
    const bob = await tenant.connectSandbox('bob');
    const { page, complaints } = opened;
    await opened.signIn(app.url, tenant.key);
    await page.getByRole('link', { name: 'New post' }).click();
    await page.getByLabel('Sandbox ada').check();
    await page.getByLabel('Sandbox bob').check();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('a'.repeat(5_001));
    await page.getByText('5,001 of 5,000').first().waitFor();
    await expect.poll(() => button('Publish now').isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Drums & <b>brass</b>');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: pixel });
    await page.getByLabel("Description for people who can't see it").fill('A dot');
    const panel = page.getByRole('region', { name: 'Sandbox bob' });
    await panel.getByText('First comment and options').click();
    await panel.getByLabel('Delay ms').fill('1500');
    await expectNoBarriers(page);
    await button('Publish now').click();

    await heading('Drums & <b>brass</b>').waitFor();
    const target = page.getByRole('listitem').filter({ hasText: `Sandbox ${bob.account_name}` });
    await target.getByText(/^(Pending|Publishing)$/).waitFor();
    await target.getByText('Published', { exact: true }).waitFor();
    const { body } = await tenant.api.get('/v1/posts');
    expect(body.data).toHaveLength(1);
    expect(body.data[0].media[0].alt_text).toBe('A dot');
    await expectNoBarriers(page);
    expect(complaints).toEqual([]);
  });

  test('leads from what needs someone to the cure: a failed target is retried', async () => {
    const ada = await tenant.connectSandbox('ada');
    const options = { outcome: 'rejected', times: 1 };
    const { id } = await tenant.createPost({
      caption: 'Rehearsal',
      platform_posts: [{ account_id: ada.id, platform_options: options }],
    });
    await tenant.waitForPost(id);
    const { page } = opened;
    await opened.signIn(app.url, tenant.key);
    await expectNoBarriers(page);
    await page.getByRole('link', { name: 'Rehearsal' }).click();
    await page.getByText('Change the content, and publish it again.').waitFor();
    await button('Show the calls to the network').click();
    await page.getByRole('cell', { name: 'Rejected', exact: true }).waitFor();
    await expectNoBarriers(page);
    await button('Retry').click();
    await page.getByText('Published', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByText('Nothing needs you now.').waitFor();
  });

  test('shows why a webhook fails; one delivery is sent again, and the rest is replayed', async () => {
    receiver.respondWith(() => ({ status: 410, body: 'moved <script>alert(1)</script>' }));
    const ada = await tenant.connectSandbox('ada');
    const webhook = await tenant.createWebhook(`${receiver.url}/hook`);
    const publish = (caption: string) => tenant.createPost({ caption, account_ids: [ada.id] });
    for (const caption of ['One', 'Two']) await tenant.waitForPost((await publish(caption)).id);
    const { page } = opened;
    await opened.signIn(app.url, tenant.key);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('link', { name: webhook.url }).click();
    const deliveries = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    await expect.poll(() => deliveries.count()).toBe(2);
    await expectNoBarriers(page);
    await deliveries.first().getByRole('link').click();
    await page.getByText('HTTP 410').first().waitFor();
    await page.getByText('Headers and answer').first().click();
    await page.getByText('moved <script>alert(1)</script>').first().waitFor();
    await expectNoBarriers(page);

    receiver.respondWith(() => ({ status: 200 }));
    await button('Send it again').click();
    await page.getByText('HTTP 200').waitFor();
    await page.goBack();
    await button('Replay').click();
    await page.getByLabel('Which').selectOption('DELIVERED');
    await expectNoBarriers(page);
    await button('Start the replay').click();
    await page.getByRole('list', { name: 'Replays' }).getByText('Completed').waitFor();
  });

  test('follows a list of posts live, filters it, and shows it in pages', async () => {
    const ada = await tenant.connectSandbox('ada');
    await opened.signIn(app.url, tenant.key);
    const { page } = opened;
    await page.getByRole('link', { name: 'Posts', exact: true }).click();
    await page.getByText('There is no post yet').waitFor();
    await expectNoBarriers(page);
    const drafts = Array.from({ length: 27 }, (_, at) => ({
      caption: `Draft ${at}`,
      status: 'draft',
    }));
    await tenant.api.post('/v1/posts/bulk', { posts: drafts });
    await tenant.createPost({ caption: 'Live', labels: ['spring'], account_ids: [ada.id] });
    const items = page.getByRole('list', { name: 'Posts' }).getByRole('listitem');
    await expect.poll(() => items.count()).toBe(25);
    await items.filter({ hasText: 'Live' }).getByText('Published').waitFor();
    await expectNoBarriers(page);
    await button('Next page').click();
    await expect.poll(() => items.count()).toBe(3);
    await page.getByLabel('Status').selectOption('PUBLISHED');
    await expect.poll(() => items.count()).toBe(1);
    expect(page.url()).toMatch(/\/posts\?status=PUBLISHED$/);
  });

  test('makes a link with which an account is connected, and checks the account', async () => {
    const ada = await tenant.connectSandbox('ada');
    await opened.signIn(app.url, tenant.key);
    const { page } = opened;
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByRole('list', { name: 'Accounts' }).getByText('ada').waitFor();
    await button('Connect an account').click();
    await page.getByLabel('Network').selectOption('SANDBOX');
    await page.getByRole('textbox', { name: 'Your ID of the user' }).fill('user-1');
    await button('Make a link').click();
    await page.getByText(`${app.url}/connect/`).waitFor();
    await expectNoBarriers(page);
    await page.keyboard.press('Escape');
    await open(`/accounts/${ada.id}`);
    await button('Check now').click();
    await page.getByText('Passed').first().waitFor();
    await expectNoBarriers(page);
  });

  test('moves a scheduled post to another day, and keeps its clock', async () => {
    const ada = await tenant.connectSandbox('ada');
    const day = (ahead: number) =>
      new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
    const { id } = await tenant.createPost({
      caption: 'Gala',
      account_ids: [ada.id],
      schedule: { local: `${day(1)}T09:00`, timezone: 'Pacific/Auckland' },
    });
    const { page, complaints } = opened;
    await opened.signIn(app.url, tenant.key);
    await page.getByRole('link', { name: 'Calendar' }).click();
    const event = page.getByRole('link', { name: /Gala/ });
    await event.waitFor();
    await expectNoBarriers(page);
    await page.getByRole('link', { name: /· 1: posts on / }).click();
    await page.getByRole('link', { name: 'Gala' }).waitFor();
    await page.goBack();
    await event.waitFor();
    const shownOn = await event.evaluate((link) =>
      link.closest('[data-date]')!.getAttribute('data-date')!,
    );
    const target = new Date(Date.parse(shownOn) + 86_400_000).toISOString().slice(0, 10);
    await event.dragTo(page.locator(`[data-date="${target}"]`).first());
    const local = async () => (await tenant.api.get(`/v1/posts/${id}`)).body.data.schedule.local;
    await expect.poll(local).toContain(`${day(2)}T09:00`);
    expect(complaints).toEqual([]);
  });

  test('has no barrier on the other pages', async () => {
    const ada = await tenant.connectSandbox('ada');
    const { body } = await tenant.api.post('/v1/queues', {
      name: 'Mornings',
      timezone: 'Europe/Berlin',
      account_ids: [ada.id],
      slots: [{ weekday: 'mon', time: '09:00' }],
    });
    await opened.signIn(app.url, tenant.key);
    const pages = {
      '/users': 'Users',
      '/queues': 'Queues',
      [`/queues/${body.data.id}`]: 'Mornings',
      '/settings': 'Settings',
      '/developers': 'Developers',
      '/webhooks': 'Webhooks',
      '/nothing': 'There is nothing here',
    };
    for (const [path, title] of Object.entries(pages)) {
      await open(path);
      await heading(title).waitFor();
      await opened.page.getByText('Loading…').waitFor({ state: 'detached' });
      await expectNoBarriers(opened.page);
    }
    expect(opened.complaints).toEqual([]);
  });

  test('says that the server is gone, and catches up when it is back', async () => {
    const { page } = opened;
    const ada = await tenant.connectSandbox('ada');
    await opened.signIn(app.url, tenant.key);
    await page.getByRole('link', { name: 'Posts', exact: true }).click();
    await page.getByText('There is no post yet').waitFor();
    // Cuts the open socket too.
    await opened.context.setOffline(true);
    await page.getByText('The server does not answer.').waitFor({ timeout: 25_000 });
    const { id } = await tenant.createPost({ caption: 'Meanwhile', account_ids: [ada.id] });
    await tenant.waitForPost(id);
    await opened.context.setOffline(false);
    await page.getByText('Meanwhile').waitFor();
    await page.getByText('The server does not answer.').waitFor({ state: 'detached' });
  });

  test('loads at most 250 kB of compressed script for the first page', async () => {
    const sizes: Promise<number>[] = [];
    opened.page.on('response', (response) => {
      if (!response.url().endsWith('.js')) return;
      sizes.push(response.body().then((body) => gzipSync(body).length));
    });
    await opened.signIn(app.url, tenant.key);
    const loaded = await Promise.all(sizes);
    expect(loaded.length).toBeGreaterThan(1);
    expect(loaded.reduce((sum, size) => sum + size)).toBeLessThan(maxScriptBytes);
  });
});
