// What `listen` makes of a stream that breaks on a socket that stays open, beside one that is cut.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSchema, GraphQLError } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { openEventStream } from '../../../../api/cli/listen/event-stream.ts';

const schema = buildSchema(`
  enum EventType { POST_PUBLISHED }
  type Event { id: ID! body: String! postId: ID socialAccountId: ID }
  type EventUpdate { cursor: String! event: Event }
  type Query { liveCursor: String! }
  type Subscription {
    eventRecorded(types: [EventType!], test: Boolean, after: String): EventUpdate
  }
`);

interface Turns {
  /** What each subscription does first, in turn. */
  begins?: (() => void)[];
  /** What it does after its one event. */
  ends: (() => void)[];
}

/** Tells one event after each cursor, numbered on from it. */
async function startServer({ begins = [], ends }: Turns) {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  async function* eventRecorded({ after }: { after: string }) {
    begins.shift()?.();
    const number = Number(after) + 1;
    const event = { id: `evt_${number}`, body: '{}', postId: null, socialAccountId: null };
    yield { eventRecorded: { cursor: String(number), event } };
    ends.shift()?.();
    await sleep(60_000, undefined, { ref: false });
  }
  const roots = { query: { liveCursor: '0' }, subscription: { eventRecorded } };
  useServer({ schema, roots }, sockets);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => sockets.clients.forEach((socket) => socket.terminate());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

const unreadable = 'The changes cannot be read now.';

function fail(): never {
  throw new GraphQLError(unreadable, { extensions: { code: 'unavailable', isRetriable: true } });
}

/** What it is told of the stream until so many events have come, which must be all in order. */
async function follow(url: string, count: number): Promise<string[]> {
  const told: string[] = [];
  const ended = new AbortController();
  const stream = openEventStream({
    url,
    key: 'sk_test',
    types: undefined,
    isTest: false,
    onBroken: (reason) => told.push(reason),
    onMended: () => told.push('mended'),
    signal: ended.signal,
  });
  const ids: string[] = [];
  for await (const { event } of stream.after('0')) {
    ids.push(event!.id);
    if (ids.length === count) ended.abort();
  }
  expect(ids).toEqual(Array.from({ length: count }, (_, i) => `evt_${i + 1}`));
  return told;
}

test('each break is told once, and that the stream goes on, whether or not the socket stays', async () => {
  await using server = await startServer({ ends: [fail, () => server.cut(), fail] });
  expect(await follow(server.url, 4)).toEqual([
    unreadable,
    'mended',
    expect.any(String),
    'mended',
    unreadable,
    'mended',
  ]);
});

test('a stream that is refused again and again is broken once, until it is taken', async () => {
  await using server = await startServer({
    begins: [() => undefined, fail, fail, fail],
    ends: [() => server.cut()],
  });
  expect(await follow(server.url, 2)).toEqual([expect.any(String), 'mended']);
});
