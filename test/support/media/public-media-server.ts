// An HTTP server that sends only public media, with limits of the test's own.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPublicMedia, type PublicMediaOptions } from '../../../api/media/public-media.ts';
import type { Context } from '../../../api/http/context.ts';

export interface PublicMediaServer extends AsyncDisposable {
  /** The same URL at this server. */
  at(url: string): string;
}

export async function startPublicMedia(
  context: Context,
  options: Partial<PublicMediaOptions>,
): Promise<PublicMediaServer> {
  const { respond } = createPublicMedia(context, options);
  const server = createServer((incoming, outgoing) => void respond(incoming, outgoing));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    at(given) {
      const url = new URL(given);
      url.host = `127.0.0.1:${port}`;
      return url.href;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
