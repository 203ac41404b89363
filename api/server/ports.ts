// TCP ports: finds free ones, holds one, and refuses to start on one that is in use.
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

/**
 * A free port for each entry of `wanted`: the wanted port if it is free, otherwise any free port. 0 stands
 * for any port.
 */
export async function findFreePorts(
  wanted: readonly number[],
  host = '127.0.0.1',
): Promise<number[]> {
  // The ports are held at the same time, so that they differ.
  const servers: Server[] = [];
  try {
    for (const port of wanted) servers.push(await hold(port, host).catch(() => hold(0, host)));
    return servers.map((server) => (server.address() as AddressInfo).port);
  } finally {
    for (const server of servers) await release(server);
  }
}

export async function findFreePort(host?: string): Promise<number> {
  return (await findFreePorts([0], host))[0]!;
}

/** Holds a free port until another server takes it over by listening on the returned server. */
export async function holdPort(host: string): Promise<{ server: Server; port: number }> {
  const server = (await hold(0, host)).unref();
  return { server, port: (server.address() as AddressInfo).port };
}

/** Throws an error for the operator if the port is in use. */
export async function requirePort(
  port: number,
  host: string,
  variable: 'FANFARE_PORT' | 'FANFARE_WORKER_PORT',
): Promise<void> {
  const error = await hold(port, host).then(release, (reason: NodeJS.ErrnoException) => reason);
  if (!error) return;
  throw new Error(
    error.code === 'EADDRINUSE'
      ? `Port ${port} on ${host} is in use. Set ${variable} to another port.`
      : `Fanfare cannot listen on port ${port} of ${host}: ${error.message}`,
  );
}

async function hold(port: number, host: string): Promise<Server> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, 'listening');
  return server;
}

async function release(server: Server): Promise<void> {
  await once(server.close(), 'close');
}
