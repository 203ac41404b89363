// Proxies in a process of their own, so that a busy run slows no connection of the installation.
import { fork } from 'node:child_process';
import { once, type EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A server on loopback. It emits `restart` once it serves again, maybe on another port. */
export interface ProxiedServer {
  readonly port: number;
  readonly restarts: EventEmitter;
}

/** As `Proxy`, but each order resolves once it is carried out. */
export interface DistantProxy {
  readonly port: number;
  /** As `host:port`. */
  readonly address: string;
  /** The same URL through the proxy. */
  urlOf(url: string): string;
  silence(): Promise<void>;
  restore(): Promise<void>;
}

/** Disposing ends the process, and with it every connection. */
export interface Proxies extends AsyncDisposable {
  /** In the order of the servers. */
  readonly all: readonly DistantProxy[];
}

/** What the process is asked to do with its proxy of that index. */
export interface Order {
  id: number;
  index: number;
  change: 'silence' | 'restore' | { targetPort: number };
}

const program = fileURLToPath(new URL('proxy-process.ts', import.meta.url));

export async function startProxies(servers: readonly ProxiedServer[]): Promise<Proxies> {
  const child = fork(program, [JSON.stringify(servers.map(({ port }) => port))]);
  const exit = once(child, 'exit');
  const waiting = new Map<number, PromiseWithResolvers<void>>();
  let count = 0;

  async function ask(index: number, change: Order['change']): Promise<void> {
    if (!child.connected) throw new Error('The proxies have ended.');
    const id = count++;
    const answer = Promise.withResolvers<void>();
    waiting.set(id, answer);
    child.send({ id, index, change } satisfies Order);
    await answer.promise;
  }

  const ended = exit.then(([code]) => Promise.reject(new Error(`The proxies ended: ${code}.`)));
  const [ports] = (await Promise.race([once(child, 'message'), ended])) as [number[]];
  ended.catch((error: unknown) => waiting.forEach(({ reject }) => reject(error)));
  child.on('message', (id: number) => {
    waiting.get(id)?.resolve();
    waiting.delete(id);
  });
  const all = ports.map((port, index): DistantProxy => ({
    port,
    address: `127.0.0.1:${port}`,
    urlOf(url) {
      const proxied = new URL(url);
      proxied.port = String(port);
      return proxied.href;
    },
    silence: () => ask(index, 'silence'),
    restore: () => ask(index, 'restore'),
  }));
  servers.forEach((server, index) =>
    // Proxies that have ended need no address.
    server.restarts.on('restart', () => {
      ask(index, { targetPort: server.port }).catch(() => undefined);
    }),
  );
  return {
    all,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
