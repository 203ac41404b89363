// An HTTP proxy on loopback that records the parts of files that pass it, and the answer to each part.
import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** A request whose Content-Range names bytes. */
export interface SentPart {
  readonly path: string;
  readonly start: number;
  /** Offset after the part's last byte. */
  readonly end: number;
  /** How many bytes of the part have passed so far. */
  passedBytes: number;
  /** Undefined: the part got no answer, as when the server or the client was killed. */
  status: number | undefined;
}

export interface PartProxy extends AsyncDisposable {
  readonly url: string;
  /** The parts in the order of their requests. Parts that found no server are left out. */
  readonly parts: readonly SentPart[];
}

/**
 * Passes requests to the server at `port`. Closes the client's connection if the server's connection breaks.
 */
export async function startPartProxy(port: number): Promise<PartProxy> {
  const parts: SentPart[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url: path = '/' } = incoming;
    const [, start, last] = /^bytes (\d+)-(\d+)\//.exec(headers['content-range'] ?? '') ?? [];
    const options = { host: '127.0.0.1', port, method, path, headers, agent: false };
    const server = sendRequest(options);
    const part: SentPart | undefined =
      start === undefined
        ? undefined
        : { path, start: Number(start), end: Number(last) + 1, passedBytes: 0, status: undefined };
    server.on('error', () => outgoing.destroy());
    server.on('response', (answer) => {
      if (part) part.status = answer.statusCode;
      outgoing.writeHead(answer.statusCode!, answer.headers);
      pipeline(answer, outgoing).catch(() => undefined);
    });
    server.on('socket', (socket) =>
      socket.once('connect', () => {
        if (part) {
          parts.push(part);
          incoming.on('data', (bytes: Buffer) => (part.passedBytes += bytes.byteLength));
        }
        pipeline(incoming, server).catch(() => outgoing.destroy());
      }),
    );
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    parts,
    async [Symbol.asyncDispose]() {
      const closed = once(proxy, 'close');
      proxy.close();
      proxy.closeAllConnections();
      await closed;
    },
  };
}
