// Writing a post in the dashboard: counted, checked, with media, and followed until it is public.
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../../support/app/chromium.ts';
import { onPhone } from '../../../support/dashboard/barriers.ts';
import { desktop } from '../../../support/dashboard/browser.ts';
import { useDashboard } from '../../../support/dashboard/dashboard.ts';
import { dotPng } from '../../../support/dashboard/pictures.ts';

describe.skipIf(!hasChromium)('writing a post in the dashboard', { timeout: 60_000 }, () => {
  const { tenant, tab } = useDashboard();

  test('counts its text, uploads a picture, and shows it from pending to published', async () => {
    await tenant.connectSandbox('ada');
    const bob = await tenant.connectSandbox('bob');
    const { page, complaints } = tab;
    await tab.signIn(tenant.key, '/compose');
    await page.getByLabel('Sandbox ada').check();
    await page.getByLabel('Sandbox bob').check();
    const text = page.getByRole('textbox', { name: 'Text', exact: true });
    await text.fill('a'.repeat(5_001));
    await page.getByText('5,001 of 5,000').first().waitFor();
    await tab.button('Publish now').click();
    await page.getByText('Sandbox ada, Sandbox bob: Sandbox takes 5000').waitFor();
    await expect.poll(() => text.and(page.locator(':focus')).count()).toBe(1);
    await text.fill('Drums & <b>brass</b>');
    await page.locator('input[type=file]').setInputFiles(dotPng);
    await page.getByLabel('Alt text').fill('A dot');
    const panel = page.getByRole('region', { name: 'Sandbox bob' });
    await panel.getByText('First comment and options').click();
    await panel.getByLabel('Delay ms').fill('1500');
    await tab.link('Posts').click();
    await tab.heading('Posts').waitFor();
    await page.goBack();
    await page.getByText('You have not sent this post yet.').waitFor();
    await tab.button('Publish now').click();

    await tab.heading('Drums & <b>brass</b>').waitFor();
    const target = page.getByRole('listitem').filter({ hasText: `Sandbox ${bob.account_name}` });
    await target.getByText(/^(Pending|Publishing)$/).waitFor();
    await target.getByText('Published', { exact: true }).waitFor();
    const { body } = await tenant.api.get('/v1/posts');
    expect(body.data).toHaveLength(1);
    expect(body.data[0].media[0].alt_text).toBe('A dot');
    expect(complaints).toEqual([]);
  });

  test('shows its time in full on a desktop and on a phone, in any zone and UTC, and starts anew', async () => {
    await tenant.connectSandbox('ada');
    const { page } = tab;
    await tab.signIn(tenant.key, '/compose', 'New post');
    await page.getByLabel('When').selectOption('time');
    const time = page.getByLabel('Time', { exact: true });
    const widths = () =>
      time.evaluate((input) => {
        const shown = input.getBoundingClientRect().width;
        input.style.width = 'max-content';
        const needed = input.getBoundingClientRect().width;
        input.style.width = '';
        return { shown, needed };
      });
    const rowOf = async (label: string) =>
      (await page.getByLabel(label, { exact: true }).boundingBox())!.y;
    for (const { width } of [desktop, onPhone.viewport]) {
      await page.setViewportSize({ width, height: 900 });
      const { shown, needed } = await widths();
      expect(shown, `at ${width}`).toBeGreaterThanOrEqual(needed);
    }
    const rows = await Promise.all(['When', 'Time', 'Time zone'].map(rowOf));
    expect(new Set(rows).size).toBe(3);
    await page.getByLabel('Time zone').selectOption('UTC');
    await tab.button('Start anew').click();
    await tab.button('Drop this post').click();
    await time.waitFor({ state: 'detached' });
  });
});
