// TikTok: videos and photos of a creator, through an app of the operator or the project.
import { tiktok } from '../../../schema/platforms/tiktok.ts';
import { createOAuth, createOAuthLogin } from '../oauth/client.ts';
import type { Platform, Target } from '../platform.ts';
import { createTikTokApi, network, type TikTokSettings } from './api.ts';
import { describeCreator, listAccounts, readCreator, toChoices } from './creator.ts';
import { commit, confirm, prepare, publishIdOf, reconcile, type Caller } from './post.ts';
import { askModeration } from './status.ts';

export function createTikTok(settings: TikTokSettings): Platform {
  const { fetch, apiUrl, consentUrl, scopes } = settings;
  const open = createTikTokApi(fetch, settings);
  const oauth = createOAuth(fetch, {
    network,
    // https://developers.tiktok.com/doc/login-kit-web
    authorizationEndpoint: `${consentUrl}/`,
    // https://developers.tiktok.com/docs/en/oauth-user-access-token-management
    tokenEndpoint: `${apiUrl}/v2/oauth/token/`,
    revocationEndpoint: `${apiUrl}/v2/oauth/revoke/`,
    revokesAll: true,
    revokesByAccessToken: true,
    clientAuth: 'post',
    clientIdName: 'client_key',
    scopes,
    scopeSeparator: ',',
    // Only for apps on desktops and phones, and with another form of the challenge:
    // https://developers.tiktok.com/doc/login-kit-desktop
    hasPkce: false,
    needsRefreshToken: true,
    identify: ({ open_id, refresh_expires_in: livesS }) => ({
      ...(typeof open_id === 'string' && { open_id }),
      // Each refresh gives a new refresh token, which lives as long as TikTok says.
      ...(typeof livesS === 'number' && {
        refresh_expires_at: String(Date.now() + livesS * 1_000),
      }),
    }),
  });

  const { consent, inspect, ...login } = createOAuthLogin(oauth, (credentials, signal, scope) =>
    listAccounts(open(credentials, signal), scope),
  );
  const callerOf = ({ credentials }: Target, signal: AbortSignal): Caller => ({
    ask: open(credentials, signal),
    fetch,
    apiUrl,
    signal,
  });

  return {
    definition: tiktok,

    connect: [{ ...consent, button: 'tiktok' }],

    ...login,

    canRefresh: ({ refresh_token, refresh_expires_at }) =>
      refresh_token !== undefined && !(Number(refresh_expires_at) <= Date.now()),

    creator: ({ credentials, traits }, signal) =>
      describeCreator(open(credentials, signal), traits),

    choices: {
      async privacy_levels({ credentials }, _cursor, signal) {
        const creator = await readCreator(open(credentials, signal));
        return { choices: toChoices(creator), next: undefined };
      },
    },

    prepare: async (target, signal) => prepare(callerOf(target, signal), target),
    commit: async (target, signal) => commit(callerOf(target, signal), target),
    confirm: (target, signal) => confirm(open(target.credentials, signal), target),
    reconcile: (target, signal) => reconcile(open(target.credentials, signal), target),

    followUp: (post, signal) => askModeration(open(post.credentials, signal), post),

    eventIdOf: publishIdOf,

    revoke: (login, signal) => oauth.revoke(login, signal),
    // https://developers.tiktok.com/docs/en/oauth-revoke-a-user-access-token
    revokesAll: { userOf: ({ open_id }) => open_id },

    checks: {
      inspect,
      quota: async ({ credentials }, signal) => void (await readCreator(open(credentials, signal))),
    },
  };
}
