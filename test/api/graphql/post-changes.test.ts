// Changing, publishing, canceling, deleting and retrying posts in GraphQL: the same as in REST.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../../schema/accounts.ts';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused, subscribeOverSocket } from '../../support/graphql/graphql.ts';
import { inSeconds } from '../../support/rows/posts.ts';

let account: Account;

const app = useApp();
beforeAll(async () => {
  account = await app.tenant.connectSandbox('ada');
});

const create = (post: Record<string, unknown> = { status: 'draft' }) =>
  app.tenant.createPost({ caption: 'hello', account_ids: [account.id], ...post });

const updatePost = `mutation ($id: ID!, $input: UpdatePostInput!) {
  updatePost(id: $id, input: $input) {
    id caption status scheduledAt metadata results { caption threadPosition firstComment { text } }
  }
}`;

describe('updatePost', () => {
  test('changes only the given fields, and REST reads the same post', async () => {
    const { id } = await create();
    const input = { caption: 'changed', metadata: { my_key: 'Kept_As_Is' } };
    const { updatePost: post } = await ask(app, updatePost, { id, input });
    expect(post).toMatchObject({ id, status: 'DRAFT', ...input });
    expect((await app.api.get(`/v1/posts/${id}`)).body.data).toMatchObject(input);
  });

  test('accepts targets with their own content', async () => {
    const { id } = await create();
    const platformPosts = [
      { accountId: account.id, threadPosition: 0, firstComment: 'more' },
      { accountId: account.id, threadPosition: 1, caption: 'two' },
    ];
    const { updatePost: post } = await ask(app, updatePost, { id, input: { platformPosts } });
    expect(post.results).toEqual([
      { caption: 'hello', threadPosition: 0, firstComment: { text: 'more' } },
      { caption: 'two', threadPosition: 1, firstComment: null },
    ]);
  });

  test('treats null as no time, and ignores other nulls', async () => {
    const { id } = await create({ scheduled_at: inSeconds(3_600) });
    const input = { scheduledAt: null, caption: null, accountIds: null };
    const { updatePost: post } = await ask(app, updatePost, { id, input });
    expect(post).toMatchObject({ status: 'DRAFT', scheduledAt: null, caption: 'hello' });
  });

  test.each([
    [{}, 'input', 'nothing_to_change'],
    [{ caption: null }, 'input', 'nothing_to_change'],
    [{ scheduledAt: '2020-01-01T00:00:00Z' }, 'input.scheduledAt', 'too_soon'],
    [{ accountIds: ['sa_unknown'] }, 'input.accountIds[0]', 'unknown_account'],
    [
      { platformPosts: [{ accountId: 'sa_unknown' }] },
      'input.platformPosts[0].accountId',
      'unknown_account',
    ],
  ])('refuses %j at %s', async (input, path, code) => {
    const { id } = await create();
    const refused = await askRefused(app, updatePost, { id, input });
    expect(refused).toMatchObject({ code: 'validation_error', issues: [{ path, code }] });
  });

  test('reports warnings with the paths of its input, and so does publishPost', async () => {
    const { id } = await create();
    const platformPosts = [0, 1].map((threadPosition) => {
      return { accountId: account.id, threadPosition, caption: 'same' };
    });
    const { updatePost: changed } = await ask(
      app,
      'mutation ($id: ID!, $input: UpdatePostInput!) { updatePost(id: $id, input: $input) { warnings { field code } } }',
      { id, input: { platformPosts } },
    );
    const code = 'repeated_text';
    expect(changed.warnings).toEqual([{ field: 'input.platformPosts[1].caption', code }]);
    const { publishPost: published } = await ask(
      app,
      'mutation ($id: ID!) { publishPost(id: $id) { warnings { field code } } }',
      { id },
    );
    expect(published.warnings).toEqual([{ field: 'platformPosts[1].caption', code }]);
  });

  test('refuses a post that has started', async () => {
    const { id } = await create({});
    const input = { caption: 'late' };
    const refused = await askRefused(app, updatePost, { id, input });
    expect(refused).toMatchObject({
      code: 'conflict',
      postStatus: expect.stringMatching(/^[A-Z]+$/),
    });
  });
});

describe('a local time', () => {
  const fields = 'status scheduledAt schedule { local timezone adjusted } warnings { path code }';
  const change = `mutation ($id: ID!, $input: UpdatePostInput!) {
    updatePost(id: $id, input: $input) { ${fields} }
  }`;
  const local = `${inSeconds(30 * 86_400).slice(0, 10)}T12:00`;

  test('schedules a post, and null makes it a draft', async () => {
    const create = `mutation ($input: CreatePostInput!) { createPost(input: $input) { id ${fields} } }`;
    const schedule = { local, timezone: 'America/Phoenix' };
    const input = { caption: 'a', accountIds: [account.id], schedule };
    const { id, ...created } = (await ask(app, create, { input })).createPost;
    expect(created).toEqual({
      status: 'SCHEDULED',
      scheduledAt: `${local.slice(0, 10)}T19:00:00.000Z`,
      schedule: { ...schedule, adjusted: 'NONE' },
      warnings: [],
    });
    const { updatePost } = await ask(app, change, { id, input: { schedule: null } });
    expect(updatePost).toMatchObject({ status: 'DRAFT', scheduledAt: null, schedule: null });
  });

  test.each([
    [{ local, timezone: 'Moon/Base' }, 'input.schedule.timezone', 'invalid_timezone'],
    [{ local: 'noon', timezone: 'UTC' }, 'input.schedule.local', 'invalid_format'],
    [{ local: '2026-01-01T12:00', timezone: 'UTC' }, 'input.schedule.local', 'too_soon'],
  ])('is refused with its path: %j', async (schedule, path, code) => {
    const { id } = await create();
    expect(await askRefused(app, change, { id, input: { schedule } })).toMatchObject({
      code: 'validation_error',
      issues: [{ path, code }],
    });
  });

  test('is refused beside a time with an offset', async () => {
    const { id } = await create();
    const input = { schedule: { local, timezone: 'UTC' }, scheduledAt: inSeconds(3_600) };
    expect(await askRefused(app, change, { id, input })).toMatchObject({
      message: expect.stringContaining('`scheduledAt` or `schedule`, not both'),
      issues: [{ path: 'input.schedule', code: 'both_time_forms' }],
    });
  });
});

describe('a draft without anything', () => {
  test('is created, warns, and is not published', async () => {
    const create = `mutation { createPost(input: {status: DRAFT}) {
      id caption results { id } warnings { path code severity platform accountId }
    } }`;
    const { createPost } = await ask(app, create);
    expect(createPost).toEqual({
      id: expect.any(String),
      caption: '',
      results: [],
      warnings: [
        {
          path: 'input.accountIds',
          code: 'no_targets',
          severity: 'WARNING',
          platform: null,
          accountId: null,
        },
      ],
    });
    const publish = 'mutation ($id: ID!) { publishPost(id: $id) { id } }';
    expect(await askRefused(app, publish, { id: createPost.id })).toMatchObject({
      issues: [{ path: 'platformPosts', code: 'no_targets' }],
    });
    const query = 'query { validatePost(input: {status: DRAFT}) { valid warnings { code } } }';
    expect((await ask(app, query)).validatePost).toEqual({
      valid: true,
      warnings: [{ code: 'no_targets' }],
    });
  });

  test('reaches live streams', async () => {
    const { liveCursor: after } = await ask(app, '{ liveCursor }');
    const query = `subscription ($after: String) {
      postUpdated(after: $after) { change post { caption results { id } } }
    }`;
    const { url, key } = { url: app.url, key: app.tenant.key };
    await using live = subscribeOverSocket({ url, key, query, variables: { after } });
    await app.api.post('/v1/posts', { status: 'draft' });
    // Posts of other tests may change too.
    const findCreated = () =>
      live.messages.map(({ data }) => data.postUpdated).find(({ change }) => change === 'created');
    await live.until(() => findCreated() !== undefined);
    expect(findCreated()).toEqual({ change: 'created', post: { caption: '', results: [] } });
  });
});

describe('publishPost', () => {
  const publishPost = `mutation ($id: ID!, $key: String) {
    publishPost(id: $id, idempotencyKey: $key) { id status }
  }`;

  test('publishes a draft now, once for the same key', async () => {
    const { id } = await create();
    const first = await ask(app, publishPost, { id, key: `now-${id}` });
    expect(first.publishPost).toEqual({ id, status: 'PENDING' });
    expect(await ask(app, publishPost, { id, key: `now-${id}` })).toEqual(first);
    expect((await app.tenant.waitForPost(id)).status).toBe('published');
    expect(await askRefused(app, publishPost, { id })).toMatchObject({ code: 'conflict' });
  });

  test('reports issues by their path in the post, because it has no input', async () => {
    const leaving = await app.tenant.connectSandbox('leaving');
    const { id } = await create({ status: 'draft', account_ids: [account.id, leaving.id] });
    await app.api.delete(`/v1/accounts/${leaving.id}`);
    expect(await askRefused(app, publishPost, { id })).toMatchObject({
      code: 'validation_error',
      message: expect.stringMatching(/^platformPosts\[1\]\.accountId: /),
      issues: [{ path: 'platformPosts[1].accountId', code: 'account_not_active' }],
    });
  });
});

describe('cancelPost', () => {
  const cancelPost = 'mutation ($id: ID!) { cancelPost(id: $id) { status results { status } } }';

  test('cancels a scheduled post, once', async () => {
    const { id } = await create({ scheduled_at: inSeconds(3_600) });
    const { cancelPost: post } = await ask(app, cancelPost, { id });
    expect(post).toEqual({ status: 'CANCELED', results: [{ status: 'CANCELED' }] });
    expect(await askRefused(app, cancelPost, { id })).toMatchObject({
      code: 'conflict',
      message: 'The post is canceled: there is nothing left to cancel.',
    });
  });
});

describe('deletePost', () => {
  const deletePost = 'mutation ($id: ID!) { deletePost(id: $id) }';

  test('returns the ID, and reports the deletion to live streams', async () => {
    const { id } = await create();
    const watch = 'subscription ($id: ID) { postUpdated(id: $id) { change postId post { id } } }';
    const { url, key } = { url: app.url, key: app.tenant.key };
    await using live = subscribeOverSocket({ url, key, query: watch, variables: { id } });
    await live.waitFor(1);
    expect(await ask(app, deletePost, { id })).toEqual({ deletePost: id });
    const messages = await live.waitFor(2);
    expect(messages.map(({ data }) => data.postUpdated)).toEqual([
      { change: 'present', postId: id, post: { id } },
      { change: 'deleted', postId: id, post: null },
    ]);
    expect(await askRefused(app, deletePost, { id })).toMatchObject({ code: 'not_found' });
  });
});

describe('retryResult', () => {
  const retryResult = `mutation ($postId: ID!, $resultId: ID!) {
    retryResult(postId: $postId, resultId: $resultId) { id status errorCode }
  }`;

  test('publishes a failed target again, and the result lists both calls', async () => {
    const platform_options = { outcome: 'rejected', times: 1 };
    const platform_posts = [{ account_id: account.id, platform_options }];
    const { id: postId } = await create({ account_ids: undefined, platform_posts });
    const { results } = await app.tenant.waitForPost(postId);
    const resultId = results[0]!.id;
    const { retryResult: result } = await ask(app, retryResult, { postId, resultId });
    expect(result).toEqual({ id: resultId, status: 'PENDING', errorCode: null });
    expect((await app.tenant.waitForPost(postId)).status).toBe('published');
    expect(await askRefused(app, retryResult, { postId, resultId })).toMatchObject({
      code: 'conflict',
      message: 'The target is published: a retry would be a second post.',
    });

    const query = `query ($id: ID!, $first: Int, $after: String) { post(id: $id) { results {
      attemptLog(first: $first, after: $after) {
        nodes { number run phase outcome errorMessage } pageInfo { hasNextPage endCursor }
      }
    } } }`;
    const { post } = await ask(app, query, { id: postId, first: 1 });
    const { nodes, pageInfo } = post.results[0].attemptLog;
    const published = { number: 3, run: 2, phase: 'COMMIT', outcome: 'PUBLISHED' };
    expect(nodes).toEqual([{ ...published, errorMessage: null }]);
    expect(pageInfo.hasNextPage).toBe(true);
    const { endCursor: after } = pageInfo;
    const { post: rest } = await ask(app, query, { id: postId, first: 1, after });
    expect(rest.results[0].attemptLog).toMatchObject({
      nodes: [{ number: 1, run: 1, phase: 'COMMIT', outcome: 'REJECTED' }],
      pageInfo: { hasNextPage: false },
    });
  });
});

describe("another project's posts", () => {
  const ids = 'postId: $id, resultId: $result';
  const afterPublishing = [
    `updateResult(${ids}, input: { caption: "taken" })`,
    `unpublishResult(${ids})`,
    `markResultUnpublished(${ids})`,
  ];

  test('are not found', async () => {
    const { id, results } = await create({ scheduled_at: inSeconds(3_600) });
    const { key } = await app.createTenant();
    const refusedFor = (query: string, variables: object) =>
      askRefused(app, query, { ...variables }, key);
    const refusals = await Promise.all([
      refusedFor(updatePost, { id, input: { caption: 'taken' } }),
      refusedFor('mutation ($id: ID!) { publishPost(id: $id) { id } }', { id }),
      refusedFor('mutation ($id: ID!) { cancelPost(id: $id) { id } }', { id }),
      refusedFor('mutation ($id: ID!) { deletePost(id: $id) }', { id }),
      refusedFor(
        'mutation ($id: ID!, $result: ID!) { retryResult(postId: $id, resultId: $result) { id } }',
        { id, result: results[0]!.id },
      ),
      ...afterPublishing.map((field) =>
        refusedFor(`mutation ($id: ID!, $result: ID!) { ${field} { id } }`, {
          id,
          result: results[0]!.id,
        }),
      ),
    ]);
    expect(refusals.map(({ code }) => code)).toEqual(Array(8).fill('not_found'));
    expect((await app.api.get(`/v1/posts/${id}`)).body.data.status).toBe('scheduled');
  });
});
