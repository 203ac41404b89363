// A TCP proxy on loopback that can swallow bytes or refuse connections. Its address stays the same.
import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

export interface Proxy {
  readonly port: number;
  /** Address of the proxy, as `host:port`. */
  readonly address: string;
  /** Open sockets, two for each connection. */
  readonly socketCount: number;
  /** Returns the URL with the proxy's address. */
  urlOf(url: string): string;
  /** After this, nothing passes, neither on open connections nor on new ones. All connections stay open. */
  silence(): void;
  /** New connections pass again. Connections that fell silent stay silent, as after a lost route. */
  restore(): void;
  /** Breaks every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again after `cut`. */
  reopen(): Promise<void>;
}

/**
 * `target`: such as a `URL`. It is read for each connection, because a restarted server may have another
 * port.
 */
export async function startProxy(target: {
  hostname?: string;
  port: number | string;
}): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const links = new Set<{ isSilent: boolean }>();
  let isSilent = false;
  let server: Server | undefined;
  let port = 0;

  function accept(client: Socket): void {
    const link = { isSilent };
    links.add(link);
    const { hostname: host = '127.0.0.1' } = target;
    const upstream = connect({ port: Number(target.port), host, allowHalfOpen: true });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => {
        if (link.isSilent) return;
        if (to.write(bytes)) return;
        from.pause();
        to.once('drain', () => from.resume());
      });
      from.on('end', () => link.isSilent || to.end());
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        links.delete(link);
        if (!link.isSilent) to.destroy();
      });
    }
  }

  async function reopen(): Promise<void> {
    // When one side closes its connection, a silent proxy does not close the other side either.
    server = createServer({ allowHalfOpen: true }, accept).listen(port, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  }

  async function cut(): Promise<void> {
    if (!server?.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  }

  await reopen();
  return {
    port,
    address: `127.0.0.1:${port}`,
    get socketCount() {
      return sockets.size;
    },
    urlOf(url) {
      const proxied = new URL(url);
      proxied.port = String(port);
      return proxied.href;
    },
    silence() {
      isSilent = true;
      for (const link of links) link.isSilent = true;
    },
    restore() {
      isSilent = false;
    },
    cut,
    reopen,
  };
}
