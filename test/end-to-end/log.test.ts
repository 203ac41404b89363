// What the log of a process says: that it is up, and how each post and delivery has ended.
import { expect, test } from 'vitest';
import { startApp } from '../support/app/app.ts';
import { createTestLog } from '../support/log.ts';

test('the log says that the process is up, and how a post and its delivery have ended', async () => {
  const { log, lines } = createTestLog('debug');
  await using app = await startApp({ log });
  const [ada, bob] = [
    await app.tenant.connectSandbox('ada'),
    await app.tenant.connectSandbox('bob'),
  ];
  const webhook = { url: `${app.url}/sandbox/inbox/log`, events: ['post.partial'] };
  expect((await app.api.post('/v1/webhooks', webhook)).status).toBe(201);
  const { id } = await app.tenant.createPost({
    caption: 'a text that no log shows',
    platform_posts: [
      { account_id: ada.id },
      { account_id: bob.id, platform_options: { outcome: 'rejected' } },
    ],
  });
  const post = await app.tenant.waitForPost(id);
  const ended = () => lines.filter(({ component }) => component === 'publishing');
  await expect.poll(ended).toMatchObject([
    {
      level: 30,
      msg: 'post partial',
      project_id: app.tenant.projectId,
      post_id: id,
      status: 'partial',
      results: [
        { result_id: post.results[0]!.id, platform: 'sandbox', status: 'published' },
        { platform: 'sandbox', status: 'failed', error_code: 'rejected' },
      ],
    },
  ]);
  const deliveries = () => lines.filter(({ component }) => component === 'delivering');
  await expect
    .poll(deliveries)
    .toMatchObject([{ level: 20, msg: 'delivery delivered', attempts: 1, error_code: null }]);
  const up = lines.filter(({ component }) => component === 'process');
  expect(up).toMatchObject([
    {
      msg: 'up',
      role: 'start',
      version: expect.stringMatching(/^\d/) as string,
      url: app.url,
      database: expect.stringMatching(/^[^/@]+$/) as string,
      temporal: expect.stringContaining(app.namespace.namespace) as string,
      media: 'file',
      networks: expect.arrayContaining(['sandbox', 'bluesky']) as string[],
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain('a text that no log shows');
});
