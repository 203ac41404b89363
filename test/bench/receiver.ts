// Starts the bench's receiver in a process of its own and asks it what has come.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type {
  ReceiverOptions,
  ReceiverQuestion,
  ReceiverReport,
} from './processes/receiver-process.ts';

export interface BenchReceiver extends AsyncDisposable {
  /** One for each port. */
  readonly urls: readonly string[];
  /** What has come by now. */
  report(): Promise<ReceiverReport>;
  /** What has come once so many requests have. Throws if they have not after the time. */
  waitFor(count: number, timeoutMs: number): Promise<ReceiverReport>;
}

/** Its end cuts what it has not answered. */
export async function startBenchReceiver(
  options: Partial<ReceiverOptions> = {},
): Promise<BenchReceiver> {
  const entry = fileURLToPath(new URL('processes/receiver-process.ts', import.meta.url));
  const all: ReceiverOptions = { ports: 1, hasArrivals: false, isHanging: false, ...options };
  const child = fork(entry, [JSON.stringify(all)], { stdio: 'inherit' });
  const [{ ports }] = (await once(child, 'message')) as [{ ports: number[] }];
  async function ask(count: number, signal?: AbortSignal): Promise<ReceiverReport> {
    const answer = once(child, 'message', { signal });
    child.send({ count } satisfies ReceiverQuestion);
    return ((await answer) as [ReceiverReport])[0];
  }
  return {
    urls: ports.map((port) => `http://127.0.0.1:${port}/`),
    report: () => ask(0),
    waitFor: (count, timeoutMs) =>
      ask(count, AbortSignal.timeout(timeoutMs)).catch((cause: unknown) => {
        throw new Error(`No ${count} requests came within ${timeoutMs} ms.`, { cause });
      }),
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}
