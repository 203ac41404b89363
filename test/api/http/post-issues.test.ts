// An issue of a post looks the same in validation, in a refusal and among the warnings of a creation.
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

const app = useApp({ roles: { api: true, worker: false } });
const accounts: string[] = [];
beforeAll(async () => {
  for (const handle of ['ada', 'bob']) accounts.push((await app.tenant.connectSandbox(handle)).id);
});

const members = [
  'account_id',
  'actual',
  'code',
  'field',
  'limit',
  'message',
  'path',
  'platform',
  'platform_post_index',
  'severity',
];
const namesOf = (issue: object) => Object.keys(issue).toSorted();

const invalid = () => ({
  caption: 'hello',
  platform_posts: [
    { account_id: accounts[0] },
    { account_id: accounts[1], platform_options: { delay_ms: -1 } },
  ],
});

test('validation and refused creation report the same issue with the same members', async () => {
  const validated = await app.api.post('/v1/posts/validate', invalid());
  const refused = await app.api.post('/v1/posts', invalid());
  const [issue] = refused.body.error.issues;
  expect(validated.body.data.errors).toEqual([issue]);
  expect(namesOf(issue)).toEqual(members);
  expect(issue).toMatchObject({
    path: 'platform_posts[1].platform_options.delay_ms',
    field: 'platform_posts[1].platform_options.delay_ms',
    platform_post_index: 1,
    account_id: accounts[1],
    platform: 'sandbox',
    severity: 'error',
  });
});

test('a warning of a creation has the same members as in validation', async () => {
  const parts = [0, 1].map((thread_position) => ({ account_id: accounts[0], thread_position }));
  const body = { caption: 'twice', platform_posts: parts, status: 'draft' };
  const created = await app.api.post('/v1/posts', body);
  const validated = await app.api.post('/v1/posts/validate', body);
  expect(created.body.warnings).toEqual(validated.body.data.warnings);
  expect(created.body.warnings.map(namesOf)).toEqual([members]);
});

test('an issue that several targets share names no target in a refusal', async () => {
  const body = { caption: 'x'.repeat(50_000), account_ids: accounts };
  const { issues } = (await app.api.post('/v1/posts', body)).body.error;
  expect(issues).toMatchObject([{ path: 'caption', platform_post_index: null, account_id: null }]);
});

test('the refusal of an unknown field has only a code, a message and a path', async () => {
  const { body } = await app.api.post('/v1/posts', { text: 'hello' });
  expect(namesOf(body.error.issues[0])).toEqual(['code', 'message', 'path']);
});

test('GraphQL shows the same issue in validation, in refusals and in bulk creation', async () => {
  const input = {
    caption: 'hello',
    platformPosts: [
      { accountId: accounts[0] },
      { accountId: accounts[1], platformOptions: { sandbox: { delayMs: -1 } } },
    ],
  };
  const fields = 'path field platformPostIndex accountId platform code message severity';
  const { validatePost } = await ask(
    app,
    `query ($input: CreatePostInput!) { validatePost(input: $input) { errors { ${fields} } } }`,
    { input },
  );
  const refused = await askRefused(
    app,
    'mutation ($input: CreatePostInput!) { createPost(input: $input) { id } }',
    { input },
  );
  expect(refused.issues).toMatchObject(validatePost.errors);
  const { createPosts } = await ask(
    app,
    `mutation ($input: CreatePostsInput!) {
      createPosts(input: $input) { error { issues { ${fields} } } }
    }`,
    { input: { posts: [input] } },
  );
  const [{ error }] = createPosts;
  expect(
    error.issues.map(({ severity, platform }: Record<string, string>) => [severity, platform]),
  ).toEqual([['ERROR', 'SANDBOX']]);
});
