// A proxy in front of a relay. It passes messages on, but loses the relay's answers.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface LossyProxy extends AsyncDisposable {
  readonly url: string;
  /** How many answers the proxy will still lose. */
  losses: number;
}

export async function startLossyProxy(relayUrl: string): Promise<LossyProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const relay = connect(Number(new URL(relayUrl).port), '127.0.0.1');
    for (const socket of [client, relay]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        relay.destroy();
      });
    }
    client.pipe(relay);
    let isOpen = false;
    relay.on('data', (chunk) => {
      // The first answer belongs to the handshake.
      if (!isOpen || proxy.losses === 0) {
        isOpen = true;
        client.write(chunk);
        return;
      }
      proxy.losses -= 1;
      client.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy = {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    losses: 0,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return proxy;
}
