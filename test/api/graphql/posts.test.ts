// Posts in GraphQL: the same post and the same refusals as in REST, with GraphQL names.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../../schema/accounts.ts';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

let account: Account;

const app = useApp();
beforeAll(async () => {
  account = await app.tenant.connectSandbox('ada');
});

const createPost = `mutation ($input: CreatePostInput!) {
  createPost(input: $input) {
    id caption status createdAt scheduledAt metadata
    results { socialAccountId platform accountName status nextAction }
  }
}`;

describe('createPost', () => {
  test('publishes as REST does, and REST reads the same post', async () => {
    const { createPost: post } = await ask(app, createPost, {
      input: { caption: 'hello', accountIds: [account.id], metadata: { my_key: 'Kept_As_Is' } },
    });
    expect(post).toMatchObject({
      caption: 'hello',
      status: 'PENDING',
      metadata: { my_key: 'Kept_As_Is' },
      results: [{ socialAccountId: account.id, platform: 'SANDBOX', status: 'PENDING' }],
    });
    const ended = await app.tenant.waitForPost(post.id);
    expect(ended.status).toBe('published');
    const { post: read } = await ask(app, 'query ($id: ID!) { post(id: $id) { status caption } }', {
      id: post.id,
    });
    expect(read).toEqual({ status: 'PUBLISHED', caption: 'hello' });
  });

  test('accepts targets with their own options, as literals in the document', async () => {
    const { createPost: post } = await ask(
      app,
      `mutation {
      createPost(input: {
        caption: "main"
        platformPosts: [{ accountId: "${account.id}", caption: "own", platformOptions: { sandbox: { outcome: REJECTED } } }]
      }) { id results { caption platformOptions { ... on SandboxOptions { outcome } } } }
    }`,
    );
    expect(post.results).toEqual([{ caption: 'own', platformOptions: { outcome: 'REJECTED' } }]);
    const ended = await app.tenant.waitForPost(post.id);
    expect(ended.status).toBe('failed');
  });

  test('treats null like an omitted field', async () => {
    const { createPost: post } = await ask(app, createPost, {
      input: {
        caption: 'a',
        accountIds: [account.id],
        platformPosts: null,
        scheduledAt: null,
        status: 'DRAFT',
        idempotencyKey: null,
      },
    });
    expect(post.status).toBe('DRAFT');
  });

  test('repeats the first answer for the same key, and refuses another input', async () => {
    const input = { caption: 'once', accountIds: [account.id], idempotencyKey: 'graphql-1' };
    const { createPost: first } = await ask(app, createPost, { input });
    const { createPost: second } = await ask(app, createPost, { input });
    expect(second).toEqual(first);
    expect(
      await askRefused(app, createPost, { input: { ...input, caption: 'other' } }),
    ).toMatchObject({
      code: 'idempotency_conflict',
      isRetriable: false,
    });
  });

  test.each([
    [{ accountIds: ['sa_unknown'] }, 'input.accountIds[0]'],
    [{ platformPosts: [{ accountId: 'sa_unknown' }] }, 'input.platformPosts[0].accountId'],
    [{ accountIds: [] }, 'input.accountIds'],
    [{ accountIds: ['x'], scheduledAt: '2020-01-01T00:00:00Z' }, 'input.scheduledAt'],
    [{ accountIds: ['x'], scheduledAt: 'tomorrow' }, 'input.scheduledAt'],
    [{ accountIds: ['x'], metadata: { Some_Key: 1 } }, 'input.metadata.Some_Key'],
    [{ accountIds: ['x'], caption: 'nul\0' }, 'input.caption'],
    [{ accountIds: ['x'], idempotencyKey: '' }, 'input.idempotencyKey'],
  ])('refuses %j at %s', async (input, path) => {
    const refused = await askRefused(app, createPost, { input: { caption: 'a', ...input } });
    expect(refused).toMatchObject({ code: 'validation_error', path: ['createPost'] });
    expect(refused.issues.map((issue: { path: string }) => issue.path)).toContain(path);
    expect(refused.requestId).toMatch(/^req_/);
  });

  test('names the network in the path of its options', async () => {
    const platformPosts = [
      { accountId: account.id, platformOptions: { sandbox: { delayMs: 60_001 } } },
    ];
    const { issues } = await askRefused(app, createPost, {
      input: { caption: 'a', platformPosts },
    });
    expect(issues[0].path).toBe('input.platformPosts[0].platformOptions.sandbox.delayMs');
  });

  test('names the path of a wrong type', async () => {
    const refused = await askRefused(app, createPost, {
      input: { caption: 5, accountIds: [account.id] },
    });
    expect(refused).toMatchObject({
      code: 'validation_error',
      issues: [{ path: 'input.caption', code: 'invalid_type' }],
    });
    expect((await askRefused(app, createPost, { input: { captoin: 'a' } })).code).toBe(
      'validation_error',
    );
    expect((await askRefused(app, createPost, {})).issues[0].path).toBe('input');
  });

  test('uses GraphQL names in the message of a refusal', async () => {
    const platformPosts = [{ accountId: account.id }];
    expect(
      await askRefused(app, createPost, {
        input: { caption: 'a', accountIds: [account.id], platformPosts },
      }),
    ).toMatchObject({
      message: 'input.platformPosts: Give `accountIds` or `platformPosts`, not both.',
      issues: [{ message: 'Give `accountIds` or `platformPosts`, not both.' }],
    });
    await app.tenant.api.patch('/v1/project', { monthly_posts_per_account: 1 });
    const input = { caption: 'a', accountIds: [account.id] };
    expect(await askRefused(app, createPost, { input })).toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('may publish 1 target in'),
      hint: 'Publish in another month (UTC), or raise `monthlyPostsPerAccount` of the project by `updateProject`.',
    });
    await app.tenant.api.patch('/v1/project', { monthly_posts_per_account: null });
  });

  test('writes nothing when refused', async () => {
    const count = async () =>
      (await ask(app, '{ posts(first: 100) { nodes { id } } }')).posts.nodes.length;
    const before = await count();
    await askRefused(app, createPost, {
      input: { caption: 'a', accountIds: [account.id, 'sa_unknown'] },
    });
    expect(await count()).toBe(before);
  });
});
