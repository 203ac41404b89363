// The receiver of the bench, in a process of its own: answers 204 at once, and notes arrivals on request.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceiverOptions {
  /** How many ports it listens on. */
  ports: number;
  hasArrivals: boolean;
  /** Whether it never answers. */
  isHanging: boolean;
}

export interface ReceiverReport {
  count: number;
  /** By `webhook-id`: when the request was read, on the clock of the machine, in nanoseconds. */
  arrivals: [webhookId: string, atNs: string][];
}

const { ports, hasArrivals, isHanging } = JSON.parse(process.argv[2]!) as ReceiverOptions;

let count = 0;
const arrivals: ReceiverReport['arrivals'] = [];

const answer: RequestListener = (request, response) => {
  request.resume();
  request.on('end', () => {
    if (hasArrivals) {
      arrivals.push([request.headers['webhook-id'] as string, String(process.hrtime.bigint())]);
    }
    count++;
    if (!isHanging) response.writeHead(204).end();
  });
};

async function listen(): Promise<number> {
  const server = createServer(answer);
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

process.on('message', () => process.send!({ count, arrivals } satisfies ReceiverReport));
process.on('disconnect', () => process.exit(0));
process.send!({ ports: await Promise.all(Array.from({ length: ports }, listen)) });
