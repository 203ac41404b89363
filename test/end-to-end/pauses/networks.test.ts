// The operator pauses a network: its posts are accepted and wait, and each is published once.
import { afterEach, describe, expect, test } from 'vitest';
import { pause, resume } from '../../../api/cli/pause.ts';
import { useApp } from '../../support/app/app.ts';
import {
  createPost,
  effectiveMs,
  findPublished,
  idsOf,
  readPost,
  resumeAll,
  waitUntilHeld,
} from '../../support/app/paused-posts.ts';

const app = useApp({ env: { FANFARE_UNAVAILABLE_DELAYS_MS: '1500,1500' } });
afterEach(() => resumeAll(app));

async function isHeld(resultId: string): Promise<boolean> {
  const { is_paused } = await app.context.db
    .selectFrom('post_results')
    .select('is_paused')
    .where('id', '=', resultId)
    .executeTakeFirstOrThrow();
  return is_paused;
}

describe('while a network is paused', () => {
  test('posts to it wait in all projects, and posts to another network do not wait', async () => {
    const { db } = app.context;
    await pause(db, 'bluesky');
    const passing = await createPost(app.tenant);
    expect(await app.tenant.waitForPost(passing.id)).toMatchObject({ status: 'published' });
    await pause(db, 'sandbox');
    const tenants = [app.tenant, await app.createTenant()];
    const posts = await Promise.all(tenants.map((tenant) => createPost(tenant)));
    await Promise.all(posts.map((post) => waitUntilHeld(app, post)));
    // Only the pauses that still hold them are reported.
    expect((await resume(app.context, 'bluesky')).text).toBe('Resumed bluesky.');
    expect((await resume(app.context, 'sandbox')).text).toBe('Resumed sandbox. Restarted 2 posts.');
    for (const [i, post] of posts.entries()) {
      const published = await tenants[i]!.waitForPost(post.id, { timeoutMs: effectiveMs });
      expect(published.status).toBe('published');
      expect(await findPublished(app, post)).toEqual(idsOf(post));
    }
  });

  test('a scheduled post that comes due waits, and goes out when it is resumed', async () => {
    await pause(app.context.db, 'sandbox');
    // Far enough ahead for a busy machine.
    const scheduled_at = new Date(Date.now() + 3_000).toISOString();
    const post = await createPost(app.tenant, { scheduled_at });
    await expect
      .poll(async () => (await readPost(app.tenant, post)).status, { timeout: 10_000 })
      .toBe('pending');
    await waitUntilHeld(app, post);
    expect(await findPublished(app, post)).toEqual([]);
    await resume(app.context, 'sandbox');
    const published = await app.tenant.waitForPost(post.id, { timeoutMs: effectiveMs });
    expect(published.status).toBe('published');
    expect(await findPublished(app, post)).toEqual(idsOf(post));
  });

  test('all parts of a thread wait, and are published in order after the resume', async () => {
    await pause(app.context.db, 'sandbox');
    const { id: account_id } = await app.tenant.connectSandbox('dora');
    const parts = ['one', 'two', 'three'].map((caption, thread_position) => ({
      account_id,
      caption,
      thread_position,
    }));
    const post = await app.tenant.createPost({ platform_posts: parts });
    const { id: first } = post.results[0]!;
    await expect.poll(() => isHeld(first), { timeout: 5_000 }).toBe(true);
    expect((await resume(app.context, 'sandbox')).text).toBe('Resumed sandbox. Restarted 1 post.');
    const published = await app.tenant.waitForPost(post.id, { timeoutMs: effectiveMs });
    expect(published.status).toBe('published');
    expect(await findPublished(app, post)).toEqual(idsOf(post));
    const times = published.results.map(({ published_at }) => published_at!);
    expect(times.toSorted()).toEqual(times);
  });

  test('a target that waits for its next try is held, and keeps its count of tries', async () => {
    const account = await app.tenant.connectSandbox('carol');
    const post = await app.tenant.createPost({
      platform_posts: [
        {
          account_id: account.id,
          caption: 'hello',
          platform_options: { outcome: 'unavailable', times: 1 },
        },
      ],
    });
    await expect
      .poll(async () => (await readPost(app.tenant, post)).results[0]!.next_attempt_at)
      .not.toBeNull();
    await pause(app.context.db, 'sandbox');
    await waitUntilHeld(app, post);
    expect(await findPublished(app, post)).toEqual([]);
    await resume(app.context, 'sandbox');
    const published = await app.tenant.waitForPost(post.id, { timeoutMs: effectiveMs });
    expect(published.results[0]).toMatchObject({ status: 'published', attempts: 2 });
    expect(await findPublished(app, post)).toEqual(idsOf(post));
  });
});
