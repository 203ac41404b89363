// A real HTTP receiver on loopback that records every request and answers as the test says.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

// oxlint-disable-next-line typescript/no-explicit-any -- tests read into bodies of every shape
type Json = any;

export interface ReceivedRequest {
  /** Counts from 1. */
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  /** When the last byte of the request was read. */
  readonly receivedAt: Date;
  /** The body as JSON. */
  json(): Json;
}

/** `hang`: never answers. `reset`: breaks the connection. */
export type Reply =
  | {
      status?: number;
      delayMs?: number;
      headers?: Record<string, string>;
      body?: string | Buffer;
    }
  | 'hang'
  | 'reset';

export type Respond = (request: ReceivedRequest, number: number) => Reply | Promise<Reply>;

export interface ReceiverOptions {
  respond?: Respond;
  host?: string;
  port?: number;
}

export interface Receiver extends AsyncDisposable {
  /** The URL without a slash at the end. */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** Answers differently from now on. */
  respondWith(respond: Respond): void;
  /** Returns the first request that the predicate accepts, whether it has arrived or is yet to come. */
  waitFor(
    predicate?: (request: ReceivedRequest) => boolean,
    options?: { timeoutMs?: number },
  ): Promise<ReceivedRequest>;
  /** Returns all requests, once there are `count` of them. */
  waitForCount(
    count: number,
    options?: { timeoutMs?: number },
  ): Promise<readonly ReceivedRequest[]>;
  close(): Promise<void>;
}

export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  let respond: Respond = options.respond ?? (() => ({ status: 200 }));
  const requests: ReceivedRequest[] = [];
  const watchers = new Set<() => void>();

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      const request: ReceivedRequest = {
        number: requests.length + 1,
        method: incoming.method!,
        path: incoming.url!,
        headers: incoming.headers,
        body,
        text: body.toString('utf8'),
        receivedAt: new Date(),
        json: () => JSON.parse(body.toString('utf8')),
      };
      requests.push(request);
      for (const watcher of watchers) watcher();
      void reply(response, request);
    });
  });

  async function reply(response: ServerResponse, request: ReceivedRequest): Promise<void> {
    const reply = await respond(request, request.number);
    if (reply === 'hang') return;
    if (reply === 'reset') {
      response.socket?.resetAndDestroy();
      return;
    }
    if (reply.delayMs) await sleep(reply.delayMs);
    if (response.destroyed) return;
    response.writeHead(reply.status ?? 200, reply.headers);
    response.end(reply.body);
  }

  function until<T>(read: () => T | undefined, what: () => string, timeoutMs = 20_000) {
    return new Promise<T>((resolve, reject) => {
      const check = () => {
        const found = read();
        if (found === undefined) return;
        clearTimeout(timer);
        watchers.delete(check);
        resolve(found);
      };
      const timer = setTimeout(() => {
        watchers.delete(check);
        reject(new Error(`${what()} within ${timeoutMs} ms; ${requests.length} came.`));
      }, timeoutMs);
      watchers.add(check);
      check();
    });
  }

  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;

  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    requests,
    respondWith(next) {
      respond = next;
    },
    waitFor(predicate = () => true, { timeoutMs } = {}) {
      return until(
        () => requests.find(predicate),
        () => 'No such request came',
        timeoutMs,
      );
    },
    waitForCount(count, { timeoutMs } = {}) {
      return until(
        () => (requests.length >= count ? requests : undefined),
        () => `${count} requests did not come`,
        timeoutMs,
      );
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
