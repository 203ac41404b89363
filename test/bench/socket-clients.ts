// Starts the bench's GraphQL sockets in a process of their own and asks them what has come.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type {
  SocketClientsOptions,
  SocketClientsReport,
  WaitForMessages,
} from './processes/socket-clients-process.ts';

export interface SocketClients extends AsyncDisposable {
  /** Once every socket has got that many messages since it was opened: what came since the last call. */
  waitFor(count: number): Promise<SocketClientsReport>;
}

/** Resolves when all are open and have asked to subscribe. */
export async function openSocketClients(options: SocketClientsOptions): Promise<SocketClients> {
  const entry = fileURLToPath(new URL('processes/socket-clients-process.ts', import.meta.url));
  const child = fork(entry, [JSON.stringify(options)], {
    stdio: 'inherit',
    serialization: 'advanced',
  });
  const exit = once(child, 'exit');
  const answer = async <T>() => {
    const ended = exit.then(() => Promise.reject(new Error('The clients have ended.')));
    return (await Promise.race([once(child, 'message'), ended]))[0] as T;
  };
  await answer();
  return {
    async waitFor(count) {
      child.send({ count } satisfies WaitForMessages);
      return answer<SocketClientsReport>();
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await exit;
    },
  };
}
