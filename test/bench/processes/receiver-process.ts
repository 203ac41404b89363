// The receiver of the bench, in a process of its own: answers 204 at once, and notes arrivals if asked to.
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

/** Asks for a report once so many requests have come. */
export interface ReceiverQuestion {
  count: number;
}

export interface ReceiverReport {
  count: number;
  /**
   * By `webhook-id` and by the ID of what the event is about: when the request was read, on the clock of the
   * machine, in nanoseconds.
   */
  arrivals: [webhookId: string, subjectId: string, atNs: string][];
}

const { ports, hasArrivals, isHanging } = JSON.parse(process.argv[2]!) as ReceiverOptions;

let count = 0;
const arrivals: ReceiverReport['arrivals'] = [];
let asked: number | undefined;

function report(): void {
  if (asked === undefined || count < asked) return;
  asked = undefined;
  process.send!({ count, arrivals } satisfies ReceiverReport);
}

const answer: RequestListener = (request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    if (hasArrivals) body += chunk;
  });
  request.on('end', () => {
    const atNs = String(process.hrtime.bigint());
    if (!isHanging) response.writeHead(204).end();
    if (hasArrivals) {
      const { data } = JSON.parse(body) as { data: { id: string } };
      arrivals.push([request.headers['webhook-id'] as string, data.id, atNs]);
    }
    count++;
    report();
  });
};

async function listen(): Promise<number> {
  const server = createServer(answer);
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

process.on('message', ({ count }: ReceiverQuestion) => {
  asked = count;
  report();
});
process.on('disconnect', () => process.exit(0));
process.send!({ ports: await Promise.all(Array.from({ length: ports }, listen)) });
