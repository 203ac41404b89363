// Pinterest: pins on the boards of an account, through an app of the operator or the project.
import { z } from 'zod';
import type { PlatformSettings } from '../../../schema/platforms/index.ts';
import { pinterest } from '../../../schema/platforms/pinterest.ts';
import { createOAuth, createOAuthLogin } from '../oauth/client.ts';
import type { Credentials, Fetch, Platform } from '../platform.ts';
import { goneIf, isThere } from '../platform-error.ts';
import { createPinterestApi, invalidGrant, network, readOAuthError, unknownPin } from './api.ts';
import { createChoices } from './choices.ts';
import { editPin, isEdited, pathOf } from './edit-pin.ts';
import { findPin } from './find-pin.ts';
import { publish } from './pin.ts';
import { prepareVideo } from './video.ts';

/** https://developers.pinterest.com/docs/api/v5/user_account-get */
const Account = z.object({ id: z.string().regex(/^\d+$/), username: z.string().min(1) });

type Settings = Pick<PlatformSettings['pinterest'], 'apiUrl' | 'loginUrl'> & { fetch: Fetch };

export function createPinterest({ fetch, apiUrl, loginUrl }: Settings): Platform {
  const open = createPinterestApi(fetch, apiUrl);
  // https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/
  const oauth = createOAuth(fetch, {
    network,
    authorizationEndpoint: `${loginUrl}/oauth/`,
    tokenEndpoint: `${apiUrl}/v5/oauth/token`,
    revocationEndpoint: `${apiUrl}/v5/oauth/token/revoke`,
    endsTokensAlone: true,
    clientAuth: 'basic',
    scopes: pinterest.scopes,
    scopeSeparator: ',',
    // Pinterest documents no PKCE.
    hasPkce: false,
    // For apps that were created before September 25, 2025. Each refresh then gives another refresh token.
    codeParameters: { continuous_refresh: 'true' },
    needsRefreshToken: true,
    readError: readOAuthError,
    endsLogin: (code) => code === invalidGrant,
  });

  async function listAccounts(credentials: Credentials, signal: AbortSignal) {
    const { id, username } = (await open(credentials, signal)('/user_account', Account)).body;
    return [{ externalAccountId: id, accountName: username, problem: null }];
  }

  const { consent, inspect, ...login } = createOAuthLogin(oauth, listAccounts);
  return {
    definition: pinterest,

    connect: [consent],

    ...login,

    choices: createChoices(open),

    prepare(target, signal) {
      const ask = open(target.credentials, signal);
      return prepareVideo({ ask, fetch, apiUrl, signal }, target);
    },

    commit: (target, signal) => publish(open(target.credentials, signal), target),

    reconcile: (target, signal) => findPin(open(target.credentials, signal), target),

    /** Pinterest documents the call only for tokens of system users, so it may refuse. */
    revoke: (login, signal) => oauth.revoke(login, signal),

    unpublish: {
      /** https://developers.pinterest.com/docs/api/v5/pins-delete */
      async remove({ credentials, externalId }, signal) {
        const call = { kind: 'commit', method: 'DELETE' } as const;
        const asked = open(credentials, signal)(pathOf(externalId), z.unknown(), call);
        await asked.catch(goneIf(unknownPin));
      },

      /** https://developers.pinterest.com/docs/api/v5/pins-get */
      exists({ credentials, externalId }, signal) {
        const asked = open(credentials, signal)(pathOf(externalId), z.unknown());
        return isThere(asked.catch(goneIf(unknownPin)));
      },
    },

    edit: {
      apply: (post, signal) => editPin(open(post.credentials, signal), post),
      isApplied: (post, signal) => isEdited(open(post.credentials, signal), post),
    },

    checks: { inspect },
  };
}
