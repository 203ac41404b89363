// The forms of the dashboard in a real browser: media, changes of a post, threads, filters of the calendar, and apps.
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../../support/app/chromium.ts';
import { expectNoBarriers } from '../../../support/dashboard/barriers.ts';
import { useDashboard } from '../../../support/dashboard/dashboard.ts';
import { dotPng } from '../../../support/dashboard/pictures.ts';
import { forFile } from '../../../support/fixtures.ts';
import { startReceiver } from '../../../support/receivers/receiver.ts';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

describe.skipIf(!hasChromium)('the dashboard', { timeout: 90_000 }, () => {
  const { app, tenant, tab } = useDashboard();
  const receiver = forFile(() => startReceiver());
  const list = (name: string) =>
    tab.page.getByRole('list', { name, exact: true }).getByRole('listitem');

  test('uploads media, continues an upload that broke off, and deletes media', async () => {
    await tenant.connectSandbox('ada');
    const { page, complaints } = tab;
    await tab.signIn(tenant.key, '/media');
    await page.getByText('There are no media yet').waitFor();
    await expectNoBarriers(page);
    await page.locator('input[type=file]').first().setInputFiles(dotPng);
    const dot = list('Media').filter({ hasText: 'dot.png' });
    await dot.getByText('Uploaded', { exact: true }).waitFor();
    await dot.locator('img').waitFor();
    await dot.getByText('image/png').waitFor();
    await dot.getByText('unless a post uses it').waitFor();

    const body = {
      filename: 'late.png',
      content_type: 'image/png',
      size_bytes: dotPng.buffer.length,
    };
    await tenant.api.post('/v1/media', body);
    const late = list('Media').filter({ hasText: 'late.png' });
    await late.getByText('The upload can continue until').waitFor();
    await expectNoBarriers(page);
    await late.locator('input[type=file]').setInputFiles({ ...dotPng, name: 'late.png' });
    await late.getByText('Uploaded', { exact: true }).waitFor();

    await tab.link('New post').click();
    await tab.button('Choose from recent uploads').click();
    await tab.button('Choose dot.png').click();
    await page.getByRole('dialog').getByText('Chosen').waitFor();
    await expectNoBarriers(page);
    await tab.button('Done').click();
    await list('Media of the post').getByText('dot.png').waitFor();
    await page.goBack();
    await dot.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await dot.getByText('Deleted', { exact: true }).waitFor();
    for (let i = 0; i < 25; i++) await tenant.api.post('/v1/media', body);
    await expect.poll(() => list('Media').count()).toBe(25);
    await tab.button('Next page').click();
    await expect.poll(() => list('Media').count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  test('shows publishing and deliveries by outcome', async () => {
    const ada = await tenant.connectSandbox('ada');
    await tenant.createWebhook(`${receiver.url}/hook`);
    const { id } = await tenant.createPost({ caption: 'Hello', account_ids: [ada.id] });
    await tenant.waitForPost(id);
    await tab.signIn(tenant.key);
    await list('Posts by day and outcome').getByText(': 1 published,').waitFor();
    await list('Deliveries by day and outcome').getByText(': 1 delivered,').waitFor();
    await tab.page.getByRole('heading', { name: 'Publishing: 1', exact: true }).waitFor();
    expect(tab.complaints).toEqual([]);
  });

  test('changes the options and the accounts of a scheduled post', async () => {
    const ada = await tenant.connectSandbox('ada');
    const bob = await tenant.connectSandbox('bob');
    const scheduledAt = inDays(2);
    const { id } = await tenant.createPost({
      caption: 'Rehearsal',
      scheduled_at: scheduledAt,
      platform_posts: [
        { account_id: ada.id, platform_options: { outcome: 'rate_limited', delay_ms: 5 } },
      ],
    });
    const { page, complaints } = tab;
    await tab.signIn(tenant.key, `/compose?post=${id}`);
    const panel = page.getByRole('region', { name: 'Sandbox ada' });
    await panel.getByText('First comment and options').click();
    await expect.poll(() => panel.getByLabel('Delay ms').inputValue()).toBe('5');
    await expect.poll(() => panel.getByLabel('Outcome').first().inputValue()).toBe('rate_limited');
    await panel.locator('code', { hasText: 'Retry-After' }).first().waitFor();
    await panel.getByLabel('Delay ms').fill('7');
    await page.getByLabel('Sandbox bob').check();
    await page.getByRole('region', { name: 'Sandbox bob' }).getByLabel('Another text').check();
    await page.getByLabel('Text for Sandbox bob').fill('Rehearsal for Bob');
    await tab.button('Schedule').click();
    await tab.heading('Rehearsal').waitFor();
    const { body } = await tenant.api.get(`/v1/posts/${id}`);
    expect(body.data).toMatchObject({
      status: 'scheduled',
      caption: 'Rehearsal',
      results: [
        {
          social_account_id: ada.id,
          platform_options: { outcome: 'rate_limited', delay_ms: 7 },
        },
        { social_account_id: bob.id, caption: 'Rehearsal for Bob' },
      ],
    });
    expect(Date.parse(body.data.scheduled_at)).toBe(Date.parse(scheduledAt));

    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await panel.getByText('First comment and options').click();
    await expect.poll(() => panel.getByLabel('Delay ms').inputValue()).toBe('7');
    await page.getByLabel('Text for Sandbox bob').fill('Changed for Bob');
    await tab.button('Schedule').click();
    await tab.heading('Rehearsal').waitFor();
    const changed = await tenant.api.get(`/v1/posts/${id}`);
    expect(changed.body.data.results).toMatchObject([
      { platform_options: { outcome: 'rate_limited', delay_ms: 7 } },
      { caption: 'Changed for Bob' },
    ]);
    expect(complaints).toEqual([]);
  });

  test('writes a thread with a picture in its second part, and reads it in a copy', async () => {
    await tenant.connectSandbox('ada');
    const { page, complaints } = tab;
    await tab.signIn(tenant.key, '/compose');
    await page.getByLabel('Sandbox ada').check();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('One');
    await tab.button('Continue as a thread').click();
    await tab.button('Publish now').click();
    const part = page.getByRole('group', { name: 'Part 2', exact: true });
    await part.getByText('Write a text.').waitFor();
    await part.getByLabel('Text of part 2').fill('b'.repeat(5_001));
    await part.getByText('5,001 of 5,000 – too long').waitFor();
    await part.getByText('Sandbox takes 5000').waitFor();
    await part.getByLabel('Text of part 2').fill('Two');
    await part.locator('input[type=file]').setInputFiles(dotPng);
    await expectNoBarriers(page);
    await tab.button('Publish now').click();
    await tab.heading('One').waitFor();
    await expect
      .poll(() => page.getByText('Published', { exact: true }).count())
      .toBeGreaterThan(2);
    const { body } = await tenant.api.get('/v1/posts');
    expect(body.data[0].results).toMatchObject([
      { thread_position: 1, caption: 'One', media: [] },
      { thread_position: 2, caption: 'Two', media: [{ id: expect.any(String) }] },
    ]);
    await page.getByText('Part 2 of 2').waitFor();
    await tab.button('Duplicate').click();
    await tab.heading('Edit the post').waitFor();
    expect(await tab.link('Posts').getAttribute('aria-current')).toBe('page');
    expect(await tab.link('New post').getAttribute('aria-current')).toBeNull();
    await expect.poll(() => page.getByLabel('Text of part 2').inputValue()).toBe('Two');
    await tab.button('Remove part 2').click();
    await tab.button('Save the draft').click();
    await tab.heading('One').waitFor();
    await expect
      .poll(async () => (await tenant.api.get('/v1/posts?status=draft')).body.data[0].results)
      .toMatchObject([{ thread_position: null, caption: 'One' }]);
    expect(complaints).toEqual([]);
  });

  test('filters the calendar by label, account and user, and counts what is left', async () => {
    const ada = await tenant.connectSandbox('ada', { external_user_id: 'user-ada' });
    const bob = await tenant.connectSandbox('bob', { external_user_id: 'user-bob' });
    const scheduled = { scheduled_at: inDays(1) };
    await tenant.createPost({
      caption: 'Gala',
      labels: ['spring'],
      account_ids: [ada.id],
      ...scheduled,
    });
    await tenant.createPost({ caption: 'Fair', account_ids: [bob.id], ...scheduled });
    const { page } = tab;
    await tab.signIn(tenant.key, '/calendar');
    const gala = page.getByRole('link', { name: /^Gala|Gala \(/ });
    const fair = page.getByRole('link', { name: /^Fair|Fair \(/ });
    await fair.waitFor();
    const counted = (count: number) =>
      page.getByRole('link', { name: ` ${count} ${count === 1 ? 'post' : 'posts'}: posts on ` });
    await counted(2).waitFor();
    const filters: [string, string][] = [
      ['Label', 'spring'],
      ['Account', ada.id],
    ];
    for (const [label, value] of filters) {
      await page.getByLabel(label, { exact: true }).selectOption(value);
      await fair.waitFor({ state: 'detached' });
      await gala.waitFor();
      await counted(1).waitFor();
      await page.getByLabel(label, { exact: true }).selectOption('');
      await fair.waitFor();
    }
    await page.getByLabel('User ID').fill('user-bob');
    await gala.waitFor({ state: 'detached' });
    await counted(1).click();
    await expect.poll(() => page.url()).toContain('user=user-bob');
    await list('Posts').getByText('Fair').waitFor();
  });

  test('saves only what was changed in the settings, and a logo', async () => {
    const { page } = tab;
    await tab.signIn(tenant.key, '/settings', 'Settings');
    await page.getByLabel('Color', { exact: true }).fill('#2457d');
    await tab.button('Save').click();
    await page.getByText(/^Color must /).waitFor();
    await page.getByLabel('Color, from a palette').fill('#2457d6');
    const sent = page.waitForRequest((request) => /UpdateProject/.test(request.postData() ?? ''));
    // Meanwhile, someone else changes another setting.
    await tenant.api.patch('/v1/project', { name: 'Renamed' });
    await tab.button('Save').click();
    expect((await sent).postDataJSON().variables).toEqual({ input: { brandColor: '#2457d6' } });
    await page.getByRole('status').getByText('Saved.').waitFor();
    const { body } = await tenant.api.get('/v1/project');
    expect(body.data).toMatchObject({ name: 'Renamed', brand_color: '#2457d6' });
    await page.locator('input[type=file]').first().setInputFiles(dotPng);
    await page.getByRole('img', { name: 'Logo', exact: true }).waitFor();
    await tab.button('Save').click();
    await page.getByRole('status').getByText('Saved.').waitFor();
    const shown = await tenant.api.get('/v1/project');
    expect(shown.body.data.logo_media_id).toMatch(/^med_/);
  });

  test('offers a new key that only reads', async () => {
    await tab.signIn(tenant.key, '/settings', 'Settings');
    await tab.button('New key').click();
    const dialog = tab.page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Support');
    await dialog.getByRole('button', { name: 'Create the key' }).click();
    await dialog.getByRole('region', { name: 'Key' }).waitFor();
    const { body } = await tenant.api.get('/v1/api-keys');
    const made = body.data.find(({ name }: { name: string }) => name === 'Support');
    expect(made.scopes).toEqual(['posts:read', 'accounts:read', 'webhooks:read']);
  });

  test('sets an app at a network, and removes it', async () => {
    const { page, complaints } = tab;
    await tab.signIn(tenant.key, '/settings');
    await tab.button('Set an app').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Network').selectOption('LINKEDIN');
    await dialog.getByLabel('Client ID').fill('client-1');
    await dialog.getByRole('button', { name: 'Set the app' }).click();
    await dialog.getByText('Client secret is required at LinkedIn.').waitFor();
    await dialog.getByLabel('Client secret').fill('very-secret');
    await expectNoBarriers(page);
    await dialog.getByRole('button', { name: 'Set the app' }).click();
    await dialog.getByText(`${app.url}/connect/callback`).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await list('Apps at networks').getByText('client-1').waitFor();
    expect(await page.content()).not.toContain('very-secret');
    await expectNoBarriers(page);
    await tab.button('Remove').click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No app of your own').waitFor();
    expect(complaints).toEqual([]);
  });

  test('offers no change of media and apps to a key that only reads', async () => {
    const scopes = ['posts:read', 'accounts:read'];
    const { body } = await tenant.api.post('/v1/api-keys', { name: 'reader', scopes });
    await tab.signIn(body.data.key, '/settings');
    await tab.page.getByText('No app of your own').waitFor();
    expect(await tab.button('Set an app').count()).toBe(0);
    await tab.visit('/media');
    await tab.page.getByText('There are no media yet').waitFor();
    expect(await tab.page.locator('input[type=file]').count()).toBe(0);
  });
});
