// An app and a tab of the dashboard for a file of tests, and a project for each test.
import { beforeEach } from 'vitest';
import { useApp, type TestApp, type TestAppOptions } from '../app/app.ts';
import type { Tenant } from '../app/seed.ts';
import { forEachTest, forFile } from '../fixtures.ts';
import { newTab, startDashboardBrowser, type DashboardBrowser, type Tab } from './browser.ts';

export interface Dashboard {
  readonly app: TestApp;
  readonly browser: DashboardBrowser;
  readonly tenant: Tenant;
  readonly tab: Tab;
}

/** Call it in a suite that is skipped where there is no browser. */
export function useDashboard(options?: TestAppOptions): Dashboard {
  const app = useApp(options);
  const browser = forFile(startDashboardBrowser);
  const tenant = forEachTest(() => app.createTenant('Brass & Co'));
  // A new tab would read and compile every script again, which takes half of a short test.
  const tab = forFile(
    async () => newTab(app.url, await browser.newContext()),
    ({ context }) => context.close(),
  );
  beforeEach(() => tab.reset());
  return { app, browser, tenant, tab };
}
