// An HTTP proxy on loopback whose plan says what happens to each request: it passes, or its answer is lost or
// replaced.
import { once } from 'node:events';
import { createServer, request as sendRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface SentRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

interface ReplacedAnswer {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/**
 * `lose`: the server gets the request, and the client no answer. `cut`: the server gets nothing. A function changes
 * the parsed JSON of the answer.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- tests change answers freely
export type Fault = 'lose' | 'cut' | ReplacedAnswer | ((json: any) => unknown);

export interface FaultyProxy extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly SentRequest[];
  /** The next faults, one for each request that matches. Undefined: the request passes. */
  plan(matches: (request: SentRequest) => boolean, faults: (Fault | undefined)[]): void;
  /** Breaks the connections that are open. */
  breakAll(): void;
}

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const { hostname: host, port } = new URL(target);
  const requests: SentRequest[] = [];
  let matches: (request: SentRequest) => boolean = () => false;
  let faults: (Fault | undefined)[] = [];
  const proxy = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    const sent = { method, path, headers };
    requests.push(sent);
    const fault = matches(sent) ? faults.shift() : undefined;
    if (fault === 'cut') return void incoming.socket.destroy();
    if (typeof fault === 'object') {
      const { status, headers = {}, body } = fault;
      incoming.resume();
      outgoing.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      return void outgoing.end(body === undefined ? '' : JSON.stringify(body));
    }
    const asked = sendRequest({ host, port, method, path, headers, agent: false });
    asked.on('error', () => outgoing.destroy());
    asked.on('response', (answer) => {
      if (fault === undefined) {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.on('error', () => outgoing.destroy());
        return void answer.pipe(outgoing);
      }
      void buffer(answer).then((bytes) => {
        if (fault === 'lose') return void incoming.socket.destroy();
        const text = JSON.stringify(fault(JSON.parse(bytes.toString())));
        const { 'content-length': _, 'content-encoding': __, ...kept } = answer.headers;
        outgoing.writeHead(answer.statusCode!, kept);
        outgoing.end(text);
      });
    });
    incoming.on('error', () => asked.destroy());
    outgoing.on('close', () => asked.destroy());
    incoming.pipe(asked);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    requests,
    plan(wanted, planned) {
      matches = wanted;
      faults = [...planned];
    },
    breakAll: () => proxy.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      const closed = once(proxy, 'close');
      proxy.close();
      proxy.closeAllConnections();
      await closed;
    },
  };
}
