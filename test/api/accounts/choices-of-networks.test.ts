// The choices of an account at a simulated site, in both APIs, from its capabilities to a post.
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { forFile } from '../../support/fixtures.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';
import { startConnected } from '../../support/networks/wordpress/connected.ts';

const app = useApp({ roles: { api: true, worker: false } });
const network = forFile(startConnected);
let accountId: string;

beforeAll(async () => {
  network.site.categories.push('News', 'Brass');
  network.site.parents.set(3, 2);
  const { login, password } = network.author;
  const credentials = { site: network.url, username: login, application_password: password };
  const body = { platform: 'wordpress', credentials };
  const connected = await app.api.post('/v1/accounts/connect', body);
  expect(connected.status, connected.text).toBe(201);
  accountId = connected.body.data.id;
});

const query = `query ($id: ID!, $kind: String!, $after: String, $q: String, $parentId: String) {
  accountChoices(accountId: $id, kind: $kind, first: 2, after: $after, q: $q, parentId: $parentId) {
    fetchedAt
    isComplete
    nodes { choiceId name description url imageUrl parentId disabledReason }
    pageInfo { hasNextPage endCursor }
  }
}`;
const askChoices = async (variables: object = {}) =>
  (await ask(app, query, { id: accountId, kind: 'category', ...variables })).accountChoices;

describe('the kinds', () => {
  test('are in the capabilities and the options of the account, in both APIs', async () => {
    const { body } = await app.api.get(`/v1/accounts/${accountId}/capabilities`);
    const { choices, options } = body.data;
    expect(choices).toEqual([
      { kind: 'category', description: 'Categories of the site.' },
      { kind: 'tag', description: 'Tags of the site, the most used ones first.' },
    ]);
    expect(options.properties.categories['x-choices']).toBe('category');
    expect(options.properties.slug['x-no-default']).toBe(true);
    const { account } = await ask(
      app,
      'query ($id: ID!) { account(id: $id) { capabilities { choices { kind description } options } } }',
      { id: accountId },
    );
    expect(account.capabilities).toEqual({ choices, options });
  });

  test('are empty for a network without choices', async () => {
    const { body } = await app.api.get('/v1/platforms/capabilities');
    const sandbox = body.data.find(({ platform }: { platform: string }) => platform === 'sandbox');
    expect(sandbox.choices).toEqual([]);
  });
});

describe('choices', () => {
  test('are the same in both APIs, with the same cursors', async () => {
    const { body } = await app.api.get(`/v1/accounts/${accountId}/choices/category?limit=2`);
    const list = await askChoices();
    expect(list).toEqual({
      fetchedAt: body.fetched_at,
      isComplete: true,
      nodes: body.data.map(
        ({ id, image_url, parent_id, disabled_reason, ...choice }: Record<string, unknown>) => ({
          ...choice,
          choiceId: id,
          imageUrl: image_url,
          parentId: parent_id,
          disabledReason: disabled_reason,
        }),
      ),
      pageInfo: { hasNextPage: true, endCursor: body.meta.next_cursor },
    });
    expect(list.nodes).toMatchObject([
      { choiceId: 'Brass', parentId: 'News' },
      { choiceId: 'News', parentId: null },
    ]);
    const next = await askChoices({ after: list.pageInfo.endCursor });
    expect(next.nodes).toMatchObject([{ choiceId: 'Uncategorized' }]);
  });

  test('are searched in GraphQL too', async () => {
    expect((await askChoices({ q: 'uncat' })).nodes).toMatchObject([{ name: 'Uncategorized' }]);
    expect((await askChoices({ parentId: 'News' })).nodes).toMatchObject([{ name: 'Brass' }]);
  });

  test('are refused in GraphQL as in REST', async () => {
    const unknown = await askRefused(app, query, { id: accountId, kind: 'board' });
    expect(unknown).toMatchObject({ code: 'not_found' });
    expect(await askRefused(app, query, { id: 'sa_x', kind: 'tag' })).toMatchObject({
      code: 'not_found',
    });
    const empty = await askRefused(app, query, { id: accountId, kind: 'tag', q: ' ' });
    expect(empty.issues).toMatchObject([{ path: 'q', code: 'too_small' }]);
  });

  test('of a login that has ended are refused alike in both APIs', async () => {
    network.site.revokeToken();
    const { status, body } = await app.api.get(`/v1/accounts/${accountId}/choices/tag`);
    expect([status, body.error.code]).toEqual([409, 'reconnect_required']);
    expect(await askRefused(app, query, { id: accountId, kind: 'tag' })).toMatchObject({
      code: 'reconnect_required',
      isRetriable: false,
    });
  });
});
