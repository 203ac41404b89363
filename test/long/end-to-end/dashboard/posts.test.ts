// What people do with posts in the dashboard: follow them live, cure a failed one, move a planned one.
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../../support/app/chromium.ts';
import { expectNoBarriers } from '../../../support/dashboard/barriers.ts';
import { useDashboard } from '../../../support/dashboard/dashboard.ts';

describe.skipIf(!hasChromium)('posts in the dashboard', { timeout: 60_000 }, () => {
  const { tenant, tab } = useDashboard({
    env: { FANFARE_UNAVAILABLE_DELAYS_MS: '100', FANFARE_RECONCILE_DELAYS_MS: '0,100' },
  });

  test('lead from what needs someone to the cure: a failed target is retried', async () => {
    const ada = await tenant.connectSandbox('ada');
    const options = { outcome: 'unavailable', times: 2 };
    const { id } = await tenant.createPost({
      caption: 'Rehearsal',
      platform_posts: [{ account_id: ada.id, platform_options: options }],
    });
    await tenant.waitForPost(id);
    const { page } = tab;
    await tab.signIn(tenant.key);
    await expectNoBarriers(page);
    await tab.link('Rehearsal').click();
    await page.getByText('Retry it.').waitFor();
    await tab.button('Show the calls to the network').click();
    await page.getByRole('cell', { name: 'Unavailable', exact: true }).first().waitFor();
    await expectNoBarriers(page);
    await tab.link('Home').click();
    await tab.button('Retry Rehearsal').click();
    await page.getByText('Nothing needs you now.').waitFor();
  });

  test('that are refused are copied for the accounts that refused them', async () => {
    const ada = await tenant.connectSandbox('ada');
    const bob = await tenant.connectSandbox('bob');
    const { id } = await tenant.createPost({
      caption: 'Too loud',
      platform_posts: [
        { account_id: ada.id },
        { account_id: bob.id, platform_options: { outcome: 'rejected' } },
      ],
    });
    await tenant.waitForPost(id);
    const { page } = tab;
    await tab.signIn(tenant.key, `/posts/${id}`, 'Too loud');
    await page.getByText('Change the content, and publish it again.').waitFor();
    expect(await tab.button('Retry').count()).toBe(0);
    await tab.button('Copy for the failed accounts').click();
    await tab.heading('Edit the post').waitFor();
    const box = (name: string) => page.getByRole('checkbox', { name, exact: true });
    await expect.poll(() => box('Sandbox bob').isChecked()).toBe(true);
    expect(await box('Sandbox ada').isChecked()).toBe(false);
    await tab.button('Save the draft').click();
    await tab.heading('Too loud').waitFor();
    const { body } = await tenant.api.get('/v1/posts?status=draft');
    expect(body.data[0].results).toMatchObject([{ social_account_id: bob.id }]);
  });

  test('that may be public are retried only after a question', async () => {
    const ada = await tenant.connectSandbox('ada');
    const { id } = await tenant.createPost({
      caption: 'Lost',
      platform_posts: [{ account_id: ada.id, platform_options: { outcome: 'lost_and_hidden' } }],
    });
    await tenant.waitForPost(id);
    await tab.signIn(tenant.key, `/posts/${id}`, 'Lost');
    await tab.button('Retry').click();
    const dialog = tab.page.getByRole('dialog', { name: 'It may be public twice' });
    await dialog.getByText('Look there first.').waitFor();
    const status = async () => (await tenant.api.get(`/v1/posts/${id}`)).body.data.status;
    expect(await status()).toBe('failed');
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await dialog.waitFor({ state: 'detached' });
    await tab.page.getByRole('status').getByText('The retry has begun.').waitFor();
  });

  test('are listed live, with filters, and in pages', async () => {
    const ada = await tenant.connectSandbox('ada');
    await tab.signIn(tenant.key, '/posts');
    const { page } = tab;
    await page.getByText('There is no post yet').waitFor();
    const drafts = Array.from({ length: 27 }, (_, at) => ({
      caption: `Draft ${at}`,
      status: 'draft',
    }));
    await tenant.api.post('/v1/posts/bulk', { posts: drafts });
    await tenant.createPost({ caption: 'Live', labels: ['spring'], account_ids: [ada.id] });
    const items = page.getByRole('list', { name: 'Posts' }).getByRole('listitem');
    await expect.poll(() => items.count()).toBe(25);
    await items.filter({ hasText: 'Live' }).getByText('Published').waitFor();
    await tab.button('Next page').click();
    await expect.poll(() => items.count()).toBe(3);
    await page.getByLabel('Status').selectOption('PUBLISHED');
    await expect.poll(() => items.count()).toBe(1);
    expect(page.url()).toMatch(/\/posts\?status=PUBLISHED$/);
  });

  test('stand on one day of the calendar, even shortly before midnight', async () => {
    const { page } = tab;
    await tab.signIn(tenant.key);
    const timezone = await page.evaluate('Intl.DateTimeFormat().resolvedOptions().timeZone');
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const ada = await tenant.connectSandbox('ada');
    const schedule = { local: `${day}T23:50`, timezone };
    await tenant.createPost({ caption: 'Late', account_ids: [ada.id], schedule });
    await tab.visit('/calendar', 'Calendar');
    const post = (await page.getByRole('link', { name: /Late/ }).boundingBox())!;
    const cell = (await page.locator(`[data-date="${day}"]`).first().boundingBox())!;
    expect(post.width).toBeLessThanOrEqual(cell.width);
  });

  test('are moved to another day in the calendar, and keep their clock', async () => {
    const ada = await tenant.connectSandbox('ada');
    const day = (ahead: number) =>
      new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
    const { id } = await tenant.createPost({
      caption: 'Gala',
      account_ids: [ada.id],
      schedule: { local: `${day(1)}T23:00`, timezone: 'Pacific/Auckland' },
    });
    const { page, complaints } = tab;
    await tab.signIn(tenant.key, '/calendar');
    const event = page.getByRole('link', { name: /Gala/ });
    await event.waitFor();
    await page.getByRole('link', { name: / 1 post: posts on / }).click();
    await tab.link('Gala').waitFor();
    await page.goBack();
    await event.waitFor();
    const shownOn = await event.evaluate((link) =>
      link.closest('[data-date]')!.getAttribute('data-date')!,
    );
    const target = new Date(Date.parse(shownOn) + 86_400_000).toISOString().slice(0, 10);
    await event.dragTo(page.locator(`[data-date="${target}"]`).first());
    const local = async () => (await tenant.api.get(`/v1/posts/${id}`)).body.data.schedule.local;
    await expect.poll(local).toContain(`${day(2)}T23:00`);
    await page.getByText(/^Moved to [A-Z][a-z]{2} \d+, \d\d:\d\d\.$/).waitFor();
    expect(await event.locator('.event-title').innerText()).toBe('Gala');
    await page.getByRole('tab', { name: 'Week view' }).click();
    const top = async (text: string | RegExp) =>
      (await page.getByText(text, { exact: true }).first().boundingBox())!.y;
    // The hours before eight are above the days, out of sight.
    const order = async () => (await top('07:00')) < (await top(/^Mon \d/));
    await expect.poll(order).toBe(true);
    expect(await top('08:00')).toBeGreaterThan(await top(/^Mon \d/));
    expect(page.url()).toMatch(/calendar\?view=week&date=/);
    await page.goBack();
    await page.getByRole('tab', { name: 'Month view', selected: true }).waitFor();
    expect(page.url()).toMatch(/calendar$/);
    expect(complaints).toEqual([]);
  });
});
