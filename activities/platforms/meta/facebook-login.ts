// The login at Facebook: its dialog, the exchange of its token, and what the user allowed.
// https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow
import { z } from 'zod';
import { urlEncoded } from '../multipart.ts';
import type { Ask } from '../network-api.ts';
import { createOAuth } from '../oauth/client.ts';
import { PlatformError } from '../platform-error.ts';
import type { Begun, ConsentRequest, Fetch, Flow } from '../platform.ts';
import { readCallback } from './development-mode.ts';
import { sharedErrors } from './errors.ts';
import { facebookLoginErrors } from './facebook-errors.ts';
import { createGraphApi, withOAuthErrors } from './graph.ts';

interface FacebookLoginSettings {
  fetch: Fetch;
  /** Title of the network that the accounts belong to. */
  network: string;
  apiUrl: string;
  /** Address of the dialog, without its path. */
  loginUrl: string;
  version: string;
  scopes: readonly string[];
  /** Configuration of the operator's app for Facebook Login for Business. It replaces the scopes. */
  configId?: string | undefined;
}

/** A user's login. */
export interface FacebookUser {
  /** What the user allowed. Null: Facebook doesn't say. */
  granted: string[] | null;
  /** Name of the project. Absent: the token was imported. */
  productName?: string;
  /** Calls the API as the user. */
  ask: Ask;
}

interface FacebookLogin {
  begin(request: ConsentRequest, signal?: AbortSignal): Promise<Begun>;
  complete<T>(
    query: Record<string, string>,
    request: ConsentRequest & { flow: Flow },
    use: (user: FacebookUser) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T>;
}

const Answer = z.object({ access_token: z.string().min(1) });

/** https://developers.facebook.com/docs/facebook-login/guides/permissions/request-revoke */
const Permissions = z.object({
  data: z.array(z.object({ permission: z.string(), status: z.string() })),
});

export function createFacebookLogin(settings: FacebookLoginSettings): FacebookLogin {
  const { fetch, network, apiUrl, loginUrl, version, scopes } = settings;
  const url = `${apiUrl}/${version}`;
  const errors = [...facebookLoginErrors, ...sharedErrors];
  const open = createGraphApi(fetch, { network, errors, url });
  const oauth = createOAuth(withOAuthErrors(fetch), {
    network,
    authorizationEndpoint: `${loginUrl}/${version}/dialog/oauth`,
    tokenEndpoint: `${url}/oauth/access_token`,
    clientAuth: 'post',
    scopes,
    hasPkce: false,
  });

  /** A configuration belongs to one app, so a project's own app never gets the operator's configuration. */
  const configIdOf = ({ app }: ConsentRequest) =>
    app?.settings ? app.settings['config_id'] : settings.configId;

  /** Gets a long-lived token of the user. A page's token that is read with a long-lived token doesn't expire. */
  async function exchange(token: string, { app }: ConsentRequest, signal: AbortSignal) {
    const { clientId = '', clientSecret } = app ?? {};
    const secret = clientSecret ?? '';
    const upload = urlEncoded({
      grant_type: 'fb_exchange_token',
      client_id: clientId,
      client_secret: secret,
      fb_exchange_token: token,
    });
    const ask = open({ client_secret: secret, short_token: token }, signal);
    return (await ask('/oauth/access_token', Answer, { upload })).body.access_token;
  }

  return {
    async begin(request, signal) {
      const begun = await oauth.begin(request, signal);
      const dialog = new URL(begun.url);
      const configId = configIdOf(request);
      if (configId === undefined) {
        // Without this option, Facebook doesn't ask again for the permissions that the user has declined.
        dialog.searchParams.set('auth_type', 'rerequest');
      } else {
        // https://developers.facebook.com/docs/facebook-login/facebook-login-for-business
        dialog.searchParams.delete('scope');
        dialog.searchParams.set('config_id', configId);
        dialog.searchParams.set('override_default_response_type', 'true');
      }
      return { ...begun, url: dialog.href };
    },

    complete: async (query, request, use, signal) =>
      oauth.complete(
        readCallback(query, request.productName),
        request,
        async ({ credentials: { access_token }, tokenExpiresAt }) => {
          // The token of a system user doesn't expire, and can't be exchanged.
          const token = tokenExpiresAt
            ? await exchange(access_token, request, signal)
            : access_token;
          const ask = open({ access_token: token }, signal);
          const { productName } = request;
          return use({ granted: await listGranted(ask), productName, ask });
        },
        signal,
      ),
  };
}

/** Null for the token of a system user, which has no list. */
async function listGranted(ask: Ask): Promise<string[] | null> {
  try {
    const { data } = (await ask('/me/permissions', Permissions)).body;
    return data.filter(({ status }) => status === 'granted').map(({ permission }) => permission);
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'rejected') return null;
    throw error;
  }
}
