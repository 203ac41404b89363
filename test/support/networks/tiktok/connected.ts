// A simulated TikTok behind a port, and an account of it that is connected.
import { createTikTok } from '../../../../activities/platforms/tiktok/index.ts';
import type { FollowedPost, Login, Target } from '../../../../activities/platforms/platform.ts';
import { createClient } from '../../receivers/loopback.ts';
import { giveConsent, toConnection } from '../connection.ts';
import { createSwitchboard } from '../faults.ts';
import { startFaultyServer } from '../faulty-server.ts';
import { phasesOf, targetOf } from '../target.ts';
import { createTikTokServer } from './server.ts';
import { consentOfTest } from './subject.ts';

const never = new AbortController().signal;

export async function startTikTok(
  change: (network: ReturnType<typeof createTikTokServer>) => void = () => undefined,
) {
  const network = createTikTokServer();
  change(network);
  const { url, close } = await startFaultyServer(network, createSwitchboard());
  network.origin = url;
  const tiktok = createTikTok({
    ...createClient(),
    apiUrl: url,
    consentUrl: `${url}/v2/auth/authorize`,
    scopes: ['user.info.basic', 'video.publish', 'video.upload'],
  });
  const { client } = network.login;
  const app = { id: 'app_1', clientId: client.id, clientSecret: client.secret };
  const grant = await giveConsent(tiktok, app, never);
  const connection = toConnection(grant);
  const login: Login = { credentials: grant.credentials, app };
  network.calls.length = 0;
  return {
    network,
    tiktok,
    url,
    app,
    grant,
    login,
    connection,
    /** A post that everyone sees, with the given changes. */
    target: (change: Partial<Target> = {}) =>
      targetOf(connection, {
        ...change,
        platformOptions: {
          privacy_level: 'PUBLIC_TO_EVERYONE',
          consent: consentOfTest,
          ...change.platformOptions,
        },
      }),
    /** A draft for the inbox. */
    draft: (change: Partial<Target> = {}) =>
      targetOf(connection, {
        ...change,
        platformOptions: { mode: 'inbox', ...change.platformOptions },
      }),
    ...phasesOf(tiktok),
    confirm: (target: Target) => tiktok.confirm!(target, never),
    followUp: (post: FollowedPost) => tiktok.followUp!(post, never),
    [Symbol.asyncDispose]: close,
  };
}
