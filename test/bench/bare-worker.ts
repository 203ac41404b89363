// Starts the bare worker in a process of its own, at an installation's Temporal.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Installation } from './installation.ts';

export async function startBareWorker({
  env,
}: Installation): Promise<AsyncDisposable & { pid: number }> {
  const entry = fileURLToPath(new URL('processes/bare-worker-process.ts', import.meta.url));
  const child = fork(entry, [env['TEMPORAL_ADDRESS']!], { stdio: 'inherit' });
  await once(child, 'message');
  return {
    pid: child.pid!,
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}
