// The other resources in GraphQL: creating, changing and listing them, within one project.
import { beforeAll, describe, expect, test } from 'vitest';
import type { Account } from '../../../schema/accounts.ts';
import { firstIdAt } from '../../../schema/wire/ids.ts';
import { useApp } from '../../support/app/app.ts';
import { ask, askRefused } from '../../support/graphql/graphql.ts';

let account: Account;

const app = useApp();
beforeAll(async () => {
  account = await app.tenant.connectSandbox('ada');
});

describe('the other resources', () => {
  test('webhooks are created, changed, rotated, listed and deleted', async () => {
    const { createWebhook: made } = await ask(
      app,
      `mutation ($input: CreateWebhookInput!) {
        createWebhook(input: $input) { secret webhook { id url events status active name } }
      }`,
      { input: { url: 'https://example.com/hook', events: ['POST_PUBLISHED'], name: 'first' } },
    );
    expect(made.secret).toMatch(/^whsec_/);
    expect(made.webhook).toMatchObject({
      events: ['POST_PUBLISHED'],
      status: 'ACTIVE',
      name: 'first',
    });
    const { id } = made.webhook;
    const { updateWebhook: changed } = await ask(
      app,
      `mutation ($id: ID!, $input: UpdateWebhookInput!) {
        updateWebhook(id: $id, input: $input) { active name disabledReason url }
      }`,
      { id, input: { active: false, name: null, url: null } },
    );
    expect(changed).toEqual({
      active: false,
      name: null,
      disabledReason: 'USER',
      url: 'https://example.com/hook',
    });
    const { rotateWebhook: rotated } = await ask(
      app,
      `mutation ($id: ID!) { rotateWebhook(id: $id) { secret } }`,
      { id },
    );
    expect(rotated.secret).not.toBe(made.secret);
    const { webhooks, webhook } = await ask(
      app,
      `query ($id: ID!) { webhook(id: $id) { id } webhooks { nodes { id } pageInfo { hasNextPage endCursor } } }`,
      { id },
    );
    expect(webhook.id).toBe(id);
    expect(webhooks.nodes).toContainEqual({ id });
    const remove = `mutation ($id: ID!) { deleteWebhook(id: $id) }`;
    expect((await ask(app, remove, { id })).deleteWebhook).toBe(id);
    expect(await askRefused(app, remove, { id })).toMatchObject({
      code: 'not_found',
      isRetriable: false,
    });
  });

  test('webhooks with a bad URL or event type are refused with the path', async () => {
    const create = `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { secret } }`;
    expect(
      (await askRefused(app, create, { input: { url: 'ftp://example.com' } })).issues[0],
    ).toMatchObject({
      path: 'input.url',
      code: 'not_https',
    });
    const wrong = await askRefused(app, create, {
      input: { url: 'https://example.com', events: ['POST_LIKED'] },
    });
    expect(wrong.issues[0].path).toBe('input.events[0]');
    const nothing = await askRefused(
      app,
      `mutation { updateWebhook(id: "wh_x", input: {}) { id } }`,
    );
    expect(nothing.issues[0].path).toBe('input');
  });

  test('accounts are connected, read, listed and disconnected', async () => {
    const { connectAccount: made } = await ask(
      app,
      `mutation ($input: ConnectAccountInput!) {
        connectAccount(input: $input) { id platform accountName connectionType status externalUserId }
      }`,
      { input: { platform: 'SANDBOX', credentials: { handle: 'gil' }, externalUserId: 'u7' } },
    );
    expect(made).toMatchObject({
      platform: 'SANDBOX',
      connectionType: 'BYO',
      status: 'ACTIVE',
      externalUserId: 'u7',
    });
    const { accounts } = await ask(app, `{ accounts(externalUserId: "u7") { nodes { id } } }`);
    expect(accounts.nodes).toEqual([{ id: made.id }]);
    const { disconnectAccount: gone } = await ask(
      app,
      `mutation ($id: ID!) { disconnectAccount(id: $id) { status } }`,
      { id: made.id },
    );
    expect(gone.status).toBe('DISCONNECTED');
    const { account: read } = await ask(app, `query ($id: ID!) { account(id: $id) { status } }`, {
      id: made.id,
    });
    expect(read.status).toBe('DISCONNECTED');
  });

  test('a connect session is opened and read', async () => {
    const { createConnectSession: made } = await ask(
      app,
      `mutation { createConnectSession(input: { platform: SANDBOX, externalUserId: "u1" }) { id url status } }`,
    );
    expect(made).toMatchObject({ status: 'PENDING', url: expect.stringContaining('/connect/') });
    const { connectSession } = await ask(
      app,
      `query ($id: ID!) { connectSession(id: $id) { platform } }`,
      { id: made.id },
    );
    expect(connectSession.platform).toBe('SANDBOX');
  });

  test('a connect session for an account leads to it', async () => {
    const { body } = await app.api.post('/v1/accounts/connect', {
      platform: 'sandbox',
      credentials: { handle: 'reconnected' },
    });
    const { id } = body.data;
    const mutation = `mutation ($id: ID!) { createConnectSession(input: { socialAccountId: $id }) {
      platform externalUserId socialAccountId socialAccount { accountName }
    } }`;
    expect(await ask(app, mutation, { id })).toEqual({
      createConnectSession: {
        platform: 'SANDBOX',
        externalUserId: null,
        socialAccountId: id,
        socialAccount: { accountName: 'reconnected' },
      },
    });
    const both = `mutation { createConnectSession(
      input: { socialAccountId: "x", platform: SANDBOX }) { id } }`;
    expect(await askRefused(app, both)).toMatchObject({
      code: 'validation_error',
      issues: [
        {
          path: 'input.platform',
          code: 'set_by_account',
          message: "can't be sent with `socialAccountId`",
        },
      ],
    });
  });

  test("an expiring API key can't create one that never expires", async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const brief = `mutation { createApiKey(input: { name: "b", expiresAt: "${expiresAt}" }) { key } }`;
    const { createApiKey: maker } = await ask(app, brief);
    const endless = 'mutation { createApiKey(input: { name: "e" }) { key } }';
    expect(await askRefused(app, endless, {}, maker.key)).toMatchObject({
      code: 'validation_error',
      issues: [{ path: 'input.expiresAt', code: 'outlives_its_maker' }],
    });
  });

  test('an API key is created once per idempotency key, listed and revoked', async () => {
    const create = `mutation { createApiKey(input: { name: "k", scopes: [POSTS_READ], environment: TEST }, idempotencyKey: "k1") { key apiKey { id scopes environment } } }`;
    const { createApiKey: made } = await ask(app, create);
    expect(made.apiKey).toMatchObject({ scopes: ['POSTS_READ'], environment: 'TEST' });
    expect((await ask(app, create)).createApiKey).toEqual(made);
    expect((await askRefused(app, '{ project { id } }', {}, made.key)).code).toBe(
      'insufficient_scope',
    );
    await ask(app, '{ posts { nodes { id } } }', {}, made.key);
    const { revokeApiKey: gone } = await ask(
      app,
      `mutation ($id: ID!) { revokeApiKey(id: $id) { revokedAt } }`,
      { id: made.apiKey.id },
    );
    expect(gone.revokedAt).toMatch(/Z$/);
    expect((await askRefused(app, '{ posts { nodes { id } } }', {}, made.key)).code).toBe(
      'unauthorized',
    );
  });

  test('the project is read and changed, and null clears a field', async () => {
    const change = `mutation ($input: UpdateProjectInput!) { updateProject(input: $input) { name brandColor } }`;
    expect(
      (await ask(app, change, { input: { name: 'New', brandColor: '#00ff00' } })).updateProject,
    ).toEqual({ name: 'New', brandColor: '#00ff00' });
    expect(
      (await ask(app, change, { input: { brandColor: null, name: null } })).updateProject,
    ).toEqual({
      name: 'New',
      brandColor: null,
    });
    expect((await askRefused(app, change, { input: { brandColor: 'green' } })).issues[0].path).toBe(
      'input.brandColor',
    );
    expect((await ask(app, '{ project { id name } }')).project.id).toBe(app.tenant.projectId);
  });

  test('events, event types, limits and capabilities are read', async () => {
    const { events, eventTypes, limits, capabilities } = await ask(
      app,
      `{
      events(first: 1, event: ACCOUNT_CONNECTED, test: false) { nodes { id event data } pageInfo { hasNextPage } }
      eventTypes { event availability meaning jsonSchema }
      limits { bodyBytes webhookRetryDelaysMs }
      capabilities {
        platform text { max unit } options connect { consent credentials }
        afterPublishing { edit { fields } }
      }
    }`,
    );
    expect(events.nodes[0].event).toBe('ACCOUNT_CONNECTED');
    expect(eventTypes).toHaveLength(14);
    expect(limits.bodyBytes).toBe(524_288);
    expect(capabilities.map(({ platform }: { platform: string }) => platform)).toContain('SANDBOX');
    expect(capabilities).toContainEqual(
      expect.objectContaining({
        platform: 'SANDBOX',
        afterPublishing: { edit: { fields: ['caption', 'media.altText'] } },
      }),
    );
    const { networks } = await ask(app, '{ networks: capabilities { platform replies threads } }');
    for (const network of [
      { platform: 'MASTODON', replies: true, threads: true },
      // A comment takes no reply.
      { platform: 'INSTAGRAM', replies: true, threads: false },
      { platform: 'YOUTUBE', replies: false, threads: false },
    ]) {
      expect(networks).toContainEqual(network);
    }
    const { event } = await ask(app, 'query ($id: ID!) { event(id: $id) { data } }', {
      id: events.nodes[0].id,
    });
    expect(event.data).toEqual(events.nodes[0].data);
  });
});

describe('an id older than the retention', () => {
  test('is refused with a hint on how long events and deliveries are kept', async () => {
    const at = new Date(Date.now() - 31 * 86_400_000);
    const deliveryId = firstIdAt('delivery', at);
    for (const query of [
      `{ event(id: "${firstIdAt('event', at)}") { id } }`,
      `{ delivery(id: "${deliveryId}") { id } }`,
      `mutation { retryDelivery(id: "${deliveryId}") { notice } }`,
    ]) {
      expect(await askRefused(app, query)).toMatchObject({
        code: 'not_found',
        hint: 'Events and deliveries are kept for 30 days.',
      });
    }
  });
});

describe('another project', () => {
  test("finds nothing by the owner's ids", async () => {
    const stranger = await app.createTenant('stranger');
    const post = await app.tenant.createPost({ caption: 'a', account_ids: [account.id] });
    const webhook = await app.tenant.createWebhook('https://example.com');
    const [event] = (await app.api.get('/v1/events')).body.data;
    for (const query of [
      `{ post(id: "${post.id}") { id } }`,
      `{ account(id: "${account.id}") { id } }`,
      `{ webhook(id: "${webhook.id}") { id } }`,
      `{ deliveries(webhookId: "${webhook.id}") { nodes { id } } }`,
      `{ event(id: "${event.id}") { id } }`,
      `mutation { deleteWebhook(id: "${webhook.id}") }`,
      `mutation { disconnectAccount(id: "${account.id}") { id } }`,
      `mutation { rotateWebhook(id: "${webhook.id}") { secret } }`,
    ]) {
      expect(await askRefused(app, query, {}, stranger.key)).toMatchObject({ code: 'not_found' });
    }
    expect(
      await ask(app, '{ posts { nodes { id } } events { nodes { id } } }', {}, stranger.key),
    ).toEqual({
      posts: { nodes: [] },
      events: { nodes: [] },
    });
    await app.tenant.waitForPost(post.id);
  });
});
