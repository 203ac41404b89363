// The HTTP server of `worker`, for probes and metrics only.
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { healthPages, type ProcessContext } from './health.ts';
import { metricsPage } from './metrics.ts';
import { createPages } from './rest.ts';
import { setSecurityHeaders } from './security-headers.ts';

/** The pages read nothing else of a request. */
const onlyKey = ({ authorization }: IncomingHttpHeaders) =>
  new Headers(authorization === undefined ? {} : { authorization });

export function createProbeServer(context: ProcessContext) {
  const pages = createPages(context, [...healthPages, metricsPage]);
  const server = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '/', headers } = incoming;
    setSecurityHeaders(outgoing, context.publicUrl);
    const answering = (async () => {
      const response = await pages.request(url, { method, headers: onlyKey(headers) });
      const body = await response.text();
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(body);
    })();
    // Rejects if the request's target or method is invalid.
    answering.catch(() => outgoing.writeHead(400).end());
  });
  return {
    /** Returns the actual port, because 0 means any free one. */
    async listen(port: number, host: string): Promise<number> {
      await once(server.listen(port, host), 'listening');
      return (server.address() as AddressInfo).port;
    },
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
