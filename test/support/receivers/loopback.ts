// Servers on loopback that the outgoing client calls, some of which send raw bytes; and clients that may
// reach them.
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { afterEach } from 'vitest';
import type { Resolve } from '../../../activities/egress/dns.ts';
import { createSafeFetch, type SafeFetchOptions } from '../../../activities/egress/client.ts';
import type { SafeRequest } from '../../../activities/egress/send-outcome.ts';
import { createUrlGuard } from '../../../activities/egress/url-guard.ts';

export const cert = readFileSync(
  new URL('../../fixtures/self-signed.cert.pem', import.meta.url),
  'utf8',
);
const key = readFileSync(new URL('../../fixtures/self-signed.key.pem', import.meta.url), 'utf8');
export const okHead = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

export interface LoopbackServer {
  port: number;
  url: string;
  sockets: Set<Socket>;
  /** Connections so far. */
  connections: number;
}

export async function listen(server: Server, protocol = 'http'): Promise<LoopbackServer> {
  const sockets = new Set<Socket>();
  const running: LoopbackServer = { port: 0, url: '', sockets, connections: 0 };
  server.on('connection', (socket: Socket) => {
    running.connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  cleanups.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  running.port = (server.address() as AddressInfo).port;
  running.url = `${protocol}://127.0.0.1:${running.port}/hook`;
  return running;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

export function startHttp(answer: Answer): Promise<LoopbackServer> {
  return listen(createHttpServer((request, response) => void answer(request, response)));
}

/** Calls `onRequest` for every request with the body `{}`. `number`: counts the requests on the connection. */
export function startRaw(
  onRequest: (socket: Socket, number: number) => unknown,
): Promise<LoopbackServer> {
  return listen(
    createTcpServer((socket) => {
      let number = 0;
      let seen = '';
      socket.on('data', (chunk) => {
        seen += chunk.toString('latin1');
        if (!seen.endsWith('\r\n\r\n{}')) return;
        seen = '';
        number += 1;
        onRequest(socket, number);
      });
    }),
  );
}

/** Writes a byte every 20 ms until the connection ends. */
export function drip(socket: Writable): void {
  const writing = setInterval(() => {
    if (!socket.destroyed) socket.write('a');
  }, 20);
  socket.once('close', () => clearInterval(writing));
}

export function startHttps(answer: Answer): Promise<LoopbackServer> {
  const server = createHttpsServer({ key, cert }, (request, response) => {
    answer(request, response);
  });
  return listen(server, 'https');
}

interface ClientOptions extends Partial<SafeFetchOptions> {
  allowed?: readonly string[];
  lookup?: Resolve;
}

export function createClient({
  allowed = ['127.0.0.0/8'],
  lookup,
  ...options
}: ClientOptions = {}) {
  const guard = createUrlGuard({ allowPrivateCidrs: allowed, ...(lookup ? { lookup } : {}) });
  const client = createSafeFetch({ guard, ...options });
  cleanups.push(() => client.close());
  return {
    ...client,
    post: (url: string, more: Partial<SafeRequest> = {}) =>
      client.send({ owner: 'prj_1', url, body: '{}', deadlineMs: 2_000, ...more }),
  };
}

/** Answers each lookup with the next address, and all further lookups with the last one. */
export function resolvingTo(...addresses: string[]): Resolve {
  let asked = 0;
  return async () => {
    const address = addresses[Math.min(asked, addresses.length - 1)] ?? '';
    asked += 1;
    return [{ address, family: 4 }];
  };
}
