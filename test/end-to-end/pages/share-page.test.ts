// The page on which a creator reviews a post for TikTok, in a real browser without JavaScript, as wide as a phone.
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hasChromium, startChromium } from '../../support/app/chromium.ts';
import { forFile } from '../../support/fixtures.ts';
import { startTikTokApp } from '../../support/networks/tiktok/app.ts';
import { createReviewLink } from '../../support/networks/tiktok/share-page.ts';

const tiktok = forFile(() => startTikTokApp());
const viewport = { width: 360, height: 740 };
const dot =
  '<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48"><circle cx="24" cy="24" r="24"/></svg>';

let browser: Browser;
let page: Page;
let postId: string;

beforeAll(async () => {
  if (hasChromium) browser = await startChromium();
});
afterAll(async () => {
  if (hasChromium) await browser.close();
});

beforeEach(async () => {
  if (!hasChromium) return;
  const { api, tenant } = tiktok.app;
  await api.patch('/v1/project', { name: 'Acme', logo_media_id: await tiktok.uploadPhoto() });
  const draft = await tenant.createPost({
    caption: 'Rehearsal #brass',
    media_ids: [await tiktok.uploadPhoto()],
    account_ids: [tiktok.accountId],
    status: 'draft',
  });
  postId = draft.id;
  const context = await browser.newContext({ viewport, javaScriptEnabled: false });
  await context.route('https://p16.tiktokcdn.test/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: dot }),
  );
  page = await context.newPage();
  await page.goto((await createReviewLink(api, postId)).url);
});

const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const box = (name: string) => page.getByRole('checkbox', { name, exact: false });
const shown = (text: string) => page.getByText(text).first().isVisible();
const choose = (label: string) =>
  page.getByLabel('Who can see this post').selectOption({ label: label });

const readPost = async () => (await tiktok.app.api.get(`/v1/posts/${postId}`)).body.data;

/** In another page, since axe needs JavaScript. */
async function expectNoBarriers(html: string): Promise<void> {
  const context = await browser.newContext({ viewport });
  const copy = await context.newPage();
  await copy.setContent(html);
  await copy.evaluate(axe.source);
  for (const colorScheme of ['light', 'dark'] as const) {
    await copy.emulateMedia({ colorScheme });
    const { violations } = await copy.evaluate<axe.AxeResults>('axe.run()');
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(grave.map(({ id, nodes }) => `${id} at ${nodes[0]!.html}`)).toEqual([]);
  }
  await context.close();
}

describe.skipIf(!hasChromium)('the share page', () => {
  test('leads a creator from the preview to the post at TikTok', async () => {
    await heading('Post to TikTok').waitFor();
    expect(page.url()).toMatch(/\/share\/rev_\w+$/);
    expect(await page.title()).toBe('Post to TikTok – Acme');
    const images = '[...document.images].map((image) => image.naturalWidth)';
    expect(await page.evaluate(images)).toEqual([160, 48, 640]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectNoBarriers(await page.content());

    // Without a choice, the browser sends nothing.
    await page.getByRole('button', { name: 'Publish' }).click();
    await heading('Post to TikTok').waitFor();
    expect((await readPost()).status).toBe('draft');

    await page.getByLabel('Title (optional)').fill('Our hall');
    await page.getByLabel('Description').fill('Only brass');
    await choose('Everyone');
    await box('Allow comments').check();
    await page.getByRole('button', { name: 'Publish' }).click();
    await heading('Your post is being sent to TikTok').waitFor();
    const { results } = await readPost();
    expect(results[0]).toMatchObject({
      caption: 'Only brass',
      platform_options: {
        title: 'Our hall',
        privacy_level: 'PUBLIC_TO_EVERYONE',
        allow_comment: true,
        consent: { previewed: true },
      },
    });
    await expectNoBarriers(await page.content());
  });

  test('shows what the choices of a creator mean, and lets no wrong ones through', async () => {
    const neither = 'You need to indicate if your content promotes';
    const promotional = "labeled as 'Promotional content'";
    const paid = "labeled as 'Paid partnership'";
    const secret = 'Branded content visibility cannot be set to private.';
    const texts = async () => {
      const all = { neither, promotional, paid, secret, policy: 'Branded Content Policy' };
      const found = await Promise.all(
        Object.entries(all).map(async ([name, text]) => ((await shown(text)) ? [name] : [])),
      );
      return found.flat();
    };
    const press = () =>
      page
        .getByRole('button', { name: 'Publish' })
        .click({ timeout: 500 })
        .catch(() => 'disabled');

    expect(await texts()).toEqual([]);
    expect(await box('Your brand').isVisible()).toBe(false);
    await choose('Everyone');
    await box('promotes yourself').check();
    expect(await texts()).toEqual(['neither']);
    expect(await press()).toBe('disabled');
    await box('Your brand').check();
    expect(await texts()).toEqual(['promotional']);
    await box('Branded content').check();
    expect(await texts()).toEqual(['paid', 'secret', 'policy']);
    await expectNoBarriers(await page.content());
    await choose('Only me');
    expect(await press()).toBe('disabled');
    await box('Branded content').uncheck();
    expect(await texts()).toEqual(['promotional', 'secret']);
    const branded = box('Branded content').check({ timeout: 500 });
    await expect(branded).rejects.toThrow();

    // The keyboard goes past the look of the page, but not past the server.
    await box('Branded content').focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Publish' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'There is a problem' }).waitFor();
    expect(await page.title()).toBe('Error: Post to TikTok – Acme');
    await expectNoBarriers(await page.content());
    expect((await readPost()).status).toBe('draft');
  });
});
