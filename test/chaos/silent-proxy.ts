// A TCP proxy on loopback that can swallow bytes: its connections stay open and nothing arrives.
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

export interface SilentProxy {
  port: number;
  /** From now on nothing passes, on open connections and on new ones; none of them is closed. */
  silence(): void;
  /** New connections pass again. Those that were silent stay silent, as after a lost route. */
  restore(): void;
  close(): Promise<void>;
}

export async function startSilentProxy(target: {
  host?: string;
  port: number;
}): Promise<SilentProxy> {
  const sockets = new Set<Socket>();
  const links = new Set<{ isSilent: boolean }>();
  let isSilent = false;
  // A side that is silent doesn't answer the end of the other one either.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const link = { isSilent };
    links.add(link);
    const { port, host = '127.0.0.1' } = target;
    const upstream = connect({ port, host, allowHalfOpen: true });
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
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    silence() {
      isSilent = true;
      for (const link of links) link.isSilent = true;
    },
    restore() {
      isSilent = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
