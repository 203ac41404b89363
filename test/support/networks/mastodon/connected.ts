// A simulated Mastodon server behind a port, and an account of it that is connected.
import { onTestFinished } from 'vitest';
import { createMastodon } from '../../../../activities/platforms/mastodon/index.ts';
import type { Target } from '../../../../activities/platforms/platform.ts';
import { createClient } from '../../receivers/loopback.ts';
import { formOf } from '../connection.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { createMastodonServer, type MastodonTraits } from './server.ts';
import { prepareTarget, targetOf as createTarget } from '../target.ts';

const never = new AbortController().signal;

export async function startMastodon(traits?: MastodonTraits) {
  const network = createMastodonServer(traits);
  const { url, close } = await startFaultyServer(network, createSwitchboard());
  onTestFinished(close);
  return { network, credentials: { server: url, access_token: network.token } };
}

export function connect(credentials: Record<string, string>, client = createClient()) {
  const form = formOf(createMastodon(client));
  return form.run(form.credentials.parse(credentials), never);
}

export async function connectNew(traits?: MastodonTraits) {
  const { network, credentials } = await startMastodon(traits);
  const connection = await connect(credentials);
  const mastodon = createMastodon(createClient());
  const { commit, reconcile } = mastodon;
  const targetOf = (change?: Partial<Target>) => createTarget(connection, change);
  network.calls.length = 0;
  return {
    network,
    connection,
    mastodon,
    targetOf,
    prepare: (target: Target) => prepareTarget(mastodon, target, never),
    commit: (target: Target) => commit(target, never),
    reconcile: (target: Target) => reconcile!(target, never),
  };
}
