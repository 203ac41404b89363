// The dashboard in a real browser, built once and signed in with a key.
import axe from 'axe-core';
import { pino } from 'pino';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { buildDashboard } from '../../../api/dashboard/build.ts';
import { startChromium } from '../app/chromium.ts';

export interface DashboardBrowser extends AsyncDisposable {
  /** A page in a context, and so with cookies, of its own. */
  newPage(): Promise<DashboardPage>;
}

export interface DashboardPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about, such as a style that the policy of the page refuses. */
  readonly complaints: readonly string[];
  signIn(url: string, key: string): Promise<void>;
}

const phone = { width: 360, height: 740 };
const desktop = { width: 1_280, height: 900 };

export async function startDashboardBrowser(): Promise<DashboardBrowser> {
  // Reads the log only if the build fails, and then no page opens.
  await buildDashboard(pino({ level: 'warn' }), new AbortController().signal);
  const browser: Browser = await startChromium();

  async function newPage(): Promise<DashboardPage> {
    const context = await browser.newContext({ viewport: desktop });
    // Less than the time of a test, so that the failure names the step.
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (/Content Security Policy|Warning:/.test(message.text())) complaints.push(message.text());
    });
    page.on('pageerror', ({ message }) => void complaints.push(message));

    async function signIn(url: string, key: string): Promise<void> {
      await page.goto(`${url}/dashboard`);
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    }
    return { page, context, complaints, signIn };
  }

  return { newPage, [Symbol.asyncDispose]: () => browser.close() };
}

/** As wide as a phone in both themes, and on a desktop: nothing serious for axe, and nothing wider than the window. */
export async function expectNoBarriers(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const looks = [
    { viewport: phone, colorScheme: 'light' },
    { viewport: phone, colorScheme: 'dark' },
    { viewport: desktop, colorScheme: 'light' },
  ] as const;
  for (const { viewport, colorScheme } of looks) {
    const at = `${page.url()} ${colorScheme} ${viewport.width}`;
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    expect(await page.evaluate('document.documentElement.scrollWidth'), at).toBe(viewport.width);
    const { violations } = await page.evaluate<axe.AxeResults>('axe.run()');
    const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(
      grave.map(({ id, nodes }) => `${id} at ${nodes[0]!.html}`),
      at,
    ).toEqual([]);
  }
}
