// The event stream of `listen` after failures of the stream and of its socket.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, GraphQLError } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { openEventStream } from '../../../api/cli/listen/event-stream.ts';

const schema = buildSchema(`
  enum EventType { POST_PUBLISHED }
  type Event { id: ID! body: String! postId: ID socialAccountId: ID }
  type EventUpdate { cursor: String! event: Event }
  type Query { liveCursor: String! }
  type Subscription {
    eventRecorded(types: [EventType!], test: Boolean, after: String): EventUpdate
  }
`);

interface Script {
  /** Called at the start of each subscription, in order. */
  begins?: (() => void)[];
  /** Called after the one event of each subscription, in order. */
  ends: (() => void)[];
}

/** Sends one event per subscription, with the next number after the cursor. */
async function startServer({ begins = [], ends }: Script) {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  async function* eventRecorded({ after }: { after: string }) {
    begins.shift()?.();
    const number = Number(after) + 1;
    const event = { id: `evt_${number}`, body: '{}', postId: null, socialAccountId: null };
    yield { eventRecorded: { cursor: String(number), event } };
    ends.shift()?.();
    await new Promise<never>(() => undefined);
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

const unreadable = 'The changes cannot be read right now.';

function fail(): never {
  throw new GraphQLError(unreadable, { extensions: { code: 'unavailable', isRetriable: true } });
}

/** Returns what the stream reports until `count` events have arrived in order. */
async function follow(url: string, count: number): Promise<string[]> {
  const reports: string[] = [];
  const ended = new AbortController();
  const stream = openEventStream({
    url,
    key: 'sk_test',
    types: undefined,
    isTest: false,
    onLost: (reason) => reports.push(reason),
    onResumed: () => reports.push('resumed'),
    signal: ended.signal,
  });
  const ids: string[] = [];
  for await (const { event } of stream.after('0')) {
    ids.push(event!.id);
    if (ids.length === count) ended.abort();
  }
  expect(ids).toEqual(Array.from({ length: count }, (_, i) => `evt_${i + 1}`));
  return reports;
}

test('listen reports each failure and each recovery once, with an open or a closed socket', async () => {
  await using server = await startServer({ ends: [fail, () => server.cut(), fail] });
  expect(await follow(server.url, 4)).toEqual([
    unreadable,
    'resumed',
    expect.any(String),
    'resumed',
    unreadable,
    'resumed',
  ]);
});

test('listen reports one failure for many refused retries', async () => {
  await using server = await startServer({
    begins: [() => undefined, fail, fail, fail],
    ends: [() => server.cut()],
  });
  expect(await follow(server.url, 2)).toEqual([expect.any(String), 'resumed']);
});
