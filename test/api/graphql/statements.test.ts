// A GraphQL query runs one statement per level and table, for any number of posts on the page.
import { beforeAll, describe, expect, test } from 'vitest';
import { forgetKeys } from '../../../api/http/auth/known-keys.ts';
import { recordEvent } from '../../../schema/database/events/record.ts';
import { useApp } from '../../support/app/app.ts';
import { ask, type Message } from '../../support/graphql/graphql.ts';
import { statementsOf } from '../../support/rows/statements.ts';
import { inQuietTransaction } from '../../support/rows/quiet-transaction.ts';

const postCount = 100;

const app = useApp({ roles: { api: true, worker: false } });
beforeAll(async () => {
  const { tenant, context } = app;
  const accounts = [];
  for (const name of ['ada', 'bob', 'cleo']) accounts.push(await tenant.connectSandbox(name));
  for (const name of ['one', 'two']) await tenant.createWebhook(`https://example.com/${name}`);
  const account_ids = accounts.map(({ id }) => id);
  for (let i = 0; i < postCount / 50; i++) {
    const posts = Array.from({ length: 50 }, () => ({
      caption: 'a',
      account_ids,
      status: 'draft',
    }));
    await tenant.api.post('/v1/posts/bulk', { posts });
  }
  const { data: posts } = (await tenant.api.get('/v1/posts?limit=100')).body;
  await inQuietTransaction(context.db, async (trx) => {
    for (const { id: postId } of posts) {
      const event = {
        projectId: tenant.projectId,
        environment: 'production',
        type: 'post.published',
        data: {},
        postId,
      } as const;
      await recordEvent(trx, event, context.config);
    }
  });
});

/** With a key that this process does not know yet. */
async function askAnew(query: string): Promise<{ data: Message; statements: string[] }> {
  forgetKeys(app.context.db);
  let data: Message;
  const statements = await statementsOf(async () => {
    data = await ask(app, query);
  });
  return { data, statements };
}

describe('a page of 100 posts', () => {
  test('costs one statement for each table, with results, accounts, events and deliveries', async () => {
    const { data, statements } = await askAnew(`{
      posts(first: 100) {
        nodes {
          id caption status
          results { id status account { id accountName status } }
          events(first: 10) { nodes { id event } pageInfo { hasNextPage } }
          deliveries(first: 10) { nodes { id status url } pageInfo { hasNextPage } }
        }
        pageInfo { hasNextPage endCursor }
      }
    }`);
    const { nodes } = data.posts;
    expect(nodes).toHaveLength(postCount);
    for (const post of nodes) {
      const names = post.results.map(({ account }: Message) => account.accountName);
      expect(names).toEqual(['ada', 'bob', 'cleo']);
      expect(post.events.nodes).toHaveLength(1);
      expect(post.deliveries.nodes).toHaveLength(2);
    }
    expectReads(statements, 'api_keys posts post_results social_accounts events deliveries');
  });

  test('costs one more statement for each deeper level', async () => {
    const { data, statements } = await askAnew(`{
      posts(first: 100) {
        edges { node {
          deliveries(first: 2) { edges { node {
            attempts { number }
            webhook { name deliveries(first: 1) { nodes { id } } }
            recordedEvent { id post { id } }
          } } }
        } }
      }
    }`);
    const [{ node }] = data.posts.edges;
    expect(node.deliveries.edges[0].node).toMatchObject({
      attempts: [],
      webhook: { deliveries: { nodes: [{ id: expect.stringMatching(/^dlv_/) }] } },
      recordedEvent: { post: { id: expect.stringMatching(/^post_/) } },
    });
    const nested = 'deliveries delivery_attempts webhook_subscriptions deliveries events';
    expectReads(statements, `api_keys posts post_results ${nested} posts post_results`);
  });

  test('costs as much as a page of one post, with attempts, account usage and health', async () => {
    const query = (first: number) => `{
      posts(first: ${first}) { nodes { results {
        attemptLog(first: 1) { nodes { number } }
        account { usage { published } next: usage(month: "2031-01") { published } health { status } }
      } } }
    }`;
    const { statements: one } = await askAnew(query(1));
    const { statements: hundred } = await askAnew(query(100));
    expect(hundred.toSorted().map(tableOf)).toEqual(one.toSorted().map(tableOf));
  });

  test('costs one statement for each distinct set of arguments', async () => {
    const { statements } = await askAnew(`{
      posts(first: 100) { nodes {
        a: deliveries(first: 1) { nodes { id } }
        b: deliveries(first: 1) { nodes { status } }
        c: deliveries(first: 1, status: DELIVERED) { nodes { id } }
      } }
    }`);
    expectReads(statements, 'api_keys posts post_results deliveries deliveries');
  });
});

describe('a page of webhooks', () => {
  test('costs one statement for each table, with their deliveries and replays', async () => {
    const { data, statements } = await askAnew(`{
      webhooks { nodes { id deliveries(first: 5) { nodes { id } } replays { nodes { id } } } }
    }`);
    expect(data.webhooks.nodes[1].deliveries.nodes).toHaveLength(5);
    expectReads(statements, 'api_keys webhook_subscriptions deliveries replays');
  });
});

describe('nodes', () => {
  test('costs one statement for each table that they are in', async () => {
    const { data } = await askAnew(
      `{ posts(first: 20) { nodes { deliveries { nodes { id } } } } }`,
    );
    const ids = data.posts.nodes.flatMap((post: Message) => post.deliveries.nodes);
    const list = ids.map(({ id }: Message) => `"${id}"`).join(' ');
    const { data: found, statements } = await askAnew(`{ nodes(ids: [${list}]) { id } }`);
    expect(found.nodes).toEqual(ids);
    expectReads(statements, 'api_keys deliveries');
  });
});

/** One statement for each of the tables, in any order. */
function expectReads(statements: string[], tables: string): void {
  const found = statements.map((each) => tableOf(each) ?? each).toSorted();
  expect(found, statements.join('\n')).toEqual(tables.split(' ').toSorted());
}

/** The table whose rows a statement returns: the query builder quotes it, subqueries by hand don't. */
function tableOf(statement: string): string | undefined {
  return (/from "(\w+)"/.exec(statement) ?? /from (\w+)/.exec(statement))?.[1];
}
