// The dashboard in circumstances that others have: a wrong clock, no pointer, no motion, a connection that breaks.
import { randomBytes } from 'node:crypto';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../../support/app/chromium.ts';
import { newTab } from '../../../support/dashboard/browser.ts';
import { useDashboard } from '../../../support/dashboard/dashboard.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe.skipIf(!hasChromium)('the dashboard works', { timeout: 60_000 }, () => {
  const { app, tenant, tab } = useDashboard({
    env: { FANFARE_UNAVAILABLE_DELAYS_MS: '100' },
  });

  test.each([
    ['ahead', dayMs],
    ['behind', -dayMs],
  ])('with a clock that is a day %s', async (_, offMs) => {
    const ada = await tenant.connectSandbox('ada');
    const { id } = await tenant.createPost({ caption: 'Published', account_ids: [ada.id] });
    await tenant.waitForPost(id);
    await tenant.createPost({
      caption: 'Next',
      account_ids: [ada.id],
      scheduled_at: new Date(Date.now() + 2.2 * hourMs).toISOString(),
    });
    // A tab of its own, since the clock stays wrong in it.
    const off = await newTab(app.url, tab.context);
    const { page } = off;
    await page.addInitScript(`{
      const Real = Date;
      globalThis.Date = class extends Real {
        constructor(...given) { if (given.length === 0) super(Real.now() + ${offMs}); else super(...given); }
        static now() { return Real.now() + ${offMs}; }
      };
    }`);
    await off.signIn(tenant.key);
    const next = page.getByRole('list', { name: 'Next posts' }).getByRole('listitem');
    await next.getByText('in 2 hours').waitFor();
    await page.getByText('Nothing needs you now.').waitFor();
    await off.link('Posts').click();
    const published = page.getByRole('listitem').filter({ hasText: 'Published' });
    await published.getByText('just now').waitFor();
    await off.visit('/compose', 'New post');
    await page.getByLabel('Sandbox ada').check();
    await page.getByLabel('When').selectOption('time');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Later');
    await off.button('Schedule').click();
    await off.heading('Later').waitFor();
    await page.getByText(/\(in (59|60) minutes\)/).waitFor();
  });

  test('by keyboard alone: sign-in, a new post, and the retry of a failed one', async () => {
    const ada = await tenant.connectSandbox('ada');
    const { id } = await tenant.createPost({
      caption: 'Refused',
      platform_posts: [
        { account_id: ada.id, platform_options: { outcome: 'unavailable', times: 2 } },
      ],
    });
    await tenant.waitForPost(id);
    const { page } = tab;
    const { keyboard } = page;
    /** Presses Tab until the focus is there. */
    async function tabTo(locator: Locator): Promise<void> {
      await locator.waitFor();
      const isFocused = () => locator.evaluate((one) => one === one.ownerDocument.activeElement);
      for (let presses = 0; presses < 60 && !(await isFocused()); presses++) {
        await keyboard.press('Tab');
      }
      expect(await isFocused(), String(locator)).toBe(true);
    }

    await page.goto(`${app.url}/dashboard`);
    await tabTo(page.getByLabel('API key'));
    await keyboard.type(tenant.key);
    await keyboard.press('Enter');
    await tab.heading('Home').waitFor();
    await tabTo(tab.link('New post'));
    await keyboard.press('Enter');
    await tabTo(page.getByLabel('Sandbox ada'));
    await keyboard.press('Space');
    await tabTo(page.getByRole('textbox', { name: 'Text', exact: true }));
    await keyboard.type('Typed');
    await tabTo(tab.button('Publish now'));
    await keyboard.press('Enter');
    await tab.heading('Typed').waitFor();
    await page.getByText('Published', { exact: true }).first().waitFor();
    // The keyboard continues at the new page, and the link to skip the navigation comes first on each.
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.goto(`${app.url}/dashboard`);
    await tabTo(tab.link('Refused'));
    await keyboard.press('Enter');
    await tabTo(tab.button('Retry'));
    await keyboard.press('Enter');
    await page.getByText('Published', { exact: true }).first().waitFor();
  });

  test('without motion, for people who ask for that', async () => {
    await tenant.connectSandbox('ada');
    const { page } = tab;
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await tab.signIn(tenant.key);
    const moving = `[...document.querySelectorAll('*')].flatMap((one) =>
      ['', '::before', '::after'].filter((part) => {
        const style = getComputedStyle(one, part);
        return style.animationName !== 'none' || /[1-9]/.test(style.transitionDuration);
      }).map((part) => one.outerHTML.slice(0, 80) + part))`;
    for (const label of ['Home', 'New post', 'Calendar', 'Settings']) {
      await tab.link(label).click();
      await tab.heading(label).waitFor();
      expect(await page.evaluate(moving), label).toEqual([]);
    }
    await tab.link('Accounts').click();
    await tab.button('Connect an account').click();
    await page.getByRole('dialog').waitFor();
    expect(await page.evaluate(moving)).toEqual([]);
  });

  test('with a request that fails: the first page does not say that nothing needs you', async () => {
    await tenant.connectSandbox('ada');
    const { page } = tab;
    await tab.signIn(tenant.key);
    let isFailing = true;
    let answer = () => {};
    const isAsked = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/graphql', async (route) => {
      const { query = '' } = (route.request().postDataJSON() ?? {}) as { query?: string };
      if (!query.includes('query TroubledAccounts') || !isFailing) return route.continue();
      await isAsked;
      await route.fulfill({
        json: { errors: [{ message: 'Too busy', extensions: { code: 'rate_limited' } }] },
      });
    });
    await page.goto(`${app.url}/dashboard`);
    const nothing = page.getByText('Nothing needs you now.');
    await page.getByText('No post is scheduled').waitFor();
    expect(await nothing.count()).toBe(0);
    answer();
    await page.getByText('Too busy').waitFor();
    expect(await nothing.count()).toBe(0);
    isFailing = false;
    await page.reload();
    await nothing.waitFor();
  });

  test('with an upload that breaks off: it resumes after the last part that arrived', async () => {
    await tenant.connectSandbox('ada');
    const size = 1_800;
    const buffer = await sharp(randomBytes(size * size * 3), {
      raw: { width: size, height: size, channels: 3 },
    })
      .png({ compressionLevel: 0 })
      .toBuffer();
    const { page } = tab;
    const sent: string[] = [];
    let isBroken = false;
    await page.route('**/uploads/**', async (route) => {
      const range = (await route.request().headerValue('content-range'))!;
      sent.push(range);
      if (sent.length === 1) {
        return route.fulfill({ status: 422, json: { error: { message: 'Refused once' } } });
      }
      const isSecondPart = /^bytes [1-9]/.test(range);
      if (!isSecondPart || isBroken) return route.continue();
      isBroken = true;
      await route.abort('connectionreset');
    });
    await tab.signIn(tenant.key, '/compose', 'New post');
    await page.getByLabel('Sandbox ada').check();
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Noise');
    // The browser reads the file itself: as a buffer, it would pass through the test as text.
    using directory = mkdtempDisposableSync(join(tmpdir(), 'fanfare-noise-'));
    const file = join(directory.path, 'noise.png');
    writeFileSync(file, buffer);
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('Refused once').waitFor();
    await tab.button('Try again').click();
    await page.getByText('Wait for the uploads.').waitFor();
    await page.getByText('Wait for the uploads.').waitFor({ state: 'detached' });
    await expect.poll(() => tab.button('Publish now').isEnabled()).toBe(true);
    const first = 8 * 1_048_576;
    const rest = `bytes ${first}-${buffer.length - 1}/${buffer.length}`;
    expect(sent.filter((range) => range.includes('-'))).toEqual([
      `bytes 0-${first - 1}/${buffer.length}`,
      rest,
      rest,
    ]);
    // Before the first part, in the second attempt too, and after the break.
    expect(sent.filter((range) => range.includes('*'))).toHaveLength(3);
    expect((await tenant.api.get('/v1/media')).body.data).toHaveLength(1);
    await tab.button('Publish now').click();
    await tab.heading('Noise').waitFor();
    await page.getByText('Published', { exact: true }).first().waitFor();
  });
});
