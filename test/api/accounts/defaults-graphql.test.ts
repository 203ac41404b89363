// The changes and defaults of an account in GraphQL, up to a post that is published with them.
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

const app = useApp();
let accountId: string;

beforeAll(async () => {
  accountId = (await app.tenant.connectSandbox('ada')).id;
});

const update = `mutation ($id: ID!, $input: UpdateAccountInput!) {
  updateAccount(id: $id, input: $input) {
    displayName externalUserId
    defaults { platformOptions { ... on SandboxOptions { outcome delayMs times } } }
  }
}`;
const updateAccount = async (input: object) =>
  (await ask(app, update, { id: accountId, input })).updateAccount;

const create = `mutation ($input: CreatePostInput!) {
  createPost(input: $input) {
    id
    results { defaulted platformOptions { ... on SandboxOptions { outcome delayMs } } }
  }
}`;

describe('updateAccount', () => {
  test('changes an account as REST does', async () => {
    const sandbox = { outcome: 'REJECTED', delayMs: 1, times: null };
    const input = {
      displayName: 'Our shop',
      externalUserId: 'user-2',
      defaults: { platformOptions: { sandbox } },
    };
    const { defaults, ...changed } = await updateAccount(input);
    expect(changed).toEqual({ displayName: 'Our shop', externalUserId: 'user-2' });
    expect(defaults).toEqual({ platformOptions: sandbox });
    const { body } = await app.api.get(`/v1/accounts/${accountId}`);
    expect(body.data).toMatchObject({
      display_name: 'Our shop',
      external_user_id: 'user-2',
      defaults: { platform_options: { outcome: 'rejected', delay_ms: 1 } },
    });
    expect(await updateAccount({ displayName: null, defaults: null })).toMatchObject({
      displayName: null,
      externalUserId: 'user-2',
      defaults: { platformOptions: sandbox },
    });
  });

  test('refuses invalid defaults with their path', async () => {
    const refuse = async (platformOptions: object) => {
      const input = { defaults: { platformOptions } };
      return (await askRefused(app, update, { id: accountId, input })).issues;
    };
    const at = 'input.defaults.platformOptions';
    expect(await refuse({ sandbox: { delayMs: -1 } })).toMatchObject([
      { path: `${at}.sandbox.delayMs`, code: 'too_small' },
    ]);
    expect(await refuse({ bluesky: { langs: ['en'] } })).toMatchObject([
      { path: `${at}.bluesky`, code: 'other_network' },
    ]);
  });
});

describe('a post', () => {
  beforeAll(async () => {
    await updateAccount({
      defaults: { platformOptions: { sandbox: { outcome: 'REJECTED', delayMs: 1 } } },
    });
  });

  const post = async (sandbox: object | null) => {
    const platformOptions = sandbox && { sandbox };
    const input = { caption: 'a', platformPosts: [{ accountId, platformOptions }] };
    return (await ask(app, create, { input })).createPost;
  };

  test('is published with the defaults of its account', async () => {
    const { id, results } = await post(null);
    expect(results).toEqual([
      {
        defaulted: ['delayMs', 'outcome'],
        platformOptions: { outcome: 'REJECTED', delayMs: 1 },
      },
    ]);
    const { results: ended } = await app.tenant.waitForPost(id);
    expect(ended).toMatchObject([{ status: 'failed', error_code: 'rejected' }]);
  });

  test("doesn't get a default for an option that is null", async () => {
    const { id, results } = await post({ outcome: null });
    expect(results).toEqual([
      { defaulted: ['delayMs'], platformOptions: { outcome: null, delayMs: 1 } },
    ]);
    const { results: ended } = await app.tenant.waitForPost(id);
    expect(ended).toMatchObject([{ status: 'published' }]);
  });
});
