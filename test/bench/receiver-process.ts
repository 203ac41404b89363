// The receiver of the bench, in a process of its own: answers 204 at once, and notes arrivals on request.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceiverReport {
  count: number;
  /** By `webhook-id`: when the request was read, on the clock of the machine, in nanoseconds. */
  arrivals: [webhookId: string, atNs: string][];
}

let count = 0;
const arrivals: ReceiverReport['arrivals'] = [];
const hasArrivals = process.argv[2] === 'arrivals';

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (hasArrivals) {
      arrivals.push([request.headers['webhook-id'] as string, String(process.hrtime.bigint())]);
    }
    count++;
    response.writeHead(204).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () =>
  process.send!({ port: (server.address() as AddressInfo).port }),
);

process.on('message', () => process.send!({ count, arrivals } satisfies ReceiverReport));
process.on('disconnect', () => process.exit(0));
