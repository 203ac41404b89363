// Canceling, deleting and updating several posts in GraphQL: as in REST, with GraphQL's names.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../../../schema/accounts.ts';
import { useApp } from '../../../support/app/app.ts';
import { ask, askRefused } from '../../../support/graphql/graphql.ts';
import { inSeconds } from '../../../support/rows/posts.ts';

const app = useApp({ roles: { api: true, worker: false } });
let account: Account;
beforeAll(async () => {
  account = await app.tenant.connectSandbox('ada');
});

const create = async (more: object = { status: 'draft' }) =>
  (await app.tenant.createPost({ caption: 'hello', account_ids: [account.id], ...more })).id;

const answer = 'status post { id caption status scheduledAt } error { code issues { path code } }';
const cancel = `mutation ($ids: [ID!]!, $key: String) {
  cancelPosts(input: { ids: $ids }, idempotencyKey: $key) { ${answer} }
}`;
const remove = `mutation ($ids: [ID!]!, $key: String) {
  deletePosts(input: { ids: $ids }, idempotencyKey: $key) { ${answer} }
}`;
const update = `mutation ($posts: [PostToUpdateInput!]!, $key: String) {
  updatePosts(input: { posts: $posts }, idempotencyKey: $key) { ${answer} }
}`;

test('cancelPosts answers each post in order, and repeats the answer for the same key', async () => {
  const variables = { ids: [await create(), 'post_unknown'], key: 'cancel' };
  const { cancelPosts: first } = await ask(app, cancel, variables);
  expect(first).toMatchObject([
    { status: 200, post: { id: variables.ids[0], status: 'CANCELED' }, error: null },
    { status: 404, post: null, error: { code: 'not_found' } },
  ]);
  expect((await ask(app, cancel, variables)).cancelPosts).toEqual(first);
});

test('deletePosts answers each post in order, and repeats the answer for the same key', async () => {
  const variables = { ids: [await create(), await create({})], key: 'delete' };
  const { deletePosts: first } = await ask(app, remove, variables);
  expect(first).toMatchObject([
    { status: 204, post: null, error: null },
    { status: 409, post: null, error: { code: 'conflict' } },
  ]);
  expect((await ask(app, remove, variables)).deletePosts).toEqual(first);
});

describe('updatePosts', () => {
  test('answers each post in order, with the paths of its input', async () => {
    const [draft, scheduled, kept] = [
      await create(),
      await create({ scheduled_at: inSeconds(3_600) }),
      await create(),
    ];
    const { updatePosts } = await ask(app, update, {
      posts: [
        { id: draft, caption: 'changed' },
        { id: scheduled, scheduledAt: null },
        { id: kept, accountIds: ['sa_unknown'] },
        { id: kept },
      ],
    });
    expect(updatePosts).toMatchObject([
      { status: 200, post: { caption: 'changed' } },
      { status: 200, post: { status: 'DRAFT', scheduledAt: null } },
      {
        status: 422,
        error: { issues: [{ path: 'input.posts[2].accountIds[0]', code: 'unknown_account' }] },
      },
      {
        status: 422,
        error: { issues: [{ path: 'input.posts[3]', code: 'nothing_to_change' }] },
      },
    ]);
  });

  test('leaves out a null list or map', async () => {
    const id = await create({ status: 'draft', metadata: { a: '1' } });
    const posts = [{ id, caption: 'b', accountIds: null, metadata: null }];
    const { updatePosts } = await ask(app, update, { posts });
    expect(updatePosts).toMatchObject([{ status: 200, post: { caption: 'b' } }]);
    const { data } = (await app.api.get(`/v1/posts/${id}`)).body;
    expect(data).toMatchObject({ metadata: { a: '1' }, results: [{}] });
  });
});

test('createPosts with dryRun creates nothing, and shows its warnings', async () => {
  const mutation = `mutation ($posts: [CreatePostInput!]!) {
    createPosts(dryRun: true, input: { posts: $posts }) {
      status post { id } warnings { path code } error { issues { path code } }
    }
  }`;
  const post = { caption: 'dry', accountIds: [account.id] };
  await app.tenant.createPost({ caption: 'dry', account_ids: [account.id] });
  const { createPosts } = await ask(app, mutation, { posts: [post, { ...post, accountIds: [] }] });
  expect(createPosts).toEqual([
    {
      status: 202,
      post: null,
      warnings: [{ path: 'input.posts[0].accountIds[0]', code: 'repeated_content' }],
      error: null,
    },
    {
      status: 422,
      post: null,
      warnings: [],
      error: { issues: [{ path: 'input.posts[1].accountIds', code: 'no_targets' }] },
    },
  ]);
  const { data } = (await app.api.get('/v1/posts?limit=100')).body;
  expect(data.filter((each: { caption: string }) => each.caption === 'dry')).toHaveLength(1);
});

test('501 items are refused as a whole', async () => {
  const ids = Array.from({ length: 501 }, () => 'post_x');
  for (const query of [cancel, remove]) {
    const refused = await askRefused(app, query, { ids });
    expect(refused.issues).toMatchObject([{ path: 'input.ids', code: 'too_big', limit: 500 }]);
  }
});
