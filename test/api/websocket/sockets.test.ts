// GraphQL sockets: who may open one, and what runs on it besides subscriptions.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { describe, expect, test, vi } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { createBigPost, overflow } from '../../support/graphql/feed.ts';
import { subscribeOverSocket, type Message } from '../../support/graphql/graphql.ts';
import { createSocket, nextMessage, send } from '../../support/receivers/raw-socket.ts';

const app = useApp({ roles: { api: true, worker: false } });

const protocol = 'graphql-transport-ws';
const postUpdated = 'subscription { postUpdated { cursor } }';

describe('a socket', () => {
  const ask = (connectionParams: Record<string, unknown>) =>
    subscribeOverSocket({ url: app.url, connectionParams, query: postUpdated });

  test.each([
    {},
    { authorization: 'Bearer wrong' },
    { apiKey: 'wrong' },
    { authorization: 'wrong' },
  ])('closes with 4401 for %j', async (connectionParams) => {
    await using subscription = ask(connectionParams);
    expect(await subscription.closed).toBe(4401);
  });

  test('accepts the key as apiKey', async () => {
    await using subscription = ask({ apiKey: app.tenant.key });
    const account = await app.tenant.connectSandbox('ada');
    await app.tenant.createPost({ caption: 'a', account_ids: [account.id] });
    await subscription.waitFor(1);
  });

  test('accepts the key in the header of its upgrade', async () => {
    const { url, tenant } = app;
    const socket = createSocket(url, undefined, {
      headers: { authorization: `Bearer ${tenant.key}` },
    });
    await once(socket, 'open');
    send(socket, { type: 'connection_init' });
    expect(await nextMessage(socket)).toMatchObject({ type: 'connection_ack' });
    socket.close();
  });

  test('is refused if its key lacks the scope', async () => {
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

  test('is closed if it sends too much, and nothing is printed to the console', async () => {
    const said = vi.spyOn(console, 'error');
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, protocol);
    await once(socket, 'open');
    // Before its key there is room for little, and no time for a word about it.
    socket.send('x'.repeat(2_000_000));
    const [code] = await once(socket, 'close');
    expect(code).toBe(1006);
    expect(said).not.toHaveBeenCalled();
  });

  test('is closed if it never names its key', async () => {
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, protocol);
    const [code] = await once(socket, 'close');
    expect(code).toBe(4408);
  });

  test('is opened at /graphql only', async () => {
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/elsewhere`);
    const error = await new Promise<Error>((resolve) => socket.once('error', resolve));
    expect(error.message).toContain('404');
  });

  test('gets slow_consumer if its client stops reading, and resumes without a gap', async () => {
    const postId = await createBigPost(app);
    const query = `subscription ($after: String) {
      postUpdated(id: "${postId}", after: $after) { cursor change post { metadata caption } }
    }`;
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, protocol);
    const heard: Message[] = [];
    const broken = Promise.withResolvers<Message>();
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString());
      if (message.type === 'connection_ack') {
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
      } else if (message.type === 'next') {
        heard.push(message.payload);
        if (heard.length === 1) socket.pause();
        if (message.payload.errors) broken.resolve(message.payload.errors[0]);
      }
    });
    await once(socket, 'open');
    socket.send(JSON.stringify({ type: 'connection_init', payload: { apiKey: app.tenant.key } }));
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    const kinds = await overflow(app, postId);
    socket.resume();
    const { extensions } = await broken.promise;
    expect(extensions).toMatchObject({ code: 'slow_consumer', isRetriable: true });
    socket.close();
    const before = heard.slice(1, -1).map(({ data }) => data.postUpdated);
    expect(before.at(-1).cursor).toBe(extensions.cursor);
    await using resumed = subscribeOverSocket({
      url: app.url,
      key: app.tenant.key,
      query,
      variables: { after: extensions.cursor },
    });
    // Thousands of large messages take a busy machine long.
    const after = await resumed.waitFor(kinds.length - before.length, 60_000);
    const all = [...before, ...after.map(({ data }) => data.postUpdated)];
    expect(all.map(({ change }) => change)).toEqual(kinds);
  }, 90_000);
});
