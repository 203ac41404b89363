// A simulated X behind a port, and an account of it that is connected.
import { createTwitter } from '../../../../activities/platforms/twitter/index.ts';
import type { Login, Target } from '../../../../activities/platforms/platform.ts';
import { createClient } from '../../receivers/loopback.ts';
import { giveConsent, toConnection } from '../connection.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { prepareTarget, targetOf } from '../target.ts';
import { createTwitterServer } from './server.ts';

const never = new AbortController().signal;

interface Changes {
  reconcile?: 'read' | 'none';
  subscription?: string;
}

export async function startTwitter({ reconcile = 'read', subscription = 'None' }: Changes = {}) {
  const network = createTwitterServer();
  network.account.subscription_type = subscription;
  const { url, close } = await startFaultyServer(network, createSwitchboard());
  const settings = { apiUrl: url, consentUrl: `${url}/i/oauth2/authorize`, reconcile };
  const twitter = createTwitter({ ...createClient(), ...settings });
  const { client } = network.login;
  const app = { id: 'app_1', clientId: client.id, clientSecret: client.secret };
  const logIn = () => giveConsent(twitter, app, never);
  const grant = await logIn();
  const connection = toConnection(grant);
  const login: Login = { credentials: grant.credentials, app };
  network.calls.length = 0;
  network.requests.length = 0;
  return {
    network,
    twitter,
    app,
    logIn,
    grant,
    login,
    connection,
    target: (change?: Partial<Target>) => targetOf(connection, change),
    prepare: async (target: Target): Promise<Target> => ({
      ...target,
      state: await prepareTarget(twitter, target, never),
    }),
    commit: (target: Target) => twitter.commit(target, never),
    reconcile: (target: Target) => twitter.reconcile!(target, never),
    [Symbol.asyncDispose]: close,
  };
}
