// What planning refuses in GraphQL: the same as in REST, with GraphQL's paths.
import { beforeAll, describe, expect, test } from 'vitest';
import { openSlots } from '../../../../api/posts/queues/plan.ts';
import { toInstant } from '../../../../schema/wire/local-time.ts';
import { useApp } from '../../../support/app/app.ts';
import type { Tenant } from '../../../support/app/seed.ts';
import { ask, askRefused } from '../../../support/graphql/graphql.ts';
import { inSeconds } from '../../../support/rows/posts.ts';

const app = useApp({ roles: { api: true, worker: false } });

let accountId: string;
beforeAll(async () => {
  accountId = (await app.tenant.connectSandbox('ada')).id;
});

const day = 86_400_000;
const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
const createQueue = 'mutation ($input: CreateQueueInput!) { createQueue(input: $input) { id } }';
const createPost = `mutation ($input: CreatePostInput!) {
  createPost(input: $input) { id labels scheduledAt schedule { adjusted } warnings { path code } }
}`;
const plan = () => ({
  name: 'Mornings',
  timezone: 'UTC',
  accountIds: [accountId],
  slots: weekdays.map((weekday) => ({ weekday, time: '09:00' })),
});

describe.each(['gap', 'fold'] as const)('a time in the %s', (adjusted) => {
  test('of a post is reported, with a warning', async () => {
    const timezone = 'Europe/Berlin';
    const locals = Array.from({ length: 363 }, (_, i) => {
      return `${new Date(Date.now() + (i + 2) * day).toISOString().slice(0, 10)}T02:30`;
    });
    const local = locals.find((at) => toInstant({ local: at, timezone }).adjusted === adjusted)!;
    const input = { status: 'DRAFT', schedule: { local, timezone } };
    const { createPost: made } = await ask(app, createPost, { input });
    expect(made).toMatchObject({
      schedule: { adjusted: adjusted.toUpperCase() },
      scheduledAt: toInstant({ local, timezone }).at.toISOString(),
    });
    expect(made.warnings).toContainEqual({
      path: 'input.schedule.local',
      code: 'time_adjusted',
    });
  });
});

describe('a queue', () => {
  test('without accounts is refused', async () => {
    const input = { ...plan(), accountIds: [] };
    expect((await askRefused(app, createQueue, { input })).issues).toMatchObject([
      { path: 'input.accountIds', code: 'too_small' },
    ]);
  });

  test('with a slot in the gap and in the fold warns in the posts that get them', async () => {
    const timezone = 'Europe/Berlin';
    const slot = { weekday: 'SUN', time: '02:30' };
    const input = { ...plan(), timezone, slots: [slot] };
    const { id: queueId } = (await ask(app, createQueue, { input })).createQueue;
    const open = [...openSlots({ timezone, slots: [{ ...slot, weekday: 'sun' }] })];
    const last = open.findLastIndex(({ adjusted }) => adjusted !== 'none');
    const posts = Array.from({ length: last + 1 }, (_, i) => ({ caption: `${i}`, queueId }));
    const create = `mutation ($input: CreatePostsInput!) {
      createPosts(input: $input) { post { scheduledAt } warnings { path code } }
    }`;
    const { createPosts } = await ask(app, create, { input: { posts } });
    expect(createPosts).toEqual(
      open.slice(0, last + 1).map(({ at, adjusted }, i) => ({
        post: { scheduledAt: at.toISOString() },
        warnings:
          adjusted === 'none' ? [] : [{ path: `input.posts[${i}].queueId`, code: 'time_adjusted' }],
      })),
    );
  });
});

describe('labels', () => {
  test('are shown as they were given, and refused with their path', async () => {
    const draft = { status: 'DRAFT', labels: ['b', 'a', 'b'] };
    expect((await ask(app, createPost, { input: draft })).createPost.labels).toEqual(['b', 'a']);
    for (const [labels, path, code] of [
      [Array.from({ length: 21 }, (_, i) => `${i}`), 'input.labels', 'too_big'],
      [['ok', 'a'.repeat(65)], 'input.labels[1]', 'too_big'],
    ] as const) {
      const { issues } = await askRefused(app, createPost, { input: { ...draft, labels } });
      expect(issues).toMatchObject([{ path, code }]);
    }
  });

  test.each([
    ['ten thousand', Array.from({ length: 10_000 }, () => 'a')],
    ['one of a megabyte', ['a'.repeat(1_000_000)]],
  ])('%s are too large for a request, of a post and as a filter', async (_, labels) => {
    const filter = 'query ($labels: [String!]) { posts(labels: $labels) { nodes { id } } }';
    for (const [query, variables] of [
      [createPost, { input: { status: 'DRAFT', labels } }],
      [filter, { labels }],
    ] as const) {
      expect(await askRefused(app, query, variables)).toMatchObject({ code: 'payload_too_large' });
    }
  });
});

describe('a test key', () => {
  let tenant: Tenant;
  let key: string;
  /** Of production, by the name of their variable. */
  let hidden: { id: string; queueId: string; testAccount: string };

  beforeAll(async () => {
    tenant = await app.createTenant('owner');
    const { body } = await tenant.api.post('/v1/api-keys', { name: 't', environment: 'test' });
    key = body.data.key;
    const { id: testAccount } = await tenant.connectSandbox('ada');
    const bluesky = await app.context.db
      .updateTable('social_accounts')
      .set({ platform: 'bluesky' })
      .where('id', '=', (await tenant.connectSandbox('bob')).id)
      .returning('id')
      .executeTakeFirstOrThrow();
    const input = { ...plan(), accountIds: [bluesky.id] };
    const queue = (await ask(app, createQueue, { input }, tenant.key)).createQueue;
    const draft = { status: 'DRAFT', labels: ['secret'], scheduledAt: inSeconds(7_200) };
    const { createPost: post } = await ask(app, createPost, { input: draft }, tenant.key);
    hidden = { id: post.id, queueId: queue.id, testAccount };
  });

  test('finds nothing of production in any list or number', async () => {
    const query = `query ($from: DateTime!, $to: DateTime!) {
      posts { nodes { id } totalCount { value } }
      postCounts(from: $from, to: $to) { count }
      labels { nodes { name } }
      queues { nodes { id } }
      deliveries { nodes { id } }
    }`;
    const variables = { from: inSeconds(0), to: inSeconds(86_400) };
    const none = { nodes: [] };
    expect(await ask(app, query, variables, key)).toEqual({
      posts: { ...none, totalCount: { value: 0 } },
      postCounts: [],
      labels: none,
      queues: none,
      deliveries: none,
    });
    const seen = await ask(app, query, variables, tenant.key);
    expect(seen).toMatchObject({ posts: { totalCount: { value: 1 } }, postCounts: [{ count: 1 }] });
    expect(seen.queues.nodes).toHaveLength(1);
  });

  test.each([
    'query ($queueId: ID!) { queue(id: $queueId) { id } }',
    'query ($queueId: ID!) { queueSlots(id: $queueId) { at } }',
    'mutation ($queueId: ID!) { updateQueue(id: $queueId, input: { name: "taken" }) { id } }',
    'mutation ($queueId: ID!) { rescheduleQueue(id: $queueId) { movedPosts } }',
    'mutation ($queueId: ID!) { deleteQueue(id: $queueId) }',
    'mutation ($id: ID!) { duplicatePost(id: $id) { id } }',
  ])('gets not_found for anything of production: %s', async (query) => {
    expect(await askRefused(app, query, { ...hidden }, key)).toMatchObject({ code: 'not_found' });
  });

  test('changes nothing of production in bulk, and uses none of its queues', async () => {
    const query = `mutation ($id: ID!, $testAccount: ID!, $queueId: ID!) {
      cancelPosts(input: { ids: [$id] }) { status }
      updatePosts(input: { posts: [{ id: $id, caption: "taken" }] }) { status }
      deletePosts(input: { ids: [$id] }) { status }
      createPosts(input: { posts: [
        { caption: "a", accountIds: [$testAccount], queueId: $queueId }
        { caption: "b", accountIds: [$testAccount], scheduledAt: "${inSeconds(7_200)}" }
      ] }) { status error { issues { path code } } }
    }`;
    const [path, code] = ['input.posts[0].queueId', 'unknown_queue'];
    expect(await ask(app, query, { ...hidden }, key)).toEqual({
      cancelPosts: [{ status: 404 }],
      updatePosts: [{ status: 404 }],
      deletePosts: [{ status: 404 }],
      createPosts: [
        { status: 422, error: { issues: [{ path, code }] } },
        { status: 201, error: null },
      ],
    });
  });
});
