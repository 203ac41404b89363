// Starts a server of the bench in a process of its own. It reports its port, and ends when it is disconnected.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ServerProcess extends AsyncDisposable {
  /** Without a path. */
  readonly url: string;
}

/** `name`: of the file in `processes`. */
export async function startServerProcess(name: string, argument = ''): Promise<ServerProcess> {
  const entry = fileURLToPath(new URL(`processes/${name}.ts`, import.meta.url));
  const child = fork(entry, [argument], { stdio: 'inherit' });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}
