// The connector of Threads, connected to the simulator over HTTP.
import type { ConsentMethod, Target } from '../../../../activities/platforms/platform.ts';
import { createThreads } from '../../../../activities/platforms/threads/index.ts';
import { readConfig } from '../../../../schema/config/config.ts';
import { appOf, callbackUrl, loginOf, toConnection } from '../connection.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { phasesOf, targetOf } from '../target.ts';
import { ThreadsServer } from './server.ts';

/** `url`: URL of the simulator. The simulator fetches media from the app of the test. */
export const threadsVariables = (url: string) => ({
  FANFARE_THREADS_API_URL: url,
  FANFARE_THREADS_CONSENT_URL: `${url}/oauth/authorize`,
  FANFARE_MEDIA_PUBLIC_URL: '',
});

export async function startThreads() {
  const server = new ThreadsServer();
  const { logins } = server;
  logins.redirectUri = callbackUrl;
  const { url, close } = await startFaultyServer(server, createSwitchboard());
  const { threads: settings } = readConfig(threadsVariables(url)).platforms;
  const threads = createThreads({ ...settings, fetch });
  const login = loginOf(threads.connect[0] as ConsentMethod, appOf(logins.client));
  const grant = await login.logIn();
  const connection = toConnection(grant);
  server.calls.length = 0;
  return {
    server,
    url,
    threads,
    ...login,
    grant,
    connection,
    target: (change?: Partial<Target>) => targetOf(connection, change),
    ...phasesOf(threads),
    [Symbol.asyncDispose]: close,
  };
}
