// Every form, dialog and opened part of the dashboard's pages in both themes, on a phone and on a desktop.
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../../support/app/chromium.ts';
import { makeOneOfEach } from '../../../support/app/one-of-each.ts';
import { expectNoBarriers } from '../../../support/dashboard/barriers.ts';
import { useDashboard } from '../../../support/dashboard/dashboard.ts';
import { dotPng } from '../../../support/dashboard/pictures.ts';
import { forFile } from '../../../support/fixtures.ts';
import { startReceiver } from '../../../support/receivers/receiver.ts';

describe.skipIf(!hasChromium)('the dashboard has no barrier', { timeout: 90_000 }, () => {
  const { app, tab } = useDashboard();
  const receiver = forFile(() => startReceiver());
  // Tests change it, but each finds what it needs.
  const oneOfEach = forFile(
    () => makeOneOfEach(app, receiver.url),
    () => undefined,
  );

  /** Opens the dialog of each button, and closes it again. Those that only ask for confirmation are all alike. */
  async function expectOfDialogs(...names: string[]): Promise<void> {
    const dialog = tab.page.getByRole('dialog');
    for (const name of names) {
      await tab.button(name).first().click();
      await dialog.waitFor();
      await expectNoBarriers(tab.page);
      await tab.page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
  }

  test('in a dialog', async () => {
    const { tenant, ids } = oneOfEach;
    const { page } = tab;
    await tab.signIn(tenant.key, `/accounts/${ids['Account']}`, 'Sandbox ada');
    await expectOfDialogs('Reconnect', 'Disconnect');
    await tab.visit(`/posts/${ids['Post']}`, 'one');
    await expectOfDialogs('Edit', 'Unpublish');
    await tab.visit('/queues', 'Queues');
    await expectOfDialogs('New queue');
    await tab.visit(`/queues/${ids['Queue']}`, 'q');
    await expectOfDialogs('Change');
    await tab.visit(`/webhooks/${ids['Webhook']}`, receiver.url);
    await expectOfDialogs('Replay', 'Replace the secret', 'Send a test event');
    await tab.button('Edit').click();
    await page.getByLabel('URL').fill('nothing');
    await page.getByLabel('post.updated').uncheck();
    await tab.button('Save').click();
    await page.getByText('Give an absolute URL').waitFor();
    await expectNoBarriers(page);
    await page.getByLabel('URL').fill(`${receiver.url}/moved`);
    await tab.button('Save').click();
    await tab.heading(`${receiver.url}/moved`).waitFor();
    const { body } = await tenant.api.get(`/v1/webhooks/${ids['Webhook']}`);
    expect(body.data.events).toContain('post.published');
    expect(body.data.events).not.toContain('post.updated');

    await tab.visit('/accounts', 'Accounts');
    await tab.button('Connect an account').click();
    await expectNoBarriers(page);
    await page.getByRole('textbox', { name: 'User ID' }).fill('user-1');
    await tab.button('Create a link').click();
    await page.getByRole('region', { name: 'Link' }).waitFor();
    await expectNoBarriers(page);
    await tab.visit('/webhooks', 'Webhooks');
    await tab.button('New webhook').click();
    await expectNoBarriers(page);
    await page.getByLabel('URL').fill(`${receiver.url}/second`);
    await tab.button('Add').click();
    await page.getByRole('region', { name: 'Secret' }).waitFor();
    await expectNoBarriers(page);
    await tab.visit('/settings', 'Settings');
    await tab.button('New key').click();
    await expectNoBarriers(page);
    await page.getByRole('dialog').getByLabel('Name').fill('Support');
    await tab.button('Create the key').click();
    await page.getByRole('region', { name: 'Key' }).waitFor();
    await expectNoBarriers(page);
    expect(tab.complaints).toEqual([]);
  });

  test('in a part that is opened', async () => {
    const { tenant, ids } = oneOfEach;
    const { page } = tab;
    await tab.signIn(tenant.key, `/posts/${ids['Post']}`, 'one');
    await page.getByRole('list', { name: 'Deliveries' }).getByText('post.published').waitFor();
    await tab.button('Show the calls to the network').click();
    await page.getByRole('cell').first().waitFor();
    await expectNoBarriers(page);
    await tab.visit(`/deliveries/${ids['Delivery']}`);
    await page.getByText('Headers and answer').first().click();
    await expectNoBarriers(page);
    await tab.visit(`/accounts/${ids['Account']}`, 'Sandbox ada');
    await tab.button('Check now').click();
    await page.getByText('Passed').first().waitFor();
    await expectNoBarriers(page);
    await tab.visit('/calendar', 'Calendar');
    await page.getByRole('tab', { name: 'Week' }).click();
    await expectNoBarriers(page);
    await tab.visit('/developers', 'Developers');
    await page.locator('summary').first().click();
    await expectNoBarriers(page);

    await tab.visit('/compose', 'New post');
    await page.getByLabel('Sandbox ada').check();
    await page.getByLabel('Another text for this account').check();
    await page.getByText('First comment and options').click();
    await page.locator('input[type=file]').setInputFiles(dotPng);
    await page.getByLabel('When').selectOption('time');
    await page.getByLabel('Text for Sandbox ada').fill('a'.repeat(5_001));
    await page.getByText('5,001 of 5,000').waitFor();
    await expectNoBarriers(page);
    expect(tab.complaints).toEqual([]);
  });
});
