// The orders of the list of posts: each is read in pages while posts are added and moved.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { PostOrder } from '../../../../schema/posts/listing.ts';
import { idAt } from '../../../../schema/wire/ids.ts';
import { useApp } from '../../../support/app/app.ts';
import { ask, askRefused } from '../../../support/graphql/graphql.ts';
import { plantPosts } from '../../../support/lists/planted-posts.ts';
import { createApi } from '../../../support/app/api.ts';

const app = useApp({ roles: { api: true, worker: false } });

const minute = (number: number) => new Date(Date.UTC(2030, 0, 1, 0, number));
const orders: PostOrder[] = ['-created_at', 'scheduled_at', '-scheduled_at', '-published_at'];
const count = 5_000;

interface Listed {
  id: string;
  created_at: string;
  scheduled_at: string | null;
  published_at: string | null;
}

/** All posts in this order. Calls `between` after each page. */
async function readAll(
  key: string,
  query: string,
  between: (page: Listed[]) => Promise<unknown> = async () => {},
): Promise<Listed[]> {
  const api = createApi(app.url, key);
  const posts: Listed[] = [];
  let cursor = '';
  do {
    const { status, body } = await api.get(`/v1/posts?limit=100&${query}${cursor}`);
    expect(status, JSON.stringify(body.error)).toBe(200);
    posts.push(...body.data);
    await between(body.data);
    cursor = body.meta.next_cursor === null ? '' : `&cursor=${body.meta.next_cursor}`;
    expect(body.meta.has_more).toBe(cursor !== '');
  } while (cursor !== '');
  return posts;
}

describe(`pages of ${count} posts, a fifth without times and many at the same time`, () => {
  test.each(orders)('in the order %s, while posts are added and moved', async (order) => {
    const { db } = app.context;
    const { projectId, key } = await app.createTenant(order);
    const rows = Array.from({ length: count }, (_, i) => {
      const time = i % 5 === 0 ? null : minute((i * 7_919) % 1_250);
      return { created_at: minute(-i), scheduled_at: time, published_at: time };
    });
    const ids = await plantPosts(db, projectId, rows);
    // Their times change while the pages are read.
    const moved = ids.filter((_, i) => i % 50 === 7);
    const movedIds = new Set(moved);
    let pages = 0;
    const read = await readAll(key, `order=${encodeURIComponent(order)}`, async () => {
      const time = minute((pages * 997) % 1_250);
      await plantPosts(db, projectId, [
        { created_at: new Date(), scheduled_at: time, published_at: time },
        { created_at: minute(-pages * 90), scheduled_at: null, published_at: null },
      ]);
      const some = moved.slice(pages * 2, pages * 2 + 2);
      await db
        .updateTable('posts')
        .set({ scheduled_at: time, published_at: pages % 2 === 0 ? time : null })
        .where('id', '=', sql<string>`any(${some}::text[])`)
        .execute();
      pages++;
    });
    expect(pages).toBeGreaterThan(count / 100 - 1);
    const still = read.filter(({ id }) => !movedIds.has(id));
    expect(new Set(still.map(({ id }) => id)).size).toBe(still.length);
    const found = new Set(read.map(({ id }) => id));
    expect(ids.filter((id) => !movedIds.has(id) && !found.has(id))).toEqual([]);
  });

  test.each(orders)('are sorted: %s', async (order) => {
    const { projectId, key } = await app.createTenant(order);
    const rows = Array.from({ length: 250 }, (_, i) => {
      const time = i % 3 === 0 ? null : minute(i % 11);
      return { created_at: minute(-i), scheduled_at: time, published_at: time };
    });
    await plantPosts(app.context.db, projectId, rows);
    const read = await readAll(key, `order=${order}`);
    const member = order.replace('-', '') as 'created_at' | 'scheduled_at' | 'published_at';
    const times = read.map((post) => post[member]).filter((time) => time !== null);
    const ascending = times.toSorted();
    expect(times).toEqual(order.startsWith('-') ? ascending.toReversed() : ascending);
    const untimed = member === 'created_at' ? 0 : 84;
    expect(read.slice(250 - untimed).every((post) => post[member] === null)).toBe(true);
    expect(new Set(read.map(({ id }) => id)).size).toBe(250);
  });
});

test('the newest post comes first if no order is given, in both APIs', async () => {
  const { projectId, key } = await app.createTenant('default');
  const rows = [3, 1, 2].map((at) => ({ created_at: minute(at), scheduled_at: minute(-at) }));
  const [three, one, two] = await plantPosts(app.context.db, projectId, rows);
  const wanted = [three, two, one];
  expect((await readAll(key, '')).map(({ id }) => id)).toEqual(wanted);
  const { posts } = await ask(app, '{ posts { nodes { id } } }', {}, key);
  expect(posts.nodes.map(({ id }: { id: string }) => id)).toEqual(wanted);
});

describe('a page', () => {
  test('that is cut by its size has all posts of the next one, with and without times', async () => {
    const { projectId, key } = await app.createTenant('large');
    const caption = 'a'.repeat(90_000);
    const rows = Array.from({ length: 30 }, (_, i) => {
      return { caption, created_at: minute(-i), scheduled_at: i < 15 ? minute(i) : null };
    });
    await plantPosts(app.context.db, projectId, rows);
    const sizes: number[] = [];
    const read = await readAll(key, 'order=scheduled_at', async ({ length }) => sizes.push(length));
    expect(new Set(read.map(({ id }) => id)).size).toBe(30);
    expect(sizes.length).toBeGreaterThan(2);
    expect(Math.max(...sizes)).toBeLessThan(14);
  });

  test('of an interval has no posts without the time', async () => {
    const { projectId, key } = await app.createTenant('interval');
    await plantPosts(app.context.db, projectId, [{}, { scheduled_at: minute(1) }]);
    expect(
      await readAll(key, `order=scheduled_at&scheduled_to=${minute(9).toISOString()}`),
    ).toHaveLength(1);
  });
});

describe('a cursor', () => {
  let cursors: Record<PostOrder, string>;
  beforeAll(async () => {
    const times = { scheduled_at: minute(1), published_at: minute(1) };
    await plantPosts(app.context.db, app.tenant.projectId, [times, times, times]);
    const entries = orders.map(async (order) => {
      const { body } = await app.api.get(`/v1/posts?limit=1&order=${order}`);
      return [order, body.meta.next_cursor] as const;
    });
    cursors = Object.fromEntries(await Promise.all(entries)) as typeof cursors;
  });

  test('of another order is refused', async () => {
    for (const order of orders) {
      for (const [other, cursor] of Object.entries(cursors)) {
        const { status, body } = await app.api.get(`/v1/posts?order=${order}&cursor=${cursor}`);
        if (other === order) {
          expect(status).toBe(200);
          continue;
        }
        expect(status).toBe(422);
        expect(body.error.issues).toMatchObject([{ path: 'cursor', code: 'invalid_cursor' }]);
        expect(body.error.message).toContain('a list in the same order');
      }
    }
  });

  test.each([
    'scheduled_at:1:sa_0',
    'scheduled_at:x:post_0',
    'caption:1:post_0',
    '-created_at:1:post_0',
    'scheduled_at:99999999999999999:post_0',
    `scheduled_at:1:${idAt('post', new Date())}:x`,
  ])('that no list gave is refused: %s', async (position) => {
    const cursor = Buffer.from(position).toString('base64url');
    const { status, body } = await app.api.get(`/v1/posts?order=scheduled_at&cursor=${cursor}`);
    expect(status).toBe(422);
    expect(body.error.issues).toMatchObject([{ path: 'cursor', code: 'invalid_cursor' }]);
  });

  test('of a connection continues it, and not one in another order', async () => {
    const query = `query ($orderBy: PostOrder, $after: String) {
      posts(first: 1, orderBy: $orderBy, after: $after) { edges { cursor node { id } } pageInfo { endCursor } } }`;
    const first = await ask(app, query, { orderBy: 'SCHEDULED_AT_ASC' });
    const { endCursor: after } = first.posts.pageInfo;
    expect(after).toBe(cursors['scheduled_at']);
    expect(first.posts.edges[0].cursor).toBe(after);
    const second = await ask(app, query, { orderBy: 'SCHEDULED_AT_ASC', after });
    expect(second.posts.edges[0].node.id).not.toBe(first.posts.edges[0].node.id);
    for (const orderBy of ['CREATED_AT_DESC', 'SCHEDULED_AT_DESC', 'PUBLISHED_AT_DESC']) {
      const refused = await askRefused(app, query, { orderBy, after });
      expect(refused.issues).toMatchObject([{ path: 'after', code: 'invalid_cursor' }]);
      expect(refused.message).toContain('a list in the same order');
    }
  });
});

describe('the total', () => {
  test('is counted only if it is requested, with the filters', async () => {
    const { projectId, key } = await app.createTenant('few');
    await plantPosts(app.context.db, projectId, [{}, { labels: ['a'] }, { labels: ['a'] }]);
    const api = createApi(app.url, key);
    const plain = await api.get('/v1/posts');
    expect(plain.body.meta).not.toHaveProperty('total_count');
    const { body } = await api.get('/v1/posts?label=a&limit=1&include=total_count');
    expect(body.data).toHaveLength(1);
    expect(body.meta.total_count).toEqual({ value: 2, is_capped: false });
    const query = '{ posts(labels: ["a"], first: 0) { totalCount { value isCapped } } }';
    const { posts } = await ask(app, query, {}, key);
    expect(posts.totalCount).toEqual({ value: 2, isCapped: false });
  });

  test('is counted up to 10,000, and says so', async () => {
    const { projectId, key } = await app.createTenant('many');
    await plantPosts(
      app.context.db,
      projectId,
      Array.from({ length: 10_000 }, () => ({})),
    );
    const api = createApi(app.url, key);
    const total = async () =>
      (await api.get('/v1/posts?limit=1&include=total_count')).body.meta.total_count;
    expect(await total()).toEqual({ value: 10_000, is_capped: false });
    await plantPosts(app.context.db, projectId, [{}]);
    expect(await total()).toEqual({ value: 10_000, is_capped: true });
  });
});

test('a test key finds only test posts, in each order, and counts only these', async () => {
  const { projectId } = app.tenant;
  const times = { scheduled_at: minute(5), published_at: minute(5), labels: ['x'] };
  const [id] = await plantPosts(app.context.db, projectId, [
    { ...times, environment: 'test', caption: 'only this' },
    { ...times, caption: 'only that' },
  ]);
  const { body } = await app.api.post('/v1/api-keys', { name: 't', environment: 'test' });
  for (const order of orders) {
    const query = `order=${order}&label=x&q=only`;
    expect((await readAll(body.data.key, query)).map((post) => post.id)).toEqual([id]);
    const api = createApi(app.url, body.data.key);
    const listed = await api.get(`/v1/posts?${query}&include=total_count`);
    expect(listed.body.meta.total_count).toEqual({ value: 1, is_capped: false });
  }
});

test('a key without the scope reads neither posts nor totals', async () => {
  const { body } = await app.api.post('/v1/api-keys', { name: 'a', scopes: ['accounts:read'] });
  const refused = await createApi(app.url, body.data.key).get('/v1/posts?include=total_count');
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
});
