// Starts the worker of empty workflows in a process of its own, and has it run some.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { EmptyRun } from './processes/empty-worker-process.ts';
import type { Installation } from './installation.ts';

/** The connection has to wake up, too. */
const warmUp = 100;

export interface EmptyWorkflows extends AsyncDisposable {
  /** Of the worker's process. */
  readonly pid: number;
  /** Returns workflows per second. */
  run(asked: EmptyRun): Promise<number>;
}

/** `isStopped`: whether the worker stands still between the runs. */
export async function startEmptyWorkflows(
  { env }: Installation,
  { isStopped = true } = {},
): Promise<EmptyWorkflows> {
  const entry = fileURLToPath(new URL('processes/empty-worker-process.ts', import.meta.url));
  const child = fork(entry, [env['TEMPORAL_ADDRESS']!], { stdio: 'inherit' });
  const run = async (asked: EmptyRun) => {
    const answer = once(child, 'message');
    child.send(asked);
    const [seconds] = (await answer) as [number];
    return asked.workflows / seconds;
  };
  await once(child, 'message');
  // While it is idle its polls would take a tenth of a core from what is measured besides it.
  if (isStopped) child.kill('SIGSTOP');
  return {
    pid: child.pid!,
    async run(asked) {
      child.kill('SIGCONT');
      await run({ workflows: warmUp, activities: asked.activities });
      const rate = await run(asked);
      if (isStopped) child.kill('SIGSTOP');
      return rate;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT');
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}
