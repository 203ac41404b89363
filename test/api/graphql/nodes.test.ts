// Relay's `node` and `nodes`: resources by their IDs alone.
import { isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSchema } from '../../../api/resources/schema.ts';
import { newId } from '../../../schema/wire/ids.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { createApi } from '../../support/app/api.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';
import { makeOneOfEach, type OneOfEach } from '../../support/app/one-of-each.ts';
import { startReceiver, type Receiver } from '../../support/receivers/receiver.ts';

let app: TestApp;
let receiver: Receiver;
let mine: OneOfEach;

beforeAll(async () => {
  [app, receiver] = await Promise.all([startApp(), startReceiver()]);
  mine = await makeOneOfEach(app, receiver.url);
});
afterAll(async () => {
  await app?.stop();
  await receiver?.close();
});

const nodeQuery = `query ($id: ID!) { node(id: $id) { __typename id } }`;
const nodesQuery = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }`;

const askMine = (query: string, variables = {}) => ask(app, query, variables, mine.tenant.key);

async function createKey(input: string): Promise<string> {
  const { createApiKey } = await askMine(
    `mutation { createApiKey(input: { name: "n", ${input} }) { key } }`,
  );
  return createApiKey.key;
}

describe('node', () => {
  test('is implemented by every type of the schema with a field id, except parts of a result', () => {
    const others = Object.values(createSchema().getTypeMap()).filter(
      (type) =>
        isObjectType(type) &&
        type.getFields()['id'] &&
        !type.getInterfaces().some(({ name }) => name === 'Node'),
    );
    // Their IDs are shown with their result.
    const names = others.map(({ name }) => name).toSorted();
    expect(names).toEqual(['FirstComment', 'ResultChange', 'ResultStep']);
  });

  test('is implemented by every type with an id', async () => {
    const { __type: type } = await askMine('{ __type(name: "Node") { possibleTypes { name } } }');
    const names = type.possibleTypes.map(({ name }: { name: string }) => name);
    expect(names.toSorted()).toEqual(Object.keys(mine.ids));
  });

  test('finds each resource by the id that REST shows', async () => {
    for (const [typename, id] of Object.entries(mine.ids)) {
      expect(await askMine(nodeQuery, { id })).toEqual({ node: { __typename: typename, id } });
    }
  });

  test('shows the same as the query of its type', async () => {
    const fields = 'caption status results { id caption platform attempts }';
    const { node, post } = await askMine(
      `query ($id: ID!) { node(id: $id) { ... on Post { ${fields} } } post(id: $id) { ${fields} } }`,
      { id: mine.ids['Post'] },
    );
    expect(node).toEqual(post);
    const { node: result } = await askMine(
      `query ($id: ID!) { node(id: $id) { ... on PostResult { id caption platform attempts } } }`,
      { id: mine.ids['PostResult'] },
    );
    expect(result).toEqual(post.results[0]);
  });

  test.each(['', 'x', '_', 'post_', 'nothing_1', 'constructor_1', 'post_\0', 'obx_1', '🙂'])(
    'is null for the ID %j',
    async (id) => {
      expect(await askMine(nodeQuery, { id })).toEqual({ node: null });
    },
  );

  test('is null for an id of the right form that no resource has', async () => {
    expect(await askMine(nodeQuery, { id: newId('post') })).toEqual({ node: null });
  });

  test("is null for another project's id", async () => {
    const stranger = await app.createTenant('stranger');
    for (const id of Object.values(mine.ids)) {
      expect(await ask(app, nodeQuery, { id }, stranger.key)).toEqual({ node: null });
    }
    const { nodes } = await ask(app, nodesQuery, { ids: Object.values(mine.ids) }, stranger.key);
    expect(nodes).toEqual(Object.keys(mine.ids).map(() => null));
  });

  test('requires the scope of the resource, even if none has the ID', async () => {
    const key = await createKey('scopes: [POSTS_READ]');
    const { node } = await ask(app, nodeQuery, { id: mine.ids['Post'] }, key);
    expect(node.id).toBe(mine.ids['Post']);
    for (const id of [mine.ids['Webhook'], newId('webhook')]) {
      expect(await askRefused(app, nodeQuery, { id }, key)).toMatchObject({
        code: 'insufficient_scope',
        path: ['node'],
        message: 'The API key lacks the scope webhooks:read.',
      });
    }
  });

  test('requires a key', async () => {
    expect((await askRefused(app, nodeQuery, { id: 'x' }, '')).code).toBe('unauthorized');
  });

  test('finds only accounts that the key can access', async () => {
    const key = await createKey('environment: TEST');
    const { context } = app;
    await context.db
      .updateTable('social_accounts')
      .set({ platform: 'bluesky' })
      .where('id', '=', mine.ids['Account']!)
      .execute();
    try {
      expect(await ask(app, nodeQuery, { id: mine.ids['Account'] }, key)).toEqual({ node: null });
    } finally {
      await context.db
        .updateTable('social_accounts')
        .set({ platform: 'sandbox' })
        .where('id', '=', mine.ids['Account']!)
        .execute();
    }
  });
});

describe('nodes', () => {
  test('answers in the order of the IDs, with null for unknown ones', async () => {
    const { Post: post, Webhook: webhook, Account: account } = mine.ids;
    const { nodes } = await askMine(nodesQuery, { ids: [webhook, 'x', post, account, post] });
    expect(nodes.map((node: { id: string } | null) => node?.id)).toEqual([
      webhook,
      undefined,
      post,
      account,
      post,
    ]);
  });

  test('shows the error of one node in its place, and the other nodes', async () => {
    const key = await createKey('scopes: [POSTS_READ]');
    const ids = [mine.ids['Post'], mine.ids['Webhook'], newId('webhook')];
    const { body } = await createApi(app.url, key).graphql(nodesQuery, { ids });
    expect(body.data.nodes).toEqual([{ __typename: 'Post', id: ids[0] }, null, null]);
    const errors = body.errors.map(({ path, extensions }: NodeError) => [path, extensions.code]);
    expect(errors).toEqual([
      [['nodes', 1], 'insufficient_scope'],
      [['nodes', 2], 'insufficient_scope'],
    ]);
  });

  test('refuses more than a page of ids', async () => {
    const ids = Array.from({ length: 101 }, () => newId('post'));
    expect(await askRefused(app, nodesQuery, { ids }, mine.tenant.key)).toMatchObject({
      code: 'validation_error',
      issues: [{ path: 'ids', code: 'too_big', actual: 101, limit: 100 }],
    });
    const { nodes } = await askMine(nodesQuery, { ids: ids.slice(1) });
    expect(nodes).toHaveLength(100);
  });
});

interface NodeError {
  path: unknown[];
  extensions: { code: string };
}
