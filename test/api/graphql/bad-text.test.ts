// GraphQL refuses text that Postgres can't store, and values that are nested too deep, by their paths.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../../schema/accounts.ts';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

let account: Account;

const app = useApp({ roles: { api: true, worker: false } });
beforeAll(async () => {
  account = await app.tenant.connectSandbox('ada');
});

const createPost = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }';
const createPosts = `mutation ($input: CreatePostsInput!, $key: String) {
  createPosts(input: $input, idempotencyKey: $key) {
    status post { caption } error { issues { path code } }
  }
}`;

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Not written by a recursion, which would not come to its end. */
function askDeep(query: string, variables: string) {
  return app.api.call(
    'POST',
    '/graphql',
    `{"query":${JSON.stringify(query)},"variables":${variables}}`,
  );
}

describe('connectAccount', () => {
  test('quotes no text next to an invalid value, because it may be a password', async () => {
    const input = {
      platform: 'BLUESKY',
      credentials: { handle: 'a.b', app_password: 'S3CRET-PASS' },
      typo: 1,
    };
    const query =
      'mutation ($input: ConnectAccountInput!) { connectAccount(input: $input) { id } }';
    const literal = `mutation { connectAccount(input: {
      platform: BLUESKY, credentials: { handle: "a.b", app_password: "S3CRET-PASS" }, typo: 1
    }) { id } }`;
    const broken = 'mutation { connectAccount(input: { credentials: "" "S3CRET-PASS" }) { id } }';
    expect(JSON.stringify(await askRefused(app, broken))).not.toContain('S3CRET');
    for (const refused of [
      await askRefused(app, query, { input }),
      await askRefused(app, literal),
    ]) {
      expect(refused.issues).toMatchObject([{ path: 'input.typo', code: 'unknown_field' }]);
      expect(JSON.stringify(refused)).not.toContain('S3CRET');
    }
  });
});

describe('createPost', () => {
  test.each([
    ['NUL', { caption: 'a\0' }, 'input.caption', 'invalid_text'],
    ['half a pair', { caption: 'a\uD800' }, 'input.caption', 'invalid_text'],
    ['NUL in metadata', { metadata: { k: '\0' } }, 'input.metadata.k', 'invalid_text'],
    ['NUL in a name', { metadata: { 'k\0': 'v' } }, 'input.metadata["k\\u0000"]', 'invalid_text'],
    ['half a pair in an id', { accountIds: ['\uDC00'] }, 'input.accountIds[0]', 'invalid_text'],
    ['NUL in its own key', { idempotencyKey: '\0' }, 'input.idempotencyKey', 'invalid_text'],
    [
      'a name __proto__',
      { metadata: JSON.parse('{"__proto__":"v"}') },
      'input.metadata',
      'unknown_field',
    ],
  ])('refuses %s in variables', async (_, input, path, code) => {
    const refused = await askRefused(app, createPost, {
      input: { accountIds: [account.id], ...input },
    });
    expect(refused.code).toBe('validation_error');
    const issues = refused.issues as { path: string; code: string }[];
    expect(issues.find((issue) => issue.path.startsWith(path))).toMatchObject({ code });
  });

  test.each([
    ['caption: "\\u0000"', 'input.caption'],
    ['caption: "a", metadata: { k: "\\u0000" }', 'input.metadata.k'],
  ])('refuses %s written into the document', async (fields, path) => {
    const query = `mutation { createPost(input: { ${fields}, accountIds: ["x"] }) { id } }`;
    const refused = await askRefused(app, query);
    expect(refused.issues[0]).toMatchObject({ path, code: 'invalid_text' });
  });

  test.each([[40], [1_000], [4_000]])('refuses metadata nested %i deep', async (depth) => {
    const input = `{"accountIds":["x"],"metadata":{"a":${nested(depth)}}}`;
    const { status, body } = await askDeep(createPost, `{"input":${input}}`);
    expect(status).toBe(200);
    const { code, issues } = body.errors[0].extensions;
    expect(code).toBe('validation_error');
    expect(issues[0]).toMatchObject({
      path: expect.stringMatching(/^input\.metadata\.a(\[0\])+$/),
      code: 'too_deep',
    });
  });

  test.each([
    [40, /^too_deep$/],
    [400, /^too_deep$/],
    [1_900, /^too_many_tokens$/],
    [10_000, /^too_many_tokens$/],
  ])('refuses a document nested %i deep', async (depth, expected) => {
    const fields = `accountIds: ["x"], metadata: { a: ${nested(depth)} }`;
    const query = `mutation { createPost(input: { ${fields} }) { id } }`;
    const { code, issues } = await askRefused(app, query);
    expect(code).toBe('validation_error');
    expect(issues[0].code).toMatch(expected);
  });
});

describe('createPosts', () => {
  test('refuses each item on its own, by its position', async () => {
    const sound = { caption: 'a', accountIds: [account.id] };
    const posts = [
      sound,
      { ...sound, caption: '\0' },
      { ...sound, metadata: { k: '\uD800' } },
      { ...sound, metadata: { a: JSON.parse(nested(1_000)) as unknown } },
      sound,
    ];
    const { createPosts: items } = await ask(app, createPosts, { input: { posts } });
    const statuses = items.map(({ status }: { status: number }) => status);
    expect(statuses).toEqual([202, 422, 422, 422, 202]);
    expect(items.slice(1, 4)).toMatchObject([
      { error: { issues: [{ path: 'input.posts[1].caption', code: 'invalid_text' }] } },
      { error: { issues: [{ path: 'input.posts[2].metadata.k', code: 'invalid_text' }] } },
      {
        error: {
          issues: [
            { path: expect.stringMatching(/^input\.posts\[3\]\.metadata\.a/), code: 'too_deep' },
            { path: 'input.posts[3].metadata.a', code: 'invalid_type' },
          ],
        },
      },
    ]);
  });

  test.each([
    ['\0', 'invalid_text'],
    ['\uD800', 'invalid_text'],
    ['', 'too_small'],
    ['x'.repeat(256), 'too_big'],
  ])('refuses a key of %j', async (key, code) => {
    const posts = [{ caption: 'a', accountIds: [account.id] }];
    const refused = await askRefused(app, createPosts, { input: { posts }, key });
    expect(refused).toMatchObject({
      code: 'validation_error',
      issues: [{ path: 'idempotencyKey', code }],
    });
  });
});

describe('arguments', () => {
  test.each([
    ['posts(externalUserId: "\\u0000") { nodes { id } }', 'externalUserId'],
    ['posts(socialAccountId: "\\u0000") { nodes { id } }', 'socialAccountId'],
    ['accounts(externalUserId: "\\u0000") { nodes { id } }', 'externalUserId'],
    // The language itself knows no half pair.
    ['posts(socialAccountId: "\\uD800") { nodes { id } }', 'query'],
  ])('%s is refused', async (field, path) => {
    const refused = await askRefused(app, `{ ${field} }`);
    expect(refused).toMatchObject({ code: 'validation_error', issues: [{ path }] });
  });

  test('no resource has an ID with NUL', async () => {
    const refused = await askRefused(app, '{ post(id: "post_\\u0000") { id } }');
    expect(refused.code).toBe('not_found');
  });
});
