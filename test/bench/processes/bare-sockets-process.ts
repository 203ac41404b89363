// The baseline of the live fan-out: a bare graphql-ws server without a database.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { buildSchema } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';

export interface BareSocketsOptions {
  sockets: number;
  /** Added to every message, so that it is as long as ours. */
  textLength: number;
}

/** Publishes messages with these numbers, once all sockets have subscribed. */
export interface Publish {
  from: number;
  count: number;
}

interface Update {
  postUpdated: { cursor: string; change: string; text: string };
}

const options = JSON.parse(process.argv[2]!) as BareSocketsOptions;
const schema = buildSchema(`
  type Query { isUp: Boolean }
  type PostUpdate { cursor: String change: String text: String }
  type Subscription { postUpdated: PostUpdate }
`);
const text = 'x'.repeat(options.textLength);
const pushes = new Set<(update: Update) => void>();

async function* updates(): AsyncGenerator<Update> {
  const queue: Update[] = [];
  let wake = () => {};
  const push = (update: Update) => {
    queue.push(update);
    wake();
  };
  pushes.add(push);
  try {
    for (;;) {
      while (queue.length > 0) yield queue.shift()!;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    pushes.delete(push);
  }
}

async function publish({ from, count }: Publish): Promise<void> {
  while (pushes.size < options.sockets) await turn();
  for (let number = from; number < from + count; number++) {
    const cursor = String(number).padStart(40, '0');
    const update = { postUpdated: { cursor, change: `bench.${number}`, text } };
    for (const push of pushes) push(update);
    await turn();
  }
}

const server = createServer();
useServer(
  { schema, roots: { subscription: { postUpdated: updates } } },
  new WebSocketServer({ server }),
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', (order: Publish) => void publish(order));
process.on('disconnect', () => process.exit(0));
process.send!({ port: (server.address() as AddressInfo).port });
