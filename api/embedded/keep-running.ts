// Restarts a server that ends by itself, at most three times a minute.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from './server-process.ts';

const mostRestarts = 3;
const restartWindowMs = 60_000;

export interface KeptServer {
  /** The current process. A restart replaces it. */
  readonly process: ServerProcess;
  /** Called once, when the server has ended by itself and restarts have failed. */
  onExit(callback: (detail: string) => void): void;
  stop(): Promise<void>;
}

export async function keepRunning(options: {
  name: string;
  launch: () => Promise<ServerProcess>;
  restart: boolean;
  progress: (line: string) => void;
}): Promise<KeptServer> {
  const { name, progress } = options;
  const callbacks: ((detail: string) => void)[] = [];
  let restarts: number[] = [];
  let isStopping = false;
  let restarting = Promise.resolve();
  let server = await options.launch();

  function watch(): void {
    server.onEnd((detail) => {
      if (!isStopping) restarting = startAgain(detail);
    });
  }

  async function startAgain(detail: string): Promise<void> {
    let reason = detail;
    while (options.restart) {
      if (isStopping) return;
      restarts = restarts.filter((at) => at > Date.now() - restartWindowMs);
      if (restarts.length >= mostRestarts) break;
      restarts.push(Date.now());
      progress(`${name} ${reason}; restarting it.`);
      try {
        server = await options.launch();
        watch();
        return;
      } catch (error) {
        reason = `did not restart: ${(error as Error).message}`;
        await sleep(1000);
      }
    }
    if (isStopping) return;
    for (const callback of callbacks) callback(reason);
  }

  watch();
  return {
    get process() {
      return server;
    },
    onExit: (callback) => void callbacks.push(callback),
    async stop() {
      isStopping = true;
      await restarting;
      await server.stop();
    },
  };
}
