// Many GraphQL sockets in a process of their own: each must get every change once and in order.
import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface SocketClientsOptions {
  url: string;
  /** Null: the server asks for none. */
  apiKey: string | null;
  sockets: number;
  query: string;
  variables: Record<string, unknown>;
}

/** Answers once every socket has got that many messages. */
export interface WaitForMessages {
  count: number;
}

export interface SocketClientsReport {
  /** The arrivals at all sockets, after those of the report before: which message, and when. */
  numbers: Int32Array;
  arrivalsNs: BigInt64Array;
  /** Of the last message. */
  bytes: number;
}

const options = JSON.parse(process.argv[2]!) as SocketClientsOptions;
const { apiKey, query, variables } = options;
const change = /"change":"bench\.(\d+)"/;

let numbers: number[] = [];
let arrivals: bigint[] = [];
let total = 0;
let bytes = 0;
let awaited: number | undefined;

function answer(): void {
  if (awaited === undefined || total < awaited * options.sockets) return;
  awaited = undefined;
  process.send!({
    numbers: Int32Array.from(numbers),
    arrivalsNs: BigInt64Array.from(arrivals),
    bytes,
  } satisfies SocketClientsReport);
  numbers = [];
  arrivals = [];
}

function fail(reason: string): never {
  console.error(`A socket of the bench failed: ${reason}`);
  process.exit(1);
}

async function open(): Promise<void> {
  const socket = new WebSocket(options.url, 'graphql-transport-ws', { perMessageDeflate: false });
  await once(socket, 'open');
  socket.on('close', (code: number) => fail(`closed with ${code}`));
  const acknowledged = once(socket, 'message');
  socket.send(JSON.stringify({ type: 'connection_init', payload: apiKey ? { apiKey } : {} }));
  await acknowledged;
  let seen = 0;
  socket.on('message', (data: Buffer) => {
    const text = data.toString();
    const number = Number(change.exec(text)?.[1]);
    if (number !== seen) fail(`${text} came where number ${seen} is due`);
    seen++;
    total++;
    bytes = data.length;
    numbers.push(number);
    arrivals.push(process.hrtime.bigint());
    answer();
  });
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query, variables } }));
}

process.on('message', ({ count }: WaitForMessages) => {
  awaited = count;
  answer();
});
process.on('disconnect', () => process.exit(0));
for (let opened = 0; opened < options.sockets; opened += 50) {
  await Promise.all(Array.from({ length: Math.min(50, options.sockets - opened) }, open));
}
process.send!('open');
