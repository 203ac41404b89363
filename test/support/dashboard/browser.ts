// The dashboard in a real browser, built once.
import { pino } from 'pino';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { buildDashboard } from '../../../api/dashboard/build.ts';
import { startChromium } from '../app/chromium.ts';

export interface DashboardBrowser extends AsyncDisposable {
  /** A context has its own cookies and its own cache. */
  newContext(): Promise<BrowserContext>;
}

export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about, such as a style that the policy of the page refuses. */
  readonly complaints: readonly string[];
  /** Opens a session as the form does, but without the form, and opens the page at this path. Default: the first page. */
  signIn(key: string, path?: string, title?: string): Promise<void>;
  /** Loads the page at this path below `/dashboard`, and waits until its title and its data are shown. */
  open(path: string, title?: string): Promise<void>;
  /** Opens the page as a link of the dashboard does, which costs a fraction of a load. */
  visit(path: string, title?: string): Promise<void>;
  /** Makes the tab as a new one for the next test: nobody is signed in, and the window is that of a desktop. */
  reset(): Promise<void>;
  heading(name: string): Locator;
  button(name: string): Locator;
  link(name: string): Locator;
}

export const desktop = { width: 1_280, height: 900 };

export async function startDashboardBrowser(): Promise<DashboardBrowser> {
  // Reads the log only if the build fails, and then no page opens.
  await buildDashboard(pino({ level: 'warn' }), new AbortController().signal);
  const browser: Browser = await startChromium();
  return {
    async newContext() {
      const context = await browser.newContext({ viewport: desktop });
      // Less than the time of a test, so that the failure names the step.
      context.setDefaultTimeout(20_000);
      return context;
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** A tab of the dashboard at this server. */
export async function newTab(serverUrl: string, context: BrowserContext): Promise<Tab> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy|Warning:/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => void complaints.push(message));
  const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });

  async function open(path: string, title?: string): Promise<void> {
    await page.goto(`${serverUrl}/dashboard${path}`);
    await waitForPage(title);
  }

  async function waitForPage(title: string | undefined): Promise<void> {
    if (title !== undefined) await heading(title).waitFor();
    await waitUntilLoaded(page);
  }

  return {
    page,
    context,
    complaints,
    heading,
    button: (name) => page.getByRole('button', { name, exact: true }),
    link: (name) => page.getByRole('link', { name, exact: true }),
    open,
    async signIn(key, path = '', title = path === '' ? 'Home' : undefined) {
      const answer = await context.request.post(`${serverUrl}/dashboard/session`, {
        data: { api_key: key },
        headers: { Origin: serverUrl },
      });
      expect(answer.status()).toBe(204);
      await open(path, title);
    },
    async reset() {
      for (const other of context.pages()) if (other !== page) await other.close();
      await page.goto('about:blank');
      await page.unrouteAll();
      await page.setViewportSize(desktop);
      await page.emulateMedia({ colorScheme: null, reducedMotion: null });
      await context.clearCookies();
      complaints.length = 0;
    },
    async visit(path, title) {
      const url = JSON.stringify(`/dashboard${path}`);
      await page.evaluate(`{
        history.pushState(null, '', ${url});
        dispatchEvent(new PopStateEvent('popstate'));
      }`);
      await waitForPage(title);
    },
  };
}

/** Each part of a page says so while it is being read, so there can be several of these. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  const waiting = page.getByText(/^(Opening the dashboard|Opening|Loading)…$/);
  await expect.poll(() => waiting.count()).toBe(0);
}
