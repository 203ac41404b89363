// The HTTP server of `worker`: the probes and the metrics, and nothing else.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context } from './context.ts';
import { healthPages } from './health.ts';
import { metricsPage } from './metrics.ts';
import { createPages } from '../http/rest.ts';

export interface ProbeServer {
  /** Returns the port, since 0 asks for any free one. */
  listen(port: number, host: string): Promise<number>;
  close(): Promise<void>;
}

export function createProbeServer(context: Context): ProbeServer {
  const pages = createPages(context, [...healthPages, metricsPage]);
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/' } = incoming;
    const answering = (async () => {
      const response = await pages.request(url, { method });
      const body = await response.text();
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(body);
    })();
    // A target or method that no request can have.
    answering.catch(() => outgoing.writeHead(400).end());
  });
  return {
    async listen(port, host) {
      server.listen(port, host);
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
