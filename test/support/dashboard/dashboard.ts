// An app and a browser for a file of tests, and a project and a tab of the dashboard for each test.
import { afterEach } from 'vitest';
import { useApp, type TestApp, type TestAppOptions } from '../app/app.ts';
import type { Tenant } from '../app/seed.ts';
import { forEachTest, forFile } from '../fixtures.ts';
import { startDashboardBrowser, type DashboardBrowser, type Tab } from './browser.ts';

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
  const tab = forEachTest(() => browser.newTab(app.url));
  afterEach(() => tab.context.close());
  return { app, browser, tenant, tab };
}
