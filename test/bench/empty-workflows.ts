// Starts the worker of empty workflows in a process of its own, and has it run some.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { EmptyRun } from './empty-worker-process.ts';
import type { Installation } from './installation.ts';

export interface EmptyWorkflows extends AsyncDisposable {
  /** Returns workflows per second. */
  run(asked: EmptyRun): Promise<number>;
}

export async function startEmptyWorkflows({ env }: Installation): Promise<EmptyWorkflows> {
  const entry = fileURLToPath(new URL('empty-worker-process.ts', import.meta.url));
  const child = fork(entry, [env['TEMPORAL_ADDRESS']!], { stdio: 'inherit' });
  await once(child, 'message');
  return {
    async run(asked) {
      const answer = once(child, 'message');
      child.send(asked);
      const [seconds] = (await answer) as [number];
      return asked.workflows / seconds;
    },
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}
