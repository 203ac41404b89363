// Accounts in the dashboard: a link that connects one, and a check.
import { describe, test } from 'vitest';
import { hasChromium } from '../../support/app/chromium.ts';
import { expectNoBarriers } from '../../support/dashboard/barriers.ts';
import { useDashboard } from '../../support/dashboard/dashboard.ts';

describe.skipIf(!hasChromium)('accounts in the dashboard', { timeout: 60_000 }, () => {
  const { app, tenant, tab } = useDashboard();

  test('are connected with a link, and checked', async () => {
    const ada = await tenant.connectSandbox('ada');
    await tab.signIn(tenant.key);
    const { page } = tab;
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByRole('list', { name: 'Accounts' }).getByText('ada').waitFor();
    await tab.button('Connect an account').click();
    await page.getByLabel('Network').selectOption('SANDBOX');
    await page.getByRole('textbox', { name: 'Your ID of the user' }).fill('user-1');
    await tab.button('Make a link').click();
    await page.getByText(`${app.url}/connect/`).waitFor();
    await expectNoBarriers(page);
    await page.keyboard.press('Escape');
    await tab.open(`/accounts/${ada.id}`);
    await tab.button('Check now').click();
    await page.getByText('Passed').first().waitFor();
  });
});
