// Each scope shows exactly its pages, and exactly what its holder can do there.
import { describe, expect, test } from 'vitest';
import { scopes, type Scope } from '../../../schema/scopes.ts';
import { hasChromium } from '../../support/app/chromium.ts';
import { makeOneOfEach } from '../../support/app/one-of-each.ts';
import { waitUntilLoaded } from '../../support/dashboard/browser.ts';
import { useDashboard } from '../../support/dashboard/dashboard.ts';
import { forFile } from '../../support/fixtures.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';

/** The pages of the navigation, with the scope that each needs. */
const pages: Record<string, Scope | undefined> = {
  Home: undefined,
  'New post': 'posts:write',
  Posts: 'posts:read',
  Calendar: 'posts:read',
  Queues: 'posts:read',
  Media: 'posts:read',
  Accounts: 'accounts:read',
  Users: 'accounts:read',
  Webhooks: 'webhooks:read',
  Settings: undefined,
  Developers: undefined,
};

/** What can be done on a page, by the scope that it needs beside that of the page. */
const actions: readonly [path: string, scope: Scope, buttons: readonly string[]][] = [
  ['/posts/Post', 'posts:write', ['Duplicate', 'Edit', 'Unpublish', 'Mark as removed', 'Delete']],
  ['/queues', 'posts:write', ['New queue']],
  ['/queues/Queue', 'posts:write', ['Change', 'Pause', 'Reschedule posts', 'Delete']],
  ['/accounts', 'accounts:write', ['Connect an account']],
  ['/accounts/Account', 'accounts:write', ['Reconnect', 'Disconnect', 'Check now']],
  ['/users', 'accounts:write', ['Erase']],
  [
    '/webhooks/Webhook',
    'webhooks:write',
    ['Edit', 'Send a test event', 'Replay', 'Replace the secret', 'Disable', 'Delete'],
  ],
  ['/webhooks', 'webhooks:write', ['New webhook']],
  ['/deliveries/Delivery', 'webhooks:write', ['Send it again']],
  ['/media', 'posts:write', ['Choose files']],
  ['/settings', 'accounts:write', ['Save', 'Set an app']],
  ['/settings', 'keys:write', ['New key', 'Revoke']],
];

const insufficient = 'This key lacks a scope';

describe.skipIf(!hasChromium)('the scopes of a session', { timeout: 60_000 }, () => {
  const { app, tenant, tab } = useDashboard();
  const receiver = forFile(() => startReceiver());

  async function signInWith(
    holder: typeof tenant,
    held: readonly Scope[],
    path?: string,
  ): Promise<void> {
    const made = await holder.api.post('/v1/api-keys', { name: 'held', scopes: held });
    await tab.context.clearCookies();
    await tab.signIn(made.body.data.key, path);
  }

  test.each(scopes)(
    'with %s show exactly its pages, and name the scope of the others',
    async (scope) => {
      await signInWith(tenant, [scope]);
      const { page } = tab;
      const navigation = page.getByRole('navigation', { name: 'Pages' });
      const labels = await navigation.getByRole('link').allInnerTexts();
      expect(labels).toEqual(Object.keys(pages));
      for (const [label, needed] of Object.entries(pages)) {
        await navigation.getByRole('link', { name: label, exact: true }).click();
        const isShown = needed === undefined || needed === scope;
        await tab.heading(isShown ? label : insufficient).waitFor();
        const main = page.getByRole('main');
        if (isShown) {
          await waitUntilLoaded(page);
          // Nothing that the page reads by itself may be refused.
          const alerts = await main.getByRole('alert').allInnerTexts();
          expect(alerts.filter(Boolean), label).toEqual([]);
        } else await expect.poll(() => main.innerText(), { message: label }).toContain(needed);
      }
      expect(tab.complaints).toEqual([]);
    },
  );

  test('show a queue to a key that can read no account', async () => {
    const ada = await tenant.connectSandbox('ada');
    const { body } = await tenant.api.post('/v1/queues', {
      name: 'Mornings',
      timezone: 'UTC',
      slots: [{ weekday: 'mon', time: '09:00' }],
      account_ids: [ada.id],
    });
    await signInWith(tenant, ['posts:read', 'posts:write'], '/queues');
    const { page } = tab;
    await tab.link('Mornings').click();
    await page.getByText(ada.id).waitFor();
    await tab.button('Change').click();
    await page.getByLabel('Name').fill('Early');
    await tab.button('Save').click();
    await tab.heading('Early').waitFor();
    expect((await page.getByRole('alert').allInnerTexts()).filter(Boolean)).toEqual([]);
    const { body: changed } = await tenant.api.get(`/v1/queues/${body.data.id}`);
    expect(changed.data.account_ids).toEqual([ada.id]);
  });

  test('offer what can be done only to those who can do it', async () => {
    const { tenant: full, ids } = await makeOneOfEach(app, receiver.url);
    await full.connectSandbox('grace', { external_user_id: 'user-1' });
    const reads: Scope[] = ['posts:read', 'accounts:read', 'webhooks:read'];
    for (const canWrite of [false, true]) {
      await signInWith(full, canWrite ? scopes : reads);
      for (const [path, scope, buttons] of actions) {
        await tab.visit(path.replace(/[A-Z]\w+$/, (name) => ids[name]!));
        await expect
          .poll(() => tab.page.getByRole('heading', { level: 1 }).innerText())
          .not.toBe('');
        for (const name of buttons) {
          const button = tab.page.getByRole('main').getByRole('button', { name, exact: true });
          const count = () => button.count();
          if (canWrite) await expect.poll(count, { message: `${path} ${name}` }).toBeGreaterThan(0);
          else expect(await count(), `${path} ${name} without ${scope}`).toBe(0);
        }
      }
    }
  });
});
