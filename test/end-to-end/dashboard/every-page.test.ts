// Every page of the dashboard in both themes, on a phone and on a desktop.
import { describe, expect, test } from 'vitest';
import { hasChromium } from '../../support/app/chromium.ts';
import { makeOneOfEach } from '../../support/app/one-of-each.ts';
import { expectNoBarriers, onPhone } from '../../support/dashboard/barriers.ts';
import { useDashboard } from '../../support/dashboard/dashboard.ts';
import { forFile } from '../../support/fixtures.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';

describe.skipIf(!hasChromium)('the dashboard has no barrier', { timeout: 90_000 }, () => {
  const { app, tenant, tab } = useDashboard();
  const receiver = forFile(() => startReceiver());

  test('on a page with data', async () => {
    const { tenant, ids } = await makeOneOfEach(app, receiver.url);
    await tenant.connectSandbox('grace', { external_user_id: 'user-1' });
    const { id: plannedId } = await tenant.createPost({
      caption: 'Planned',
      account_ids: [ids['Account']],
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    });
    await tab.signIn(tenant.key);
    const pages = {
      '': 'Home',
      '/compose': 'New post',
      [`/compose?post=${plannedId}`]: 'Edit the post',
      '/posts': 'Posts',
      [`/posts/${ids['Post']}`]: 'one',
      '/calendar': 'Calendar',
      '/queues': 'Queues',
      [`/queues/${ids['Queue']}`]: 'q',
      '/media': 'Media',
      '/accounts': 'Accounts',
      [`/accounts/${ids['Account']}`]: 'Sandbox ada',
      '/users': 'Users',
      '/webhooks': 'Webhooks',
      [`/webhooks/${ids['Webhook']}`]: receiver.url,
      [`/deliveries/${ids['Delivery']}`]: 'Delivery of post.published',
      '/settings': 'Settings',
      '/developers': 'Developers',
      '/nothing': 'There is nothing here',
    };
    for (const [path, title] of Object.entries(pages)) {
      await tab.visit(path, title);
      await expectNoBarriers(tab.page);
    }
    expect(tab.complaints).toEqual([]);
  });

  test('on a page without data', async () => {
    await tab.signIn(tenant.key);
    const titles = [
      'Compose',
      'Posts',
      'Calendar',
      'Queues',
      'Media',
      'Accounts',
      'Users',
      'Webhooks',
    ];
    for (const title of titles) {
      await tab.visit(`/${title.toLowerCase()}`, title === 'Compose' ? 'New post' : title);
      await expectNoBarriers(tab.page, [onPhone]);
    }
    expect(tab.complaints).toEqual([]);
  });
});
