// The limit of streams per project. A stream stops counting however it ends.
import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { useApp } from '../../support/app/app.ts';
import { elapse } from '../../support/elapse.ts';
import { ask, subscribeOverSocket } from '../../support/graphql/graphql.ts';
import { openOwnSocket, send } from '../../support/receivers/raw-socket.ts';

const limit = 5;
let postId: string;

const app = useApp({
  roles: { api: true, worker: false },
  env: { FANFARE_MAX_STREAMS_PER_PROJECT: String(limit) },
});
beforeAll(async () => {
  const account = await app.tenant.connectSandbox('ada');
  const draft = { caption: 'a', account_ids: [account.id], status: 'draft' };
  postId = (await app.tenant.createPost(draft)).id;
});

const query = 'subscription ($id: ID) { postUpdated(id: $id) { change } }';

const open = () =>
  subscribeOverSocket({ url: app.url, key: app.tenant.key, query, variables: { id: postId } });

/** A moment later, whatever the server is doing then. */
const aMoment = () => elapse(Math.random() * 30, 'clients vanish at any point of the opening');

async function subscribeAndVanish(): Promise<void> {
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  socket.on('error', () => undefined);
  socket.on('open', () => {
    const payload = { apiKey: app.tenant.key };
    socket.send(JSON.stringify({ type: 'connection_init', payload }));
  });
  const isAdmitted = new Promise<void>((resolve) => {
    socket.on('message', (data: Buffer) => {
      if (JSON.parse(data.toString()).type === 'connection_ack') resolve();
    });
  });
  await isAdmitted;
  const payload = { query, variables: { id: postId } };
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
  await aMoment();
  socket.terminate();
}

async function askForEventsAndVanish(): Promise<void> {
  const asked = request(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${app.tenant.key}`,
      'content-type': 'application/json',
    },
  });
  asked.on('error', () => undefined);
  asked.end(JSON.stringify({ query, variables: { id: postId } }));
  await aMoment();
  asked.destroy();
}

async function subscribeTwiceAndVanish(): Promise<void> {
  const socket = await openOwnSocket(app.url, app.tenant.key);
  const subscribe = { type: 'subscribe', id: '1', payload: { query, variables: { id: postId } } };
  for (let i = 0; i < 2; i++) {
    send(socket, subscribe);
    send(socket, { type: 'complete', id: '1' });
  }
  await aMoment();
  socket.close();
}

describe('the streams of a project', () => {
  test('are refused over the limit without closing the socket, and do not affect other projects', async () => {
    const streams = Array.from({ length: limit }, open);
    await Promise.all(streams.map((stream) => stream.waitFor(1)));
    await using refused = open();
    const [answer] = await refused.waitFor(1);
    expect(answer.errors[0].extensions).toMatchObject({
      code: 'rate_limited',
      isRetriable: true,
      limit,
    });
    const other = await app.createTenant('other');
    const { id } = await other.createWebhook('https://example.com/hook');
    await using theirs = subscribeOverSocket({
      url: app.url,
      key: other.key,
      query: 'subscription ($id: ID) { webhookUpdated(id: $id) { change } }',
      variables: { id },
    });
    expect((await theirs.waitFor(1))[0].data.webhookUpdated.change).toBe('present');
    await Promise.all(streams.map((stream) => stream.close()));
  });

  test.each<[string, () => Promise<void>]>([
    ['on sockets', subscribeAndVanish],
    ['that asked for server-sent events', askForEventsAndVanish],
    ['that use the name of a stream again while it is opened', subscribeTwiceAndVanish],
  ])('stop counting once clients %s have vanished', async (_, vanish) => {
    for (let i = 0; i < 8; i++) {
      await Promise.all(Array.from({ length: limit }, () => vanish()));
    }
    await expect
      .poll(async () => {
        const streams = Array.from({ length: limit }, open);
        const first = await Promise.all(streams.map((stream) => stream.waitFor(1)));
        await Promise.all(streams.map((stream) => stream.close()));
        return first.filter(([message]) => message.errors).length;
      })
      .toBe(0);
  });

  test('have a limit that /v1/limits shows', async () => {
    expect(await ask(app, '{ limits { streamsPerProject } }')).toEqual({
      limits: { streamsPerProject: limit },
    });
  });
});
