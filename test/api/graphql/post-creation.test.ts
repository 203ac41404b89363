// Threads, validation and bulk creation in GraphQL: the same as in REST, with GraphQL names.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../../schema/accounts.ts';
import { useApp } from '../../support/app/app.ts';
import { uploadPicture } from '../../support/media/uploads.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

let account: Account;
/** A post at the network that can be answered. */
let answered: string;

const app = useApp();
beforeAll(async () => {
  account = await app.tenant.connectSandbox('ada');
  const post = await app.tenant.createPost({ caption: 'first', account_ids: [account.id] });
  answered = (await app.tenant.waitForPost(post.id)).results[0]!.external_id!;
});

const thread = () => [
  { accountId: account.id, threadPosition: 0, inReplyTo: answered, firstComment: 'below' },
  { accountId: account.id, threadPosition: 1, caption: 'more', media: [] },
];

describe('createPost', () => {
  test('creates a thread with replies, comments and media, and shows their results', async () => {
    const mediaId = await uploadPicture(app.api);
    const { createPost } = await ask(
      app,
      `mutation ($input: CreatePostInput!) { createPost(input: $input) {
        id media { mediaId media { kind } }
        results { caption media { mediaId altText } threadPosition inReplyTo firstComment { text status } }
      } }`,
      {
        input: {
          caption: 'a',
          media: [{ id: mediaId, altText: 'noise' }],
          platformPosts: thread(),
        },
      },
    );
    expect(createPost).toEqual({
      id: expect.any(String),
      media: [{ mediaId, media: { kind: 'IMAGE' } }],
      results: [
        {
          caption: 'a',
          media: [{ mediaId, altText: 'noise' }],
          threadPosition: 0,
          inReplyTo: answered,
          firstComment: { text: 'below', status: 'PENDING' },
        },
        {
          caption: 'more',
          media: [],
          threadPosition: 1,
          inReplyTo: null,
          firstComment: null,
        },
      ],
    });
    await app.tenant.waitForPost(createPost.id);
    const { post } = await ask(
      app,
      `query ($id: ID!) { post(id: $id) { results {
        status firstComment { status externalId url errorCode errorMessage }
      } } }`,
      { id: createPost.id },
    );
    expect(post.results).toMatchObject([
      { status: 'PUBLISHED', firstComment: { status: 'PUBLISHED', errorCode: null } },
      { status: 'PUBLISHED', firstComment: null },
    ]);
    expect(post.results[0].firstComment.externalId).toMatch(/./);
  });

  test('reports an issue in a thread by its GraphQL path', async () => {
    const refused = await askRefused(
      app,
      'mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }',
      {
        input: {
          caption: 'a',
          platformPosts: [thread()[0], { ...thread()[1], threadPosition: 2 }],
        },
      },
    );
    expect(refused.issues).toMatchObject([
      { path: 'input.platformPosts[1].threadPosition', code: 'thread_has_hole' },
    ]);
  });
});

describe('validatePost', () => {
  const query = `query ($input: CreatePostInput!) { validatePost(input: $input) {
    valid
    errors { platformPostIndex accountId platform field code actual limit severity }
    warnings { field code severity }
  } }`;

  test('reports the issues of createPost, and warnings', async () => {
    const platformPosts = [
      { accountId: account.id, threadPosition: 0, firstComment: ' ' },
      { accountId: account.id, threadPosition: 1 },
    ];
    const { validatePost } = await ask(app, query, { input: { caption: 'a', platformPosts } });
    expect(validatePost).toEqual({
      valid: false,
      errors: [
        {
          platformPostIndex: 0,
          accountId: account.id,
          platform: 'SANDBOX',
          field: 'input.platformPosts[0].firstComment',
          code: 'comment_required',
          actual: null,
          limit: null,
          severity: 'ERROR',
        },
      ],
      warnings: [
        {
          field: 'input.platformPosts[1].caption',
          code: 'repeated_text',
          severity: 'WARNING',
        },
      ],
    });
  });

  test('ignores an idempotency key in the input', async () => {
    const input = { caption: 'a', accountIds: [account.id], idempotencyKey: 'used' };
    await ask(app, 'mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }', {
      input,
    });
    const { validatePost } = await ask(app, query, { input });
    expect(validatePost).toEqual({ valid: true, errors: [], warnings: [] });
  });
});

describe('createPost with the header Idempotency-Key', () => {
  const send = (caption: string, key: string) => {
    const query = `mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }`;
    const input = { caption, accountIds: [account.id], status: 'DRAFT' };
    const headers = { 'Idempotency-Key': key };
    return app.api.call('POST', '/graphql', { query, variables: { input } }, { headers });
  };

  test('returns the first answer again, as in REST', async () => {
    const [first, second] = [await send('a', 'in-header'), await send('a', 'in-header')];
    expect(first.body.data.createPost.id).toMatch(/^post_/);
    expect(second.body).toEqual(first.body);
    const other = await send('b', 'in-header');
    expect(other.body.errors[0].extensions.code).toBe('idempotency_conflict');
  });

  test('is refused with several mutations, before any runs', async () => {
    const caption = 'which of us';
    const one = `createPost(input: { caption: "${caption}", accountIds: ["${account.id}"], status: DRAFT }) { id }`;
    const headers = { 'Idempotency-Key': 'for-which' };
    for (const query of [
      `mutation { a: ${one} b: ${one} }`,
      `mutation { ...both } fragment both on Mutation { a: ${one} b: ${one} }`,
    ]) {
      const { body } = await app.api.call('POST', '/graphql', { query }, { headers });
      expect(body.data).toEqual({ a: null, b: null });
      expect(body.errors[0].extensions.issues).toMatchObject([
        { path: 'headers.Idempotency-Key', code: 'ambiguous' },
      ]);
    }
    const { body } = await app.api.get('/v1/posts');
    expect(body.data.filter((post: { caption: string }) => post.caption === caption)).toEqual([]);
  });

  test('is refused if the key is invalid', async () => {
    const { body } = await send('a', 'x'.repeat(256));
    expect(body.errors[0].extensions).toMatchObject({
      issues: [{ path: 'headers.Idempotency-Key', code: 'too_big' }],
    });
  });
});

describe('createPosts', () => {
  const mutation = `mutation ($input: CreatePostsInput!, $key: String) {
    createPosts(input: $input, idempotencyKey: $key) {
      status
      post { id caption status }
      error { code message isRetriable hint docsUrl issues { path code actual limit } }
    }
  }`;

  test('answers each post in order, and repeats the answer for the same key', async () => {
    const posts = [
      { caption: 'one', accountIds: [account.id], status: 'DRAFT' },
      { caption: 'two', accountIds: ['sa_unknown'], scheduledAt: null },
      { caption: 'x'.repeat(5_001), platformPosts: [{ accountId: account.id }] },
    ];
    const variables = { input: { posts }, key: 'graphql-bulk' };
    const { createPosts: first } = await ask(app, mutation, variables);
    expect(first).toMatchObject([
      { status: 201, post: { caption: 'one', status: 'DRAFT' }, error: null },
      {
        status: 422,
        post: null,
        error: {
          code: 'validation_error',
          message: 'input.posts[1].accountIds[0]: No account has this ID.',
          isRetriable: false,
          hint: null,
          issues: [{ path: 'input.posts[1].accountIds[0]', code: 'unknown_account', actual: null }],
        },
      },
      {
        status: 422,
        error: { issues: [{ path: 'input.posts[2].caption', actual: 5_001, limit: 5_000 }] },
      },
    ]);
    const { createPosts: second } = await ask(app, mutation, variables);
    expect(second).toEqual(first);
  });

  test('accepts at most 500 posts, with their results', { timeout: 60_000 }, async () => {
    const posts = (count: number) =>
      Array.from({ length: count }, () => ({
        caption: 'a',
        accountIds: [account.id],
        status: 'DRAFT',
      }));
    const { createPosts } = await ask(
      app,
      `mutation ($input: CreatePostsInput!) {
        createPosts(input: $input) { status post { id results { id firstComment { text } } } }
      }`,
      { input: { posts: posts(500) } },
    );
    expect(new Set(createPosts.map(({ status }: { status: number }) => status))).toEqual(
      new Set([201]),
    );
    const refused = await askRefused(app, mutation, { input: { posts: posts(501) } });
    expect(refused.issues).toMatchObject([{ path: 'input.posts', code: 'too_big', limit: 500 }]);
  });
});
