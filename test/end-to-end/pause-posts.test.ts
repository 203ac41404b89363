// The operator pauses a network or a project: its posts are accepted and wait, and each is published once.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { pause, resume } from '../../api/cli/pause.ts';
import { listPauses } from '../../schema/database/pauses.ts';
import type { Post } from '../../schema/posts/posts.ts';
import { useApp } from '../support/app/app.ts';
import type { Tenant } from '../support/app/seed.ts';

/** A pause and its end are obeyed within that. */
const obeyedMs = 5_000;

const app = useApp({ env: { FANFARE_UNAVAILABLE_DELAYS_MS: '1500,1500' } });
afterEach(async () => {
  const { db } = app.context;
  for (const { scope } of await listPauses(db)) await resume(app.context, scope);
});

async function createPost(tenant: Tenant, more: Record<string, unknown> = {}): Promise<Post> {
  const [ada, bob] = [await tenant.connectSandbox('ada'), await tenant.connectSandbox('bob')];
  return tenant.createPost({ caption: 'hello', account_ids: [ada.id, bob.id], ...more });
}

async function read(tenant: Tenant, { id }: Post): Promise<Post> {
  return (await tenant.api.get(`/v1/posts/${id}`)).body.data as Post;
}

/** The ids of the results that the network has posts of, each as often as it has. */
async function atNetwork({ results }: Post): Promise<string[]> {
  const rows = await app.context.db
    .selectFrom('sandbox_posts')
    .select('reference')
    .where(
      'reference',
      'in',
      results.map(({ id }) => id),
    )
    .execute();
  return rows.map(({ reference }) => reference!).toSorted();
}

const ids = ({ results }: Post) => results.map(({ id }) => id).toSorted();

/** Every target of the post has met the pause, so that no workflow carries it. */
async function waitUntilHeld({ id, results }: Post): Promise<void> {
  const openRows = app.context.db
    .selectFrom('post_results')
    .select('is_paused')
    .where('post_id', '=', id)
    .where('status', 'in', ['pending', 'publishing']);
  await expect
    .poll(async () => (await openRows.execute()).map((row) => row.is_paused), { timeout: 5_000 })
    .toEqual(results.map(() => true));
}

async function isHeld(resultId: string): Promise<boolean> {
  const { is_paused } = await app.context.db
    .selectFrom('post_results')
    .select('is_paused')
    .where('id', '=', resultId)
    .executeTakeFirstOrThrow();
  return is_paused;
}

async function countRuns({ id }: Post): Promise<number> {
  const { current_run } = await app.context.db
    .selectFrom('posts')
    .select('current_run')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return current_run;
}

describe('while a project is paused', () => {
  test('its posts wait and those of others are published; resumed, each is published once', async () => {
    const [held, other] = [await app.createTenant(), await app.createTenant()];
    await pause(app.context.db, held.projectId);
    const waiting = await createPost(held);
    const passing = await other.waitForPost((await createPost(other)).id);
    expect(passing.status).toBe('published');
    await waitUntilHeld(waiting);
    await sleep(1_000);
    expect(await read(held, waiting)).toMatchObject({ status: 'pending' });
    expect(await atNetwork(waiting)).toEqual([]);

    expect(await resume(app.context, held.projectId)).toBe(
      `Resumed ${held.projectId}. Restarted 1 post.`,
    );
    const published = await held.waitForPost(waiting.id, { timeoutMs: obeyedMs });
    expect(published.status).toBe('published');
    await sleep(500);
    expect(await atNetwork(waiting)).toEqual(ids(waiting));
    expect(await countRuns(passing)).toBe(1);
  });
});

describe('while a network is paused', () => {
  test('its posts wait in all projects; those to another do not', async () => {
    const { db } = app.context;
    await pause(db, 'bluesky');
    const passing = await createPost(app.tenant);
    expect(await app.tenant.waitForPost(passing.id)).toMatchObject({ status: 'published' });
    await pause(db, 'sandbox');
    const tenants = [app.tenant, await app.createTenant()];
    const posts = await Promise.all(tenants.map((tenant) => createPost(tenant)));
    await Promise.all(posts.map(waitUntilHeld));
    // Only the pauses that still hold them are reported.
    expect(await resume(app.context, 'bluesky')).toBe('Resumed bluesky.');
    expect(await resume(app.context, 'sandbox')).toBe('Resumed sandbox. Restarted 2 posts.');
    for (const [i, post] of posts.entries()) {
      const published = await tenants[i]!.waitForPost(post.id, { timeoutMs: obeyedMs });
      expect(published.status).toBe('published');
      expect(await atNetwork(post)).toEqual(ids(post));
    }
  });

  test('posts of a project that is paused too wait for both', async () => {
    const { db } = app.context;
    const tenant = await app.createTenant();
    await pause(db, 'sandbox');
    await pause(db, tenant.projectId);
    const post = await createPost(tenant);
    await waitUntilHeld(post);
    expect(await resume(app.context, 'sandbox')).toBe('Resumed sandbox.');
    await sleep(1_000);
    expect(await atNetwork(post)).toEqual([]);
    await resume(app.context, tenant.projectId);
    await tenant.waitForPost(post.id, { timeoutMs: obeyedMs });
    expect(await atNetwork(post)).toEqual(ids(post));
  });

  test('a scheduled post that comes due waits, and goes out when it is resumed', async () => {
    await pause(app.context.db, 'sandbox');
    const scheduled_at = new Date(Date.now() + 1_500).toISOString();
    const post = await createPost(app.tenant, { scheduled_at });
    await expect
      .poll(async () => (await read(app.tenant, post)).status, { timeout: 10_000 })
      .toBe('pending');
    await waitUntilHeld(post);
    expect(await atNetwork(post)).toEqual([]);
    await resume(app.context, 'sandbox');
    const published = await app.tenant.waitForPost(post.id, { timeoutMs: obeyedMs });
    expect(published.status).toBe('published');
    expect(await atNetwork(post)).toEqual(ids(post));
  });

  test('a thread waits whole, and goes out in its order', async () => {
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
    expect(await resume(app.context, 'sandbox')).toBe('Resumed sandbox. Restarted 1 post.');
    const published = await app.tenant.waitForPost(post.id, { timeoutMs: obeyedMs });
    expect(published.status).toBe('published');
    expect(await atNetwork(post)).toEqual(ids(post));
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
      .poll(async () => (await read(app.tenant, post)).results[0]!.next_attempt_at)
      .not.toBeNull();
    await pause(app.context.db, 'sandbox');
    await waitUntilHeld(post);
    expect(await atNetwork(post)).toEqual([]);
    await resume(app.context, 'sandbox');
    const published = await app.tenant.waitForPost(post.id, { timeoutMs: obeyedMs });
    expect(published.results[0]).toMatchObject({ status: 'published', attempts: 2 });
    expect(await atNetwork(post)).toEqual(ids(post));
  });
});
