// Starts the bench's receiver in a process of its own and asks it what has come.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReceiverOptions, ReceiverReport } from './processes/receiver-process.ts';

export interface BenchReceiver extends AsyncDisposable {
  /** One for each port. */
  readonly urls: readonly string[];
  report(): Promise<ReceiverReport>;
}

/** Its end cuts what it has not answered. */
export async function startBenchReceiver(
  options: Partial<ReceiverOptions> = {},
): Promise<BenchReceiver> {
  const entry = fileURLToPath(new URL('processes/receiver-process.ts', import.meta.url));
  const all: ReceiverOptions = { ports: 1, hasArrivals: false, isHanging: false, ...options };
  const child = fork(entry, [JSON.stringify(all)], { stdio: 'inherit' });
  const [{ ports }] = (await once(child, 'message')) as [{ ports: number[] }];
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/`),
    async report() {
      const answer = once(child, 'message');
      child.send('report');
      return ((await answer) as [ReceiverReport])[0];
    },
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}
