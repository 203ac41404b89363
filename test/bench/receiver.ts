// Starts the bench's receiver in a process of its own and asks it what has come.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ReceiverReport } from './receiver-process.ts';

export interface BenchReceiver extends AsyncDisposable {
  readonly url: string;
  report(): Promise<ReceiverReport>;
}

export async function startBenchReceiver(
  options: { hasArrivals?: boolean } = {},
): Promise<BenchReceiver> {
  const entry = fileURLToPath(new URL('receiver-process.ts', import.meta.url));
  const child = fork(entry, options.hasArrivals ? ['arrivals'] : [], { stdio: 'inherit' });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    url: `http://127.0.0.1:${port}/`,
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
