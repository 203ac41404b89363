// Posts of an app at its sandbox: creates many at once, and checks that each is public once and reported.
import { expect } from 'vitest';
import type { TestApp } from '../app/app.ts';
import type { ReceivedRequest } from '../receivers/receiver.ts';

/** A post with one target. */
export interface SentPost {
  postId: string;
  resultId: string;
}

const perRequest = 50;

/** `post`: members of each post, and `platform_options` of its target. */
export async function createPosts(
  { tenant }: TestApp,
  accountId: string,
  count: number,
  { platform_options = {}, ...post }: Record<string, unknown> = {},
): Promise<SentPost[]> {
  const posts = Array.from({ length: count }, (_, i) => ({
    caption: `post ${i}`,
    platform_posts: [{ account_id: accountId, platform_options }],
    ...post,
  }));
  const created: SentPost[] = [];
  for (let i = 0; i < count; i += perRequest) {
    const { body } = await tenant.api.post('/v1/posts/bulk', {
      posts: posts.slice(i, i + perRequest),
    });
    for (const { post } of body.data) {
      created.push({ postId: post.id, resultId: post.results[0].id });
    }
  }
  return created;
}

/** How many of the posts have each status. */
export async function countStatuses(
  { database: { db } }: TestApp,
  posts: readonly SentPost[],
): Promise<Record<string, number>> {
  const ids = posts.map(({ postId }) => postId);
  const rows = await db
    .selectFrom('posts')
    .select(['status', (eb) => eb.fn.countAll<string>().as('count')])
    .where('id', 'in', ids)
    .groupBy('status')
    .execute();
  return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
}

/** Waits until all of them are published, and checks that the sandbox has each of them once. */
export async function expectPublishedOnce(
  app: TestApp,
  posts: readonly SentPost[],
  { timeoutMs = 60_000 } = {},
): Promise<void> {
  await expect
    .poll(() => countStatuses(app, posts), { timeout: timeoutMs, interval: 250 })
    .toEqual({ published: posts.length });
  const ids = posts.map(({ resultId }) => resultId);
  const rows = await app.database.db
    .selectFrom('sandbox_posts')
    .select('reference')
    .where('reference', 'in', ids)
    .execute();
  expect(rows.map(({ reference }) => reference!).toSorted()).toEqual(ids.toSorted());
}

/** Waits until the receiver has each post's event. Every request for an event must be of the same delivery. */
export async function expectEachDelivered(
  { requests }: { requests: readonly ReceivedRequest[] },
  posts: readonly SentPost[],
  { timeoutMs = 60_000 } = {},
): Promise<void> {
  const deliveries = () => {
    const ids = new Map<string, Set<string>>(posts.map(({ postId }) => [postId, new Set()]));
    for (const { headers, json } of requests) {
      ids.get(json().data.id as string)?.add(String(headers['x-service-delivery']));
    }
    return [...ids.values()].map(({ size }) => size);
  };
  await expect.poll(deliveries, { timeout: timeoutMs, interval: 250 }).toEqual(posts.map(() => 1));
}
