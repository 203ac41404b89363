// Starts a simulated network of Meta for the contract test. An account connects by consent, with an app.
import { giveConsent } from '../../app/consent.ts';
import type { NetworkServer, RunningNetwork } from '../contract/subject.ts';
import { startFaultyServer } from '../faulty-server.ts';
import type { Switchboard } from '../faults.ts';
import type { ConsentPage } from './consent.ts';

interface MetaServer extends NetworkServer {
  readonly logins: ConsentPage & { countRefreshes?(): number };
  listPosts: RunningNetwork['listPosts'];
}

/**
 * `envOf`: returns the settings for the simulator at this URL. `app`: prefix of the variables with the
 * client.
 */
export async function startMeta(
  network: MetaServer,
  switchboard: Switchboard,
  app: string,
  envOf: (url: string) => Record<string, string>,
): Promise<RunningNetwork> {
  const { logins } = network;
  const { id: clientId, secret: clientSecret } = logins.client;
  const { url, close } = await startFaultyServer(network, switchboard);
  return {
    env: {
      ...envOf(url),
      [`${app}_CLIENT_ID`]: clientId,
      [`${app}_CLIENT_SECRET`]: clientSecret,
    },
    credentials: {},
    consent: async (address, decision = 'allow') =>
      void (await giveConsent(address, { inputs: {}, decision: { decision } })),
    wrongCredentials: [],
    app: { clientId, clientSecret },
    listPosts: () => network.listPosts(),
    listSecrets: () => logins.listSecrets(),
    ...(logins.countRefreshes && { countRefreshes: () => logins.countRefreshes!() }),
    [Symbol.asyncDispose]: close,
  };
}
