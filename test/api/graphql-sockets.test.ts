// GraphQL sockets: who may open one, and what runs on it besides subscriptions.
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { subscribeOverSocket } from '../support/graphql.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ roles: { api: true, worker: false } });
});
afterAll(() => app.stop());

const postUpdated = 'subscription { postUpdated { cursor } }';

describe('a socket', () => {
  const ask = (connectionParams: Record<string, unknown>) =>
    subscribeOverSocket({ url: app.url, connectionParams, query: postUpdated });

  test.each([{ authorization: 'Bearer wrong' }, { apiKey: 'wrong' }, { authorization: 'wrong' }])(
    'closes with 4401 for %j',
    async (connectionParams) => {
      await using subscription = ask(connectionParams);
      expect(await subscription.closed).toBe(4401);
    },
  );

  test('takes the key as apiKey', async () => {
    await using subscription = ask({ apiKey: app.tenant.key });
    const account = await app.tenant.connectSandbox('ada');
    await app.tenant.createPost({ caption: 'a', account_ids: [account.id] });
    await subscription.waitFor(1);
  });

  test('without a key can read the schema and nothing else', async () => {
    await using subscription = ask({});
    const [refused] = await subscription.waitFor(1);
    expect(refused.errors[0].extensions.code).toBe('unauthorized');
    expect(refused.errors[0].extensions.http).toBeUndefined();
  });

  test('without the scope is refused', async () => {
    const made = await app.api.post('/v1/api-keys', { name: 'a', scopes: ['accounts:read'] });
    await using subscription = ask({ apiKey: made.body.data.key });
    const [refused] = await subscription.waitFor(1);
    expect(refused.errors[0].extensions.code).toBe('insufficient_scope');
  });

  test('answers a bad document and stays open', async () => {
    for (const query of [
      'subscription {',
      'subscription { nothing }',
      '{ posts(first: "x") { nodes { id } } }',
    ]) {
      await using subscription = subscribeOverSocket({ url: app.url, key: app.tenant.key, query });
      const [refused] = await subscription.waitFor(1);
      expect(refused.failed[0].extensions.code).toBe('validation_error');
    }
  });

  test('runs queries too', async () => {
    await using subscription = subscribeOverSocket({
      url: app.url,
      key: app.tenant.key,
      query: '{ project { id } }',
    });
    const [answer] = await subscription.waitFor(1);
    expect(answer.data.project.id).toBe(app.tenant.projectId);
  });

  test('is opened at /graphql only', async () => {
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/elsewhere`);
    const error = await new Promise<Error>((resolve) => socket.once('error', resolve));
    expect(error.message).toContain('404');
  });
});
