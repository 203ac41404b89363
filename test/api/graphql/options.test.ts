// The networks' own options in GraphQL: types generated from their schemas, each for one network only.
import { isInputObjectType, isObjectType, isUnionType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { createSchema } from '../../../api/resources/schema.ts';
import { toCamelCase } from '../../../api/graphql/case-conversion.ts';
import type { PostResult } from '../../../schema/posts/posts.ts';
import { platformDefinitions, type PlatformName } from '../../../schema/platforms/index.ts';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';
import { addAccount } from '../../support/rows/rows.ts';

const schema = createSchema();

let accountId: string;

const app = useApp({ roles: { api: true, worker: false } });
beforeAll(async () => {
  accountId = (await app.tenant.connectSandbox('ada')).id;
});

describe('the types', () => {
  test.each(platformDefinitions)('have a field for each option of $name', ({ title, options }) => {
    const [shown, given] = [`${title}Options`, `${title}OptionsInput`].map((type) =>
      schema.getType(type),
    );
    const names = Object.keys(options.shape).map(toCamelCase).toSorted();
    expect(isObjectType(shown) && Object.keys(shown.getFields()).toSorted()).toEqual(names);
    expect(isInputObjectType(given) && Object.keys(given.getFields()).toSorted()).toEqual(names);
  });

  test('have times as DateTime', () => {
    const fields = ['TikTokConsent', 'TikTokConsentInput'].map((name) => {
      const type = schema.getType(name);
      const hasFields = isObjectType(type) || isInputObjectType(type);
      return hasFields && String(type.getFields()['acceptedAt']?.type);
    });
    expect(fields).toEqual(['DateTime', 'DateTime!']);
  });

  test('form a union, and a one-of input', () => {
    const union = schema.getType('PlatformOptions');
    const names = isUnionType(union) ? union.getTypes().map(({ name }) => name) : [];
    expect(names.toSorted()).toEqual(
      platformDefinitions.map(({ title }) => `${title}Options`).toSorted(),
    );
    const input = schema.getType('PlatformOptionsInput');
    expect(isInputObjectType(input) && input.isOneOf).toBe(true);
  });
});

const create = `mutation ($input: CreatePostInput!) {
  createPost(input: $input) {
    id
    results { platformOptions { __typename ... on SandboxOptions { outcome delayMs times } } }
  }
}`;
const draft = (platformOptions: unknown) => ({
  input: { caption: 'a', status: 'DRAFT', platformPosts: [{ accountId, platformOptions }] },
});
const at = 'input.platformPosts[0].platformOptions';

describe('options', () => {
  test('have their types in input and output, and equal those of REST', async () => {
    const given = { sandbox: { outcome: 'RATE_LIMITED', delayMs: 5, times: null } };
    const { createPost } = await ask(app, create, draft(given));
    expect(createPost.results).toEqual([
      {
        platformOptions: {
          __typename: 'SandboxOptions',
          outcome: 'RATE_LIMITED',
          delayMs: 5,
          times: null,
        },
      },
    ]);
    const { body } = await app.api.get(`/v1/posts/${createPost.id}`);
    expect(body.data.results[0].platform_options).toEqual({
      outcome: 'rate_limited',
      delay_ms: 5,
      times: null,
    });
  });

  test('are shown without values if they were omitted', async () => {
    const { createPost } = await ask(app, create, draft(null));
    expect(createPost.results[0].platformOptions).toEqual({
      __typename: 'SandboxOptions',
      outcome: null,
      delayMs: null,
      times: null,
    });
  });

  test('are refused with their path if they are of another network', async () => {
    const refused = await askRefused(app, create, draft({ bluesky: { langs: ['en'] } }));
    expect(refused.code).toBe('validation_error');
    expect(refused.issues).toMatchObject([{ path: `${at}.bluesky`, code: 'other_network' }]);
  });

  test('are reported with their path if the schema refuses them', async () => {
    const refused = await askRefused(app, create, draft({ sandbox: { delayMs: -1 } }));
    expect(refused.issues).toMatchObject([{ path: `${at}.sandbox.delayMs`, code: 'too_small' }]);
  });

  test.each([
    ['two networks', { sandbox: {}, bluesky: {} }],
    ['no network', {}],
    ['null', { sandbox: null }],
    ['an unknown option', { sandbox: { nothing: 1 } }],
    ['an unknown word', { sandbox: { outcome: 'NOTHING' } }],
  ])('are refused with their path if they have %s', async (_, options) => {
    const refused = await askRefused(app, create, draft(options));
    expect(refused.code).toBe('validation_error');
    expect(refused.issues[0].path).toMatch(/^input\.platformPosts\[0\]\.platformOptions/);
  });

  test('are reported the same by validation', async () => {
    const query = `query ($input: CreatePostInput!) {
      validatePost(input: $input) { errors { field code } }
    }`;
    const bad = await ask(app, query, draft({ sandbox: { delayMs: -1 } }));
    expect(bad.validatePost.errors).toEqual([
      { field: `${at}.sandbox.delayMs`, code: 'too_small' },
    ]);
    const other = await ask(app, query, draft({ bluesky: {} }));
    expect(other.validatePost.errors).toEqual([{ field: `${at}.bluesky`, code: 'other_network' }]);
  });

  test('are reported the same for one post among several', async () => {
    const mutation = `mutation ($input: CreatePostsInput!) {
      createPosts(input: $input) { status error { issues { path code } } }
    }`;
    const posts = [draft({ sandbox: {} }).input, draft({ bluesky: {} }).input];
    const { createPosts } = await ask(app, mutation, { input: { posts } });
    expect(createPosts).toEqual([
      { status: 201, error: null },
      {
        status: 422,
        error: {
          issues: [
            {
              path: 'input.posts[1].platformPosts[0].platformOptions.bluesky',
              code: 'other_network',
            },
          ],
        },
      },
    ]);
  });

  test('can name their network in REST', async () => {
    const platform_posts = [{ account_id: accountId, platform: 'bluesky', platform_options: {} }];
    const body = { caption: 'a', status: 'draft', platform_posts };
    const refused = await app.api.post('/v1/posts', body);
    expect(refused.body.error.issues).toMatchObject([
      { path: 'platform_posts[0].platform', code: 'other_network', actual: 'bluesky' },
    ]);
    const own = [{ ...platform_posts[0], platform: 'sandbox' }];
    const made = await app.api.post('/v1/posts', { ...body, platform_posts: own });
    expect(made.status).toBe(201);
  });
});

describe('options that hold objects', () => {
  const validate = `query ($input: CreatePostInput!) {
    validatePost(input: $input) { errors { field } }
  }`;

  interface Refused {
    platform: PlatformName;
    /** As each API has it. */
    rest: { options: object; path: string };
    graphql: { options: object; path: string };
  }

  const refused: Refused[] = [
    {
      platform: 'discord',
      rest: {
        options: { embeds: [{ title: 'a' }, { image: { url: 'b' } }] },
        path: 'embeds[1].image.url',
      },
      graphql: {
        options: { embeds: [{ title: 'a' }, { image: { url: 'b' } }] },
        path: 'embeds[1].image.url',
      },
    },
    {
      platform: 'mastodon',
      rest: {
        options: { poll: { options: ['a', 'b'], expires_in: 0 } },
        path: 'poll.expires_in',
      },
      graphql: { options: { poll: { options: ['a', 'b'], expiresIn: 0 } }, path: 'poll.expiresIn' },
    },
    {
      platform: 'slack',
      rest: { options: { blocks: [{ block_id: 'x' }] }, path: 'blocks[0].type' },
      graphql: { options: { blocks: [{ block_id: 'x' }] }, path: 'blocks[0].type' },
    },
  ];

  test.each(refused)('are refused with their path in both APIs: $platform', async (expected) => {
    const { platform, rest, graphql } = expected;
    const account_id = await addAccount(app.database.db, app.tenant.projectId, platform);
    const body = { caption: 'a', platform_posts: [{ account_id, platform_options: rest.options }] };
    const answer = await app.api.post('/v1/posts/validate', body);
    const fieldsOf = (errors: { field: string }[]) => errors.map(({ field }) => field);
    expect(fieldsOf(answer.body.data.errors)).toEqual([
      `platform_posts[0].platform_options.${rest.path}`,
    ]);
    const target = { accountId: account_id, platformOptions: { [platform]: graphql.options } };
    const input = { caption: 'a', platformPosts: [target] };
    const { validatePost } = await ask(app, validate, { input });
    expect(fieldsOf(validatePost.errors)).toEqual([`${at}.${platform}.${graphql.path}`]);
  });

  test.each([
    ['an object', 'mastodon', { poll: { options: ['a', 'b'] } }, 'poll.expires_in'],
    [
      'an item of a list',
      'discord',
      { embeds: [{ fields: [{ name: 'a' }] }] },
      'embeds[0].fields[0].value',
    ],
  ] as const)(
    'are refused in both APIs with the path of the part that %s lacks',
    async (_, platform, options, path) => {
      const account_id = await addAccount(app.database.db, app.tenant.projectId, platform);
      const platform_posts = [{ account_id, platform_options: options }];
      const answer = await app.api.post('/v1/posts', { caption: 'a', platform_posts });
      expect(answer.body.error.issues).toMatchObject([
        { path: `platform_posts[0].platform_options.${path}`, code: 'required' },
      ]);
      const platformPosts = [{ accountId: account_id, platformOptions: { [platform]: options } }];
      const refusal = await askRefused(app, create, { input: { caption: 'a', platformPosts } });
      expect(refusal.issues).toMatchObject([
        { path: `${at}.${platform}.${toCamelCase(path)}`, code: 'required' },
      ]);
    },
  );

  test('have GraphQL names, but free JSON does not change', async () => {
    const create = `mutation ($input: CreatePostInput!) {
      createPost(input: $input) { id results { platformOptions {
        ... on MastodonOptions { poll { options expiresIn hideTotals } }
        ... on SlackOptions { blocks }
      } } }
    }`;
    const add = (platform: 'mastodon' | 'slack') =>
      addAccount(app.database.db, app.tenant.projectId, platform);
    const poll = { options: ['a', 'b'], expiresIn: 60, hideTotals: true };
    const blocks = [{ type: 'section', block_id: 'x', someKey: { other_key: 1 } }];
    const platformPosts = [
      { accountId: await add('mastodon'), platformOptions: { mastodon: { poll } } },
      { accountId: await add('slack'), platformOptions: { slack: { blocks } } },
    ];
    const input = { caption: 'a', status: 'DRAFT', platformPosts };
    const { createPost } = await ask(app, create, { input });
    expect(createPost.results).toEqual([
      { platformOptions: { poll } },
      { platformOptions: { blocks } },
    ]);
    const { body } = await app.api.get(`/v1/posts/${createPost.id}`);
    const stored = body.data.results.map((result: PostResult) => result.platform_options);
    expect(stored).toEqual([
      { poll: { options: ['a', 'b'], expires_in: 60, hide_totals: true } },
      { blocks },
    ]);
  });
});
