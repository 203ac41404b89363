// The viewer of the API reference, in a real browser as wide as a phone.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { hasChromium, startChromium } from '../../support/app/chromium.ts';

let app: TestApp;
let browser: Browser;

beforeAll(async () => {
  if (!hasChromium) return;
  app = await startApp({ roles: { api: true, worker: false } });
  browser = await startChromium();
});
afterAll(async () => {
  if (!hasChromium) return;
  await browser.close();
  await app.stop();
});

interface Visit extends AsyncDisposable {
  page: Page;
  requested: string[];
  complaints: string[];
}

/** A page in a browser context of its own. */
async function visit(fragment: string, javaScriptEnabled = true): Promise<Visit> {
  const viewport = { width: 360, height: 740 };
  const context = await browser.newContext({ viewport, javaScriptEnabled });
  const page = await context.newPage();
  const requested: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${app.url}/docs${fragment}`);
  return { page, requested, complaints, [Symbol.asyncDispose]: () => context.close() };
}

describe.skipIf(!hasChromium)('an operation', () => {
  let visited: Visit;
  beforeAll(async () => {
    visited = await visit('#tag/posts/POST/v1/posts');
    await visited.page.locator('pre', { hasText: 'curl' }).first().waitFor();
  });
  afterAll(() => visited[Symbol.asyncDispose]());

  test('has a curl command that a reader can copy', async () => {
    const command = visited.page.locator('pre', { hasText: '/v1/posts \\' }).first();
    const text = await command.innerText();
    expect(text).toContain(`curl ${app.url}/v1/posts`);
    expect(text).toContain("--header 'Authorization: Bearer ");
    expect(text).toContain('"caption": "Our spring release is out."');
  });

  test('fits on the screen', async () => {
    const { page } = visited;
    const heading = page.locator('h3', { hasText: 'Create a post' });
    const box = (await heading.boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(360);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  test('is loaded from this server alone, as the policy of the page requires', () => {
    const paths = visited.requested.map((url) => url.replace(app.url, ''));
    expect(paths.filter((path) => !path.startsWith('/'))).toEqual([]);
    expect(paths).toContain('/v1/openapi.json');
    expect(visited.complaints).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('the viewer', () => {
  test('finds an operation by a word', async () => {
    await using visited = await visit('');
    const { page } = visited;
    await page.getByRole('button', { name: 'Open Menu' }).click();
    await page.getByRole('button', { name: /Search/ }).click();
    await page.keyboard.type('rotate');
    await page.getByRole('option', { name: '/v1/webhooks/{id}/rotate' }).first().waitFor();
  });

  test.each([
    { javaScriptEnabled: false, code: 'error-rate_limited' },
    { javaScriptEnabled: true, code: 'posting-error-rejected' },
  ])('is hidden if the link leads to an error code: %j', async ({ javaScriptEnabled, code }) => {
    await using visited = await visit(`#${code}`, javaScriptEnabled);
    const { page } = visited;
    if (javaScriptEnabled) await page.locator('.viewer h1').waitFor({ state: 'attached' });
    const box = (await page.locator(`#${code}`).boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.y + box.height).toBeLessThanOrEqual(740);
    expect(await page.locator('.viewer').isVisible()).toBe(false);
  });
});
