// Numbers of posts by day and status, and the list of labels, in both APIs.
import { beforeAll, describe, expect, test } from 'vitest';
import { createApi } from '../../../support/app/api.ts';
import { useApp } from '../../../support/app/app.ts';
import type { Tenant } from '../../../support/app/seed.ts';
import { ask, askRefused } from '../../../support/graphql/graphql.ts';
import { plantPosts } from '../../../support/lists/planted-posts.ts';

const app = useApp({ roles: { api: true, worker: false } });

let testKey: string;
beforeAll(async () => {
  const { body } = await app.api.post('/v1/api-keys', { name: 't', environment: 'test' });
  testKey = body.data.key;
});

const listCounts = async (query: string, key = app.tenant.key) => {
  const { body, status } = await createApi(app.url, key).get(`/v1/posts/counts?${query}`);
  expect(status, JSON.stringify(body.error)).toBe(200);
  return body.data.map(({ date, status, count }: Record<string, unknown>) => [date, status, count]);
};

describe('counts', () => {
  beforeAll(async () => {
    const at = (text: string) => new Date(text);
    await plantPosts(app.context.db, app.tenant.projectId, [
      // In Berlin, the day before its daylight saving time ends, that day, and the next one.
      { status: 'scheduled', scheduled_at: at('2030-10-26T21:59:59Z') },
      { status: 'scheduled', scheduled_at: at('2030-10-26T22:00:00Z') },
      { status: 'scheduled', scheduled_at: at('2030-10-27T22:59:59Z') },
      { status: 'failed', scheduled_at: at('2030-10-27T12:00:00Z') },
      { status: 'scheduled', scheduled_at: at('2030-10-27T23:00:00Z') },
      // Published without a schedule, and on another day than scheduled.
      { status: 'published', published_at: at('2030-10-28T10:00:00Z') },
      {
        status: 'published',
        scheduled_at: at('2030-10-29T10:00:00Z'),
        published_at: at('2030-10-30T10:00:00Z'),
        environment: 'test',
      },
      { status: 'draft' },
    ]);
  });

  const from = '2030-10-26T00:00:00Z';
  const to = '2030-11-01T00:00:00Z';
  const inBerlin = [
    ['2030-10-26', 'scheduled', 1],
    ['2030-10-27', 'failed', 1],
    ['2030-10-27', 'scheduled', 2],
    ['2030-10-28', 'published', 1],
    ['2030-10-28', 'scheduled', 1],
    ['2030-10-29', 'published', 1],
  ];

  test('follow the days of the time zone', async () => {
    expect(await listCounts(`from=${from}&to=${to}&timezone=Europe/Berlin`)).toEqual(inBerlin);
    const { postCounts } = await ask(
      app,
      `{ postCounts(from: "${from}", to: "${to}", timezone: "Europe/Berlin") { date status count } }`,
    );
    expect(
      postCounts.map((each: Record<string, unknown>) => [
        each['date'],
        String(each['status']).toLowerCase(),
        each['count'],
      ]),
    ).toEqual(inBerlin);
  });

  test('are of days in UTC by default, and of the interval only', async () => {
    expect(await listCounts('from=2030-10-26T22:00:00Z&to=2030-10-27T22:59:59Z')).toEqual([
      ['2030-10-26', 'scheduled', 1],
      ['2030-10-27', 'failed', 1],
    ]);
  });

  test('leave out a day that the zone skipped', async () => {
    // Samoa had no 30 December 2011.
    const query = 'from=2011-12-29T00:00:00Z&to=2012-01-01T00:00:00Z&timezone=Pacific/Apia';
    const [id] = await plantPosts(app.context.db, app.tenant.projectId, [
      { scheduled_at: new Date('2011-12-30T10:00:00Z') },
    ]);
    expect(await listCounts(query)).toEqual([['2011-12-31', 'draft', 1]]);
    await app.context.db.deleteFrom('posts').where('id', '=', id!).execute();
  });

  test('of a test key are of test posts', async () => {
    expect(await listCounts(`from=${from}&to=${to}`, testKey)).toEqual([
      ['2030-10-29', 'published', 1],
    ]);
  });

  test.each([
    [
      '',
      [
        ['from', 'required'],
        ['to', 'required'],
      ],
    ],
    [`from=${from}&to=${to}&timezone=Mars/Base`, [['timezone', 'invalid_timezone']]],
    [`from=${from}&to=${to}&timezone=%2B02:00`, [['timezone', 'invalid_timezone']]],
    [`from=${to}&to=${from}`, [['from', 'not_before_to']]],
    [`from=${from}&to=2032-01-01T00:00:00Z`, [['to', 'too_long']]],
  ])('are refused for %s', async (query, issues) => {
    const { status, body } = await app.api.get(`/v1/posts/counts?${query}`);
    expect(status).toBe(422);
    const found = body.error.issues.map(({ path, code }: Record<string, string>) => [path, code]);
    expect(found).toEqual(issues);
  });

  test('are refused in GraphQL with the name of the argument', async () => {
    const args = `from: "${from}", to: "${to}", timezone: "Mars/Base"`;
    const refused = await askRefused(app, `{ postCounts(${args}) { count } }`);
    expect(refused.issues).toMatchObject([{ path: 'timezone', code: 'invalid_timezone' }]);
  });
});

describe('labels', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await app.createTenant('labels');
    await plantPosts(app.context.db, tenant.projectId, [
      { labels: ['b', 'Ä'] },
      { labels: ['b', 'a'], environment: 'test' },
      { labels: ['B'] },
      {},
    ]);
  });
  const all = [
    { name: 'B', post_count: 1 },
    { name: 'a', post_count: 1 },
    { name: 'b', post_count: 2 },
    { name: 'Ä', post_count: 1 },
  ];

  test('are listed by name with the number of their posts, in pages', async () => {
    const listed: unknown[] = [];
    let cursor = '';
    do {
      const { body } = await tenant.api.get(`/v1/labels?limit=1${cursor}`);
      listed.push(...body.data);
      cursor = body.meta.next_cursor && `&cursor=${body.meta.next_cursor}`;
    } while (cursor);
    expect(listed).toEqual(all);
  });

  test('are a connection in GraphQL', async () => {
    const query = `query ($after: String) { labels(first: 3, after: $after) {
      nodes { name postCount } pageInfo { hasNextPage endCursor } } }`;
    const { labels } = await ask(app, query, {}, tenant.key);
    expect(labels.nodes).toEqual(
      all.slice(0, 3).map(({ name, post_count }) => ({ name, postCount: post_count })),
    );
    const { endCursor: after } = labels.pageInfo;
    const rest = await ask(app, query, { after }, tenant.key);
    expect(rest.labels.nodes).toEqual([{ name: 'Ä', postCount: 1 }]);
    expect(rest.labels.pageInfo.hasNextPage).toBe(false);
  });

  test('of a test key are of test posts', async () => {
    const { body } = await tenant.api.post('/v1/api-keys', { name: 't', environment: 'test' });
    const listed = await createApi(app.url, body.data.key).get('/v1/labels');
    expect(listed.body.data).toEqual([
      { name: 'a', post_count: 1 },
      { name: 'b', post_count: 1 },
    ]);
  });

  test('refuse cursors of other lists, and invented ones', async () => {
    for (const position of ['post_0', 'lbl_0', 'lbl_00', 'lbl_zz', 'lbl_6100']) {
      const cursor = Buffer.from(position).toString('base64url');
      const { status, body } = await tenant.api.get(`/v1/labels?cursor=${cursor}`);
      expect({ position, status }).toEqual({ position, status: 422 });
      expect(body.error.issues).toMatchObject([{ path: 'cursor', code: 'invalid_cursor' }]);
    }
  });

  test('take the longest labels as a cursor', async () => {
    const other = await app.createTenant('long');
    const labels = ['🌷'.repeat(32), '🌷'.repeat(31)];
    await plantPosts(app.context.db, other.projectId, [{ labels }]);
    const first = await other.api.get('/v1/labels?limit=1');
    const last = await other.api.get(`/v1/labels?limit=1&cursor=${first.body.meta.next_cursor}`);
    expect([...first.body.data, ...last.body.data].map(({ name }) => name)).toEqual(
      labels.toReversed(),
    );
  });
});

test.each(['/v1/labels', '/v1/posts/counts?from=2030-01-01T00:00:00Z&to=2030-01-02T00:00:00Z'])(
  'a key without the scope is refused: %s',
  async (path) => {
    const { body } = await app.api.post('/v1/api-keys', { name: 'a', scopes: ['accounts:read'] });
    const { status } = await createApi(app.url, body.data.key).get(path);
    expect(status).toBe(403);
  },
);
