// Logs in at the user's own server: registers Fanfare there, and asks for consent on the server's page.
import { z } from 'zod';
import { serverOrigin } from '../credential-fields.ts';
import { createOAuth, type OAuth } from '../oauth/client.ts';
import type { Tokens } from '../oauth/request.ts';
import type { OpenApi } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type { AppRegistration, ConsentMethod, Fetch, Platform } from '../platform.ts';
import { lacksPermissions, wrongCredential } from '../wrong-credential.ts';
import { asWrongServer, connectAccount, findMissingScopes } from './connect.ts';

/** @see https://docs.joinmastodon.org/api/oauth-scopes/#granular */
const scopes = ['read:accounts', 'read:statuses', 'write:statuses', 'write:media'];

const ConsentInput = z
  .strictObject({ server: serverOrigin('mastodon.social') })
  .meta({ description: 'You log in at your server, and allow the access there.' });

/** Visible ASCII only: RFC 6749, appendix A. */
const clientWord = z.string().regex(/^[\x21-\x7e]{1,500}$/);

/** @see https://docs.joinmastodon.org/entities/Application/#CredentialApplication */
const CredentialApplication = z.object({ client_id: clientWord, client_secret: clientWord });

/** Each server has its own endpoints. */
type OAuthAt = (server: string) => OAuth;

/** `open`: opens an API with credentials. Without a token, it opens the server's public API. */
export function createConsent(fetch: Fetch, open: OpenApi) {
  /** @see https://docs.joinmastodon.org/methods/oauth/ */
  const oauthAt: OAuthAt = (server) =>
    createOAuth(fetch, {
      network: 'Mastodon',
      authorizationEndpoint: `${server}/oauth/authorize`,
      tokenEndpoint: `${server}/oauth/token`,
      revocationEndpoint: `${server}/oauth/revoke`,
      clientAuth: 'post',
      scopes,
    });
  const method: ConsentMethod = {
    kind: 'consent',
    inputs: ConsentInput,
    registration: registrationAt(open, oauthAt),

    begin: (request) => oauthAt(request.inputs['server']!).begin(request),

    async complete(query, request, signal) {
      const server = request.inputs['server']!;
      const login = await oauthAt(server).complete(query, request, requireScopes, signal);
      // If the account can't be read, the login isn't revoked, because its token may belong to a connected
      // account.
      const { access_token } = login.credentials;
      const credentials = { server, access_token };
      const grant = await connectAccount(open(credentials, signal), credentials, login.scope);
      return { ...grant, tokenExpiresAt: login.tokenExpiresAt };
    },
  };
  /** Only the app that made a login can revoke it. A pasted token was made by the user's own application. */
  const revoke: NonNullable<Platform['revoke']> = async (login, signal) => {
    if (login.app) await oauthAt(login.credentials['server']!).revoke(login, signal);
  };
  return { method, revoke };
}

/**
 * If this throws, the login is revoked. A login with fewer scopes has its own token, so no account loses its
 * token.
 */
async function requireScopes(login: Tokens): Promise<Tokens> {
  const missing = findMissingScopes(login.scope);
  if (missing.length > 0) throw lacksPermissions(missing);
  return login;
}

function registrationAt(open: OpenApi, oauthAt: OAuthAt): AppRegistration {
  return {
    serverOf: ({ server }) => server!,

    /** @see https://docs.joinmastodon.org/methods/apps/#create */
    async register(server, { callbackUrl, productName }, signal) {
      const json = {
        client_name: productName,
        redirect_uris: callbackUrl,
        scopes: scopes.join(' '),
        website: new URL(callbackUrl).origin,
      };
      const ask = open({ server }, signal);
      const asked = ask('/api/v1/apps', CredentialApplication, { json });
      const { body } = await asked.catch(asRegistrationError(hostOf(server)));
      return { clientId: body.client_id, clientSecret: body.client_secret };
    },

    /**
     * A server may have forgotten the app, because servers before 4.3 delete apps without logins, and any
     * server may lose its database.
     */
    isKnown: (server, app, signal) =>
      oauthAt(server)
        .isKnown(app, signal)
        .catch(asWrongServer(hostOf(server))),
  };
}

/** A Mastodon server says in its own words why it registers no app. */
const asRegistrationError = (host: string) => (error: unknown) => {
  const { status, message } = (error instanceof PlatformError && error.options.providerError) || {};
  if (status !== 422 || typeof message !== 'string') return asWrongServer(host)(error);
  const words = `${host} refused to register an app: ${message}`;
  throw wrongCredential('server', words, 'registration_refused');
};

const hostOf = (server: string) => new URL(server).host;
