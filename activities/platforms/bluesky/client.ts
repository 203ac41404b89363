// A project as a client of every Bluesky server: its client ID, its key, and the document that describes it.
import { isIP } from 'node:net';
import { createPrivateJwk, toPublicJwk } from '../oauth/key-pairs.ts';
import { PlatformError } from '../platform-error.ts';
import type { PublicClient } from '../platform.ts';

/** `transition:generic` allows what an app password allows. @see https://atproto.com/specs/oauth#authorization-scopes */
export const scopes = ['atproto', 'transition:generic'];

export const publicClient: PublicClient = {
  async create(projectId, callbackUrl) {
    const url = new URL(callbackUrl);
    if (isLoopbackIp(url)) return { clientId: toLoopbackId(callbackUrl), clientSecret: null };
    if (!isPublic(url)) throw notPublic();
    return { clientId: toClientId(projectId, callbackUrl), clientSecret: await createPrivateJwk() };
  },

  /** @see https://atproto.com/specs/oauth#client-id-metadata-document */
  describe({ clientId, clientSecret }, { productName, callbackUrl }) {
    if (clientSecret === null) return null;
    const key = { ...toPublicJwk(clientSecret), alg: 'ES256', use: 'sig' };
    return {
      client_id: clientId,
      client_name: productName,
      client_uri: new URL(callbackUrl).origin,
      application_type: 'web',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: [callbackUrl],
      scope: scopes.join(' '),
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      dpop_bound_access_tokens: true,
      jwks: { keys: [key] },
    };
  },
};

/** `…/connect/callback` → `…/connect/bluesky/<project>/client-metadata.json`. */
const toClientId = (projectId: string, callbackUrl: string) =>
  new URL(`bluesky/${projectId}/client-metadata.json`, callbackUrl).href;

/**
 * Client ID of an installation in development. Servers could not read a document of such an installation.
 * @see https://atproto.com/specs/oauth#localhost-client-development
 */
function toLoopbackId(callbackUrl: string): string {
  const query = new URLSearchParams({ redirect_uri: callbackUrl, scope: scopes.join(' ') });
  return `http://localhost?${query.toString()}`;
}

/** Servers refuse to send users to `localhost`: RFC 8252, section 8.3. */
const isLoopbackIp = ({ protocol, hostname }: URL) =>
  protocol === 'http:' && ['127.0.0.1', '[::1]'].includes(hostname);

/** What a client ID must be: https://atproto.com/specs/oauth#clients */
const isPublic = ({ protocol, hostname, port }: URL) =>
  protocol === 'https:' && port === '' && hostname.includes('.') && isIP(hostname) === 0;

function notPublic(): PlatformError {
  const message =
    "Bluesky's login page can't send you back here: the public URL of this service must be https with a domain and no port. Use an app password instead.";
  return new PlatformError('rejected', message, { platformCode: 'public_url_not_supported' });
}
