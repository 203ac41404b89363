// Finds loopback ports that are free now, the one of last time where it still is.
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';

/** As many ports as `wanted` has entries; 0 means any. All are held at once, so they differ. */
export async function findFreePorts(wanted: readonly number[]): Promise<number[]> {
  const servers: Server[] = [];
  try {
    for (const port of wanted) servers.push((await hold(port)) ?? (await holdAny()));
    return servers.map((server) => (server.address() as AddressInfo).port);
  } finally {
    await Promise.all(servers.map(release));
  }
}

async function holdAny(): Promise<Server> {
  const server = await hold(0);
  if (server === undefined) throw new Error('No loopback port is free on 127.0.0.1.');
  return server;
}

async function hold(port: number): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => resolve(server));
  });
}

async function release(server: Server): Promise<void> {
  await new Promise((resolve) => {
    server.close(resolve);
  });
}
