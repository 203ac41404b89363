// Lists in GraphQL are Relay connections with stable cursors.
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';
import { inSeconds } from '../../support/rows/posts.ts';
import { addAccount } from '../../support/rows/rows.ts';

let ids: string[];

const app = useApp({
  roles: { api: true, worker: false },
  env: { FANFARE_PREVIEW_EVENTS: 'true' },
});
beforeAll(async () => {
  ids = [];
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    ids.unshift((await app.tenant.createWebhook(`https://example.com/${name}`)).id);
  }
});

const pageOf = (list: string) =>
  `${list} { edges { cursor node { id } } nodes { id } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;

describe('a connection', () => {
  test('has edges, nodes and the cursors of its first and last item', async () => {
    const { webhooks } = await ask(app, `{ ${pageOf('webhooks(first: 2)')} }`);
    expect(webhooks.nodes).toEqual([{ id: ids[0] }, { id: ids[1] }]);
    expect(webhooks.edges.map(({ node }: { node: unknown }) => node)).toEqual(webhooks.nodes);
    expect(webhooks.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: webhooks.edges[0].cursor,
      endCursor: webhooks.edges[1].cursor,
    });
  });

  test('continues after any of its edges', async () => {
    const { webhooks: first } = await ask(app, `{ ${pageOf('webhooks(first: 3)')} }`);
    const { webhooks: rest } = await ask(
      app,
      `query ($after: String) { ${pageOf('webhooks(first: 4, after: $after)')} }`,
      { after: first.edges[0].cursor },
    );
    expect(rest.nodes.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1));
    expect(rest.pageInfo).toMatchObject({
      hasNextPage: false,
      hasPreviousPage: true,
      endCursor: rest.edges[3].cursor,
    });
  });

  test('shares its cursors with REST', async () => {
    const rest = await app.api.get('/v1/webhooks?limit=2');
    const { webhooks } = await ask(app, `{ ${pageOf('webhooks(first: 2)')} }`);
    expect(webhooks.pageInfo.endCursor).toBe(rest.body.meta.next_cursor);
    const next = await app.api.get(`/v1/webhooks?cursor=${webhooks.edges[0].cursor}`);
    expect(next.body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1));
  });

  test('keeps its cursors while other rows are inserted and deleted', async () => {
    const { webhooks: before } = await ask(app, `{ ${pageOf('webhooks(first: 2)')} }`);
    const added = await app.tenant.createWebhook('https://example.com/six');
    const { webhooks: after } = await ask(app, `{ ${pageOf('webhooks(first: 3)')} }`);
    expect(after.edges.slice(1)).toEqual(before.edges);
    await ask(app, `mutation ($id: ID!) { deleteWebhook(id: $id) }`, { id: added.id });
    // The cursor of a deleted row is still valid.
    const { webhooks: rest } = await ask(
      app,
      `query ($after: String) { ${pageOf('webhooks(first: 2, after: $after)')} }`,
      { after: after.edges[0].cursor },
    );
    expect(rest.edges).toEqual(before.edges);
  });

  test('has no cursors if it has no items', async () => {
    const { posts } = await ask(app, `{ ${pageOf('posts')} }`);
    expect(posts).toEqual({
      edges: [],
      nodes: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });

  test('shows whether items follow, even if no items are asked for', async () => {
    const { webhooks: all } = await ask(app, `{ ${pageOf('webhooks(first: 10)')} }`);
    const [first, last] = [all.edges[0].cursor, all.edges.at(-1).cursor];
    const noCursors = { startCursor: null, endCursor: null };
    const query = `query ($after: String) { ${pageOf('webhooks(first: 0, after: $after)')} }`;
    for (const [after, hasNextPage, hasPreviousPage] of [
      [null, true, false],
      [first, true, true],
      [last, false, true],
    ]) {
      const { webhooks } = await ask(app, query, { after });
      const pageInfo = { hasNextPage, hasPreviousPage, ...noCursors };
      expect(webhooks).toEqual({ edges: [], nodes: [], pageInfo });
    }
    const { posts } = await ask(app, `{ ${pageOf('posts(first: 0)')} }`);
    expect(posts.pageInfo).toMatchObject({ hasNextPage: false });
  });

  test('shows whether items follow below a parent, even if no items are asked for', async () => {
    const account = await addAccount(app.database.db, app.tenant.projectId, 'sandbox');
    const account_ids = [account];
    const { id } = await app.tenant.createPost({ caption: 'a', account_ids, status: 'draft' });
    const query = `query ($id: ID!) { post(id: $id) { ${pageOf('events(first: 0)')} } }`;
    const eventsOf = async () => (await ask(app, query, { id })).post.events;
    expect(await eventsOf()).toMatchObject({ nodes: [], pageInfo: { hasNextPage: false } });
    await app.api.call('PATCH', `/v1/posts/${id}`, { scheduled_at: inSeconds(7_200) });
    expect(await eventsOf()).toMatchObject({ nodes: [], pageInfo: { hasNextPage: true } });
  });

  test('can be paged to its end', async () => {
    const seen: string[] = [];
    let after: string | null = null;
    for (let hasNext = true; hasNext;) {
      const { webhooks }: { webhooks: WebhookPage } = await ask(
        app,
        `query ($after: String) { ${pageOf('webhooks(first: 2, after: $after)')} }`,
        { after },
      );
      seen.push(...webhooks.nodes.map(({ id }) => id));
      ({ hasNextPage: hasNext, endCursor: after } = webhooks.pageInfo);
    }
    expect(seen).toEqual(ids);
  });

  test.each([
    ['{ posts(first: -1) { nodes { id } } }', 'first'],
    ['{ posts(first: 0, after: "nonsense") { nodes { id } } }', 'after'],
    ['{ posts(first: 101) { edges { cursor } } }', 'first'],
    ['{ posts(after: "nonsense") { nodes { id } } }', 'after'],
    ['{ posts(from: "yesterday") { nodes { id } } }', 'from'],
    ['{ deliveries(webhookId: "wh_x", since: "x") { nodes { id } } }', 'since'],
  ])('%s is refused at %s', async (query, path) => {
    expect((await askRefused(app, query)).issues[0].path).toBe(path);
  });
});

interface WebhookPage {
  nodes: { id: string }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}
