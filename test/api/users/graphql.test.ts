// Users, erasures, the capabilities of accounts and imports, in GraphQL.
import { expect, test } from 'vitest';
import { newId } from '../../../schema/wire/ids.ts';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

const app = useApp({ roles: { api: true, worker: false } });

async function addAccount(external_user_id: string, columns: object = {}): Promise<string> {
  const id = newId('account');
  const account = {
    id,
    project_id: app.tenant.projectId,
    platform: 'mastodon',
    account_name: id,
    external_account_id: id,
    external_user_id,
    connection_type: 'byo',
    status: 'active',
    ...columns,
  } as const;
  await app.context.db.insertInto('social_accounts').values(account).execute();
  return id;
}

test('users are listed in pages, each with the number of accounts', async () => {
  await addAccount('ada');
  await addAccount('bob', { status: 'reconnect_required' });
  const user = '{ externalUserId accountCount reconnectCount platforms { platform accountCount } }';
  const data = await ask(
    app,
    `{
      user(externalUserId: "ada") ${user}
      users(first: 1) { edges { cursor node ${user} } pageInfo { hasNextPage endCursor } }
    }`,
  );
  const platforms = [{ platform: 'MASTODON', accountCount: 1 }];
  const { cursor } = data.users.edges[0];
  expect(data).toEqual({
    user: { externalUserId: 'ada', accountCount: 1, reconnectCount: 0, platforms },
    users: {
      edges: [
        { cursor, node: { externalUserId: 'bob', accountCount: 1, reconnectCount: 1, platforms } },
      ],
      pageInfo: { hasNextPage: true, endCursor: cursor },
    },
  });
  const next = `{ users(after: "${cursor}") { edges { node { externalUserId } } } }`;
  const { users } = await ask(app, next);
  expect(users.edges).toEqual([{ node: { externalUserId: 'ada' } }]);
});

test('an account has the rules of its own server', async () => {
  const id = await addAccount('cy', { traits: JSON.stringify({ max_characters: 5_000 }) });
  const query = `{ account(id: "${id}") { capabilities { platform text { max } } } }`;
  expect((await ask(app, query)).account.capabilities).toEqual({
    platform: 'MASTODON',
    text: { max: 5_000 },
  });
  const path = `/v1/accounts/${id}/capabilities`;
  expect((await app.api.get(path)).body.data.text.max).toBe(5_000);
});

test('the refusal of an unknown user names the field as GraphQL does', async () => {
  expect(await askRefused(app, '{ user(externalUserId: "eve") { accountCount } }')).toMatchObject({
    code: 'not_found',
    message: 'No account has the `externalUserId` eve.',
  });
});

test('an import at a network that takes no tokens is refused', async () => {
  const mutation = `mutation ($input: ImportAccountInput!) {
    importAccount(input: $input) { id }
  }`;
  const input = { platform: 'SLACK', accessToken: 'xoxb-secret' };
  const refused = await askRefused(app, mutation, { input });
  expect(refused).toMatchObject({
    code: 'validation_error',
    issues: [{ path: 'input.platform', code: 'import_not_supported' }],
  });
  expect(JSON.stringify(refused)).not.toContain('xoxb-secret');
});

test('a user with many accounts is erased by one call, with or without an idempotency key', async () => {
  const query = 'mutation { eraseUser(externalUserId: "dee") }';
  for (const headers of [{}, { 'Idempotency-Key': 'erase-dee' }]) {
    for (let i = 0; i < 21; i++) await addAccount('dee');
    const { body } = await app.api.call('POST', '/graphql', { query }, { headers });
    expect(body).toMatchObject({ data: { eraseUser: 'dee' } });
    expect(await askRefused(app, '{ user(externalUserId: "dee") { accountCount } }')).toMatchObject(
      { code: 'not_found' },
    );
  }
  const nul = String.raw`mutation { eraseUser(externalUserId: "\u0000") }`;
  expect(await askRefused(app, nul)).toMatchObject({ code: 'not_found' });
});

test('an account is disconnected and erased', async () => {
  const id = await addAccount('fay');
  const mutation = `mutation ($id: ID!) {
    disconnectAccount(id: $id, erase: true) { status accountName externalUserId }
  }`;
  expect((await ask(app, mutation, { id })).disconnectAccount).toEqual({
    status: 'DISCONNECTED',
    accountName: 'Erased account',
    externalUserId: null,
  });
});
