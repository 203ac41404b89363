// GraphQL fields that link a resource to another, or to a page of others.
import { isIntrospectionType, isNonNullType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSchema } from '../../../api/resources/schema.ts';
import { createApi } from '../../support/app/api.ts';
import { startApp, type TestApp } from '../../support/app/app.ts';
import { createBrowser } from '../../support/app/browser.ts';
import { beginConsent } from '../../support/app/consent.ts';
import {
  ask,
  askRefused,
  subscribeOverSocket,
  type Message,
} from '../../support/graphql/graphql.ts';
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

const askMine = (query: string, variables = {}) => ask(app, query, variables, mine.tenant.key);

describe('links', () => {
  test('lead from a post to its results, events and deliveries, and back', async () => {
    const { ids } = mine;
    const { post } = await askMine(
      `query ($id: ID!) { post(id: $id) {
        results { id account { id } }
        events { nodes { id post { id } account { id } } }
        deliveries { nodes { id post { id } webhook { id } recordedEvent { id deliveries { nodes { id } } } } }
      } }`,
      { id: ids['Post'] },
    );
    const it = (type: string) => ({ id: ids[type] });
    expect(post).toEqual({
      results: [{ ...it('PostResult'), account: it('Account') }],
      events: { nodes: [{ ...it('Event'), post: it('Post'), account: null }] },
      deliveries: {
        nodes: [
          {
            ...it('Delivery'),
            post: it('Post'),
            webhook: it('Webhook'),
            recordedEvent: { ...it('Event'), deliveries: { nodes: [it('Delivery')] } },
          },
        ],
      },
    });
  });

  test('lead from a webhook to its deliveries and replays, and back', async () => {
    const { ids } = mine;
    const { webhook } = await askMine(
      `query ($id: ID!) { webhook(id: $id) {
        deliveries { nodes { id } }
        replays { nodes { id webhook { id } } }
      } }`,
      { id: ids['Webhook'] },
    );
    expect(webhook.deliveries.nodes).toEqual([{ id: ids['Delivery'] }]);
    expect(webhook.replays.nodes).toEqual([{ id: ids['Replay'], webhook: { id: ids['Webhook'] } }]);
  });

  test('lead from an account to its events, and back, but not from an open connect session', async () => {
    const { account, connectSession } = await askMine(
      `query ($id: ID!, $session: ID!) {
        account(id: $id) { events { nodes { event account { id } post { id } } } }
        connectSession(id: $session) { completedSocialAccount { id } completedSocialAccounts { id } }
      }`,
      { id: mine.ids['Account'], session: mine.ids['ConnectSession'] },
    );
    expect(account.events.nodes).toEqual([
      { event: 'ACCOUNT_CONNECTED', account: { id: mine.ids['Account'] }, post: null },
    ]);
    expect(connectSession).toEqual({ completedSocialAccount: null, completedSocialAccounts: [] });
  });

  test('lead from a completed connect session to its accounts', async () => {
    const tenant = await app.createTenant();
    const session = await tenant.api.post('/v1/connect/sessions', {
      platform: 'sandbox',
      external_user_id: 'user-of-links',
    });
    const browser = createBrowser();
    const consent = await beginConsent(browser, session.body.data.url);
    await browser.submit(consent, { handle: 'linked', decision: 'allow' });
    const query = `query ($id: ID!) { connectSession(id: $id) {
      completedSocialAccountIds
      completedSocialAccount { accountName }
      completedSocialAccounts { id accountName }
    } }`;
    const { connectSession } = await ask(app, query, { id: session.body.data.id }, tenant.key);
    const [{ id }] = connectSession.completedSocialAccounts;
    expect(connectSession).toEqual({
      completedSocialAccountIds: [id],
      completedSocialAccount: { accountName: 'linked' },
      completedSocialAccounts: [{ id, accountName: 'linked' }],
    });
  });

  test('lead from each node of a page to its own resources', async () => {
    const tenant = await app.createTenant();
    const names = ['one', 'two', 'three'];
    for (const name of names) {
      const { id } = await tenant.createWebhook(`${receiver.url}/${name}`);
      for (let i = 0; i < 3; i++) await tenant.api.post(`/v1/webhooks/${id}/test`, {});
    }
    const deliveries = 'deliveries(first: 2) { nodes { url webhookId } pageInfo { hasNextPage } }';
    const query = `{ webhooks { nodes { id url ${deliveries} } } }`;
    const { webhooks } = await ask(app, query, {}, tenant.key);
    expect(webhooks.nodes).toHaveLength(3);
    for (const { id, url, deliveries } of webhooks.nodes) {
      const own = { url, webhookId: id };
      expect(deliveries).toEqual({ nodes: [own, own], pageInfo: { hasNextPage: true } });
    }
  });

  test('take cursors and filters if they lead to a page', async () => {
    const tenant = await app.createTenant();
    const { id } = await tenant.createWebhook(receiver.url);
    for (let i = 0; i < 3; i++) await tenant.api.post(`/v1/webhooks/${id}/test`, {});
    const query = `query ($id: ID!, $after: String, $event: EventType) { webhook(id: $id) {
      deliveries(first: 2, after: $after, event: $event) {
        edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor }
      }
    } }`;
    const read = async (variables: object) =>
      (await ask(app, query, { id, ...variables }, tenant.key)).webhook.deliveries;
    const first = await read({});
    expect(first.pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      endCursor: first.edges[1].cursor,
    });
    const rest = await read({ after: first.pageInfo.endCursor });
    expect(rest.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const seen = [...first.edges, ...rest.edges].map(({ node }) => node.id);
    const { data } = (await tenant.api.get(`/v1/webhooks/${id}/deliveries`)).body;
    expect(seen).toEqual(data.map((delivery: Message) => delivery.id));
    expect((await read({ event: 'ACCOUNT_DISCONNECTED' })).edges).toEqual([]);
  });

  test('refuse the same arguments as the list query', async () => {
    const query = `query ($id: ID!) { webhook(id: $id) {
      deliveries(since: "2026-02-01T00:00:00Z", until: "2026-01-01T00:00:00Z") { nodes { id } }
    } }`;
    const variables = { id: mine.ids['Webhook'] };
    expect(await askRefused(app, query, variables, mine.tenant.key)).toMatchObject({
      path: ['webhook', 'deliveries'],
      issues: [{ path: 'since', code: 'not_before_until' }],
    });
  });

  test('require the scope of their target, and without it the other fields are still shown', async () => {
    const { createApiKey } = await askMine(
      'mutation { createApiKey(input: { name: "p", scopes: [POSTS_READ] }) { key } }',
    );
    const { body } = await createApi(app.url, createApiKey.key).graphql(
      `query ($id: ID!) { post(id: $id) {
        id results { id account { id } } events { nodes { id } } deliveries { nodes { id } }
      } }`,
      { id: mine.ids['Post'] },
    );
    expect(body.data.post).toEqual({
      id: mine.ids['Post'],
      results: [{ id: mine.ids['PostResult'], account: null }],
      events: null,
      deliveries: null,
    });
    const errors = body.errors.map(({ path, message }: Message) => [path.join('.'), message]);
    expect(errors.toSorted()).toEqual([
      ['post.deliveries', 'The API key lacks the scope webhooks:read.'],
      ['post.events', 'The API key lacks the scope webhooks:read.'],
      ['post.results.0.account', 'The API key lacks the scope accounts:read.'],
    ]);
  });

  test('leave the result of a mutation visible if they are refused', async () => {
    const { createApiKey } = await askMine(
      'mutation { createApiKey(input: { name: "w", scopes: [WEBHOOKS_WRITE] }) { key } }',
    );
    const { body } = await createApi(app.url, createApiKey.key).graphql(
      'mutation ($id: ID!) { testWebhook(id: $id) { id attempts { number } } }',
      { id: mine.ids['Webhook'] },
    );
    expect(body.data.testWebhook).toEqual({ id: expect.any(String), attempts: null });
    expect(body.errors[0].extensions).toMatchObject({ requiredScope: 'webhooks:read' });
  });

  test('are nullable, like all fields with arguments, so that a refusal affects no other field', () => {
    const risky = Object.values(createSchema().getTypeMap()).flatMap((type) =>
      isObjectType(type) && !isIntrospectionType(type)
        ? Object.values(type.getFields()).filter(({ args }) => args.length > 0)
        : [],
    );
    expect(risky.length).toBeGreaterThan(50);
    expect(risky.filter(({ type }) => isNonNullType(type)).map(String)).toEqual([]);
  });

  test('are null once their target is deleted', async () => {
    const { tenant, ids } = await makeOneOfEach(app, receiver.url);
    await tenant.api.delete(`/v1/webhooks/${ids['Webhook']}`);
    await tenant.api.delete(`/v1/posts/${ids['Post']}`);
    const { delivery, event, replay } = await ask(
      app,
      `query ($delivery: ID!, $event: ID!, $replay: ID!) {
        delivery(id: $delivery) { webhook { id } post { id } recordedEvent { id } }
        event(id: $event) { post { id } }
        replay(id: $replay) { webhook { id } }
      }`,
      { delivery: ids['Delivery'], event: ids['Event'], replay: ids['Replay'] },
      tenant.key,
    );
    expect(delivery).toEqual({ webhook: null, post: null, recordedEvent: { id: ids['Event'] } });
    expect([event.post, replay.webhook]).toEqual([null, null]);
  });
});

describe('a resource that was read before', () => {
  test('is read again by the next mutation of a document', async () => {
    const tenant = await app.createTenant();
    const { id } = await tenant.createWebhook(receiver.url);
    const data = await ask(
      app,
      `mutation ($id: ID!) {
        a: testWebhook(id: $id) { webhook { name } }
        updateWebhook(id: $id, input: { name: "new" }) { name }
        b: testWebhook(id: $id) { webhook { name } }
      }`,
      { id },
      tenant.key,
    );
    expect([data.a.webhook.name, data.b.webhook.name]).toEqual([null, 'new']);
  });

  test('is read again by the next message of a stream', async () => {
    const tenant = await app.createTenant();
    const { id } = await tenant.createWebhook(receiver.url);
    await using stream = subscribeOverSocket({
      url: app.url,
      key: tenant.key,
      query: `subscription ($id: ID!) { webhookUpdated(id: $id) {
        webhook { name deliveries { nodes { webhook { name } } } }
      } }`,
      variables: { id },
    });
    await stream.waitFor(1);
    await tenant.api.post(`/v1/webhooks/${id}/test`, {});
    for (const name of ['first', 'second']) await tenant.api.patch(`/v1/webhooks/${id}`, { name });
    const messages = await stream.waitFor(3);
    const shown = messages.map(({ data }) => data.webhookUpdated.webhook);
    expect(shown[0]).toEqual({ name: null, deliveries: { nodes: [] } });
    expect(shown[2]).toEqual({
      name: 'second',
      deliveries: { nodes: [{ webhook: { name: 'second' } }] },
    });
  });
});
