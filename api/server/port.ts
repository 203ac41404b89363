// The ports of the API and of the worker's probes, looked at before anything else starts.
import { createServer, type AddressInfo } from 'node:net';

export async function freePort(host: string): Promise<number> {
  return listenOnce(0, host);
}

type PortVariable = 'FANFARE_PORT' | 'FANFARE_WORKER_PORT';

/** Refuses in the operator's terms; 0 is any free one. */
export async function requirePort(
  port: number,
  host: string,
  variable: PortVariable = 'FANFARE_PORT',
): Promise<void> {
  const fault = await listenOnce(port, host).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  if (!fault) return;
  throw new Error(
    fault.code === 'EADDRINUSE'
      ? `Port ${port} on ${host} is in use. Set ${variable} to another one.`
      : `Fanfare cannot listen on port ${port} of ${host}: ${fault.message}`,
  );
}

async function listenOnce(port: number, host: string): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject).listen(port, host, resolve);
  });
  const { port: actual } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return actual;
}
