// Networks that answer later than a workflow task lasts, one alone and many at once.
import { describe, expect, test } from 'vitest';
import type { Post } from '../../../schema/posts/posts.ts';
import { useApp } from '../../support/app/app.ts';
import {
  countStatuses,
  createPosts,
  expectPublishedOnce,
} from '../../support/checks/published-once.ts';
import { startReceiver } from '../../support/receivers/receiver.ts';

const app = useApp();

async function waitForPublished(id: string, timeoutMs: number): Promise<Post> {
  const post = await app.tenant.waitForPost(id, { timeoutMs });
  expect(post.status).toBe('published');
  return post;
}

async function countAtNetwork(caption: string): Promise<number> {
  const { n } = await app.context.db
    .selectFrom('sandbox_posts')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .where('caption', '=', caption)
    .executeTakeFirstOrThrow();
  return Number(n);
}

describe.concurrent('a network that answers slowly', () => {
  test('outlasts a workflow task and is called once', async () => {
    const account = await app.tenant.connectSandbox('slow');
    const posted = await app.api.post('/v1/posts', {
      caption: 'slow but sure',
      platform_posts: [{ account_id: account.id, platform_options: { delay_ms: 13_000 } }],
    });
    const post = await waitForPublished(posted.body.data.id, 25_000);
    expect(post.results[0]).toMatchObject({ attempts: 1 });
    expect(await countAtNetwork('slow but sure')).toBe(1);
  }, 40_000);

  test('delays no other target of its post', async () => {
    const [slow, limited] = await Promise.all([
      app.tenant.connectSandbox('slowest'),
      app.tenant.connectSandbox('limited'),
    ]);
    const posted = await app.api.post('/v1/posts', {
      caption: 'one slow, one limited',
      platform_posts: [
        { account_id: slow.id, platform_options: { delay_ms: 18_000 } },
        { account_id: limited.id, platform_options: { outcome: 'rate_limited', times: 1 } },
      ],
    });
    const { results } = await waitForPublished(posted.body.data.id, 25_000);
    const [slowAt, limitedAt] = results.map((result) => Date.parse(result.published_at!));
    expect(limitedAt!).toBeLessThan(slowAt! - 1_000);
    expect(await countAtNetwork('one slow, one limited')).toBe(2);
  }, 40_000);

  test('delays neither posts to other accounts nor deliveries', async () => {
    const [slow, quick] = await Promise.all([
      app.tenant.connectSandbox('crowd'),
      app.tenant.connectSandbox('quick'),
    ]);
    await using receiver = await startReceiver();
    await app.tenant.createWebhook(receiver.url, ['post.published']);
    // A worker advances fewer posts at a time.
    const crowd = await Promise.all(
      Array.from({ length: 130 }, (_, i) =>
        app.api.post('/v1/posts', {
          caption: `crowd-${i}`,
          platform_posts: [{ account_id: slow.id, platform_options: { delay_ms: 13_000 } }],
        }),
      ),
    );
    const startedAt = Date.now();
    const posted = await app.api.post('/v1/posts', { caption: 'quick', account_ids: [quick.id] });
    const { id } = posted.body.data;
    await waitForPublished(id, 10_000);
    await receiver.waitFor((request) => request.json().data.id === id, { timeoutMs: 5_000 });
    expect(Date.now() - startedAt).toBeLessThan(11_000);
    for (const { body } of crowd) await waitForPublished(body.data.id, 25_000);
    expect(await countAtNetwork('crowd-129')).toBe(1);
  }, 60_000);

  test('that never answers delays no other post of a group', async () => {
    const [hanging, quick] = await Promise.all([
      app.tenant.connectSandbox('hanging'),
      app.tenant.connectSandbox('prompt'),
    ]);
    const hang = { platform_options: { outcome: 'hang', times: 1 } };
    const [stuck, others] = await Promise.all([
      createPosts(app, hanging.id, 50, hang),
      createPosts(app, quick.id, 150),
    ]);
    await expectPublishedOnce(app, others, { timeoutMs: 25_000 });
    // Their calls still hang, for up to 30 s.
    expect(await countStatuses(app, stuck)).toEqual({ pending: 50 });
    // After 30 s, a call counts as lost. One set of checks takes up to 155 s, and then the post is sent again.
    await expectPublishedOnce(app, stuck, { timeoutMs: 240_000 });
  }, 300_000);
});
