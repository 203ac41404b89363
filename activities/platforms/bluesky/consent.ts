// Logins at the page of an account's own server: OAuth with a pushed request, PKCE and DPoP.
import { INVALID_HANDLE, isValidDid, isValidHandle } from '@atproto/syntax';
import { z } from 'zod';
import { createPrivateJwk } from '../oauth/key-pairs.ts';
import { createOAuth, type OAuth } from '../oauth/client.ts';
import type { OAuthNetwork, Tokens } from '../oauth/request.ts';
import { PlatformError } from '../platform-error.ts';
import { lacksPermissions } from '../wrong-credential.ts';
import type {
  ConsentMethod,
  Credentials,
  Fetch,
  Grant,
  Login,
  RefreshedCredentials,
} from '../platform.ts';
import { findIssuer, getServerMetadata } from './authorization-server.ts';
import { publicClient, scopes } from './client.ts';
import type { Dpop } from './dpop.ts';
import type { Identify, Identity } from './identity.ts';
import type { ReadTraits } from './server-traits.ts';
import { findAgain, mismatch, readCredentials } from './session.ts';

export interface ConsentSettings {
  fetch: Fetch;
  dpop: Dpop;
  identify: Identify;
  /** The operator's entryway, which may use `http:`. */
  entryway: string;
  readTraits: ReadTraits;
}

export interface Consent {
  readonly method: ConsentMethod;
  refresh(login: Login, signal: AbortSignal): Promise<RefreshedCredentials>;
  revoke(login: Login, signal: AbortSignal): Promise<void>;
}

/** Whether a login was made by a consent, not with an app password. */
export const isConsented = ({ dpop_jwk }: Credentials): boolean => dpop_jwk !== undefined;

/** @see https://atproto.com/specs/oauth#summary-of-authorization-flow */
export function createConsent({
  fetch,
  dpop,
  identify,
  entryway,
  readTraits,
}: ConsentSettings): Consent {
  /** The OAuth of one login at its server. `isNew`: the login isn't stored yet. */
  async function open(
    { issuer = '', dpop_jwk = '' }: Credentials,
    { isNew, parameters = {} }: { isNew: boolean; parameters?: Record<string, string> },
    signal: AbortSignal,
  ): Promise<OAuth> {
    const server = await getServerMetadata(fetch, issuer, signal);
    if (!server) throw noOAuth(issuer, isNew);
    return createOAuth(dpop.fetch, {
      network: 'Bluesky',
      issuer,
      authorizationEndpoint: server.authorization_endpoint,
      pushedRequestEndpoint: server.pushed_authorization_request_endpoint,
      tokenEndpoint: server.token_endpoint,
      revocationEndpoint: server.revocation_endpoint,
      clientAuth: 'private_key_jwt',
      dpop: await dpop.sign(dpop_jwk),
      scopes,
      parameters,
      identify: readSubject,
      needsRefreshToken: true,
    });
  }

  /** A server that the user names is either a PDS or an authorization server. */
  async function findServer(handle: string, signal: AbortSignal) {
    if (URL.canParse(handle)) {
      return { issuer: (await findIssuer(fetch, handle, signal)) ?? handle, parameters: {} };
    }
    const { did, pds } = await identify(handle, signal);
    const issuer = await findIssuer(fetch, pds, signal);
    if (issuer === null) throw noOAuth(pds, true);
    return { issuer, did, parameters: { login_hint: handle } };
  }

  /** An account can log in only at the authorization server that its own PDS names. */
  async function checkIssuer(
    { did, pds }: Pick<Identity, 'did' | 'pds'>,
    { issuer, isNew }: { issuer: string; isNew: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const named = await findIssuer(fetch, pds, signal);
    if (named === null) throw noOAuth(pds, isNew);
    if (named !== issuer) {
      throw mismatch('handle', `The PDS of ${did} doesn't use the login server ${issuer}.`);
    }
  }

  return {
    method: {
      kind: 'consent',
      inputs: consentInput(entryway),
      publicClient,

      async begin(request, signal) {
        const { issuer, did, parameters } = await findServer(request.inputs['handle']!, signal);
        const login = { issuer, dpop_jwk: await createPrivateJwk() };
        const oauth = await open(login, { isNew: true, parameters }, signal);
        const { url, flow } = await oauth.begin(request, signal);
        return { url, flow: { ...flow, ...login, ...(did !== undefined && { did }) } };
      },

      async complete(query, request, signal) {
        const { issuer = '', dpop_jwk = '', did } = request.flow;
        const oauth = await open(request.flow, { isNew: true }, signal);
        const toGrant = async ({ credentials, ...login }: Tokens): Promise<Grant> => {
          const sub = credentials['did']!;
          if (did !== undefined && sub !== did) {
            throw mismatch('handle', `${issuer} logged in to another account than ${did}.`);
          }
          const identity = await identify(sub, signal);
          await checkIssuer(identity, { issuer, isNew: true }, signal);
          const handle = identity.handle ?? INVALID_HANDLE;
          const traits = await readTraits(identity.pds, signal);
          return {
            ...login,
            credentials: { service: identity.pds, handle, issuer, dpop_jwk, ...credentials },
            accounts: [
              {
                externalAccountId: sub,
                accountName: handle,
                ...(traits && { traits }),
                problem: null,
              },
            ],
          };
        };
        return oauth.complete(query, request, toGrant, signal);
      },
    },

    /** The login moves with its account if the new PDS has the same authorization server. */
    async refresh({ credentials, app }, signal) {
      const stored = readCredentials(credentials);
      const { issuer = '' } = credentials;
      const { service, handle } = await findAgain(identify, stored, signal);
      if (service !== stored.service) {
        await checkIssuer({ did: stored.did, pds: service }, { issuer, isNew: false }, signal);
      }
      // Before the refresh, so that no time passes before its new tokens are stored.
      const traits = await readTraits(service, signal);
      const oauth = await open(credentials, { isNew: false }, signal);
      const fresh = await oauth.refresh({ credentials, app }, signal).catch(throwEnded);
      if (fresh.credentials['did'] !== stored.did) {
        throw mismatch('handle', `${issuer} answered for another account than ${stored.did}.`);
      }
      return {
        accountName: handle,
        credentials: { ...credentials, service, handle, ...fresh.credentials },
        tokenExpiresAt: fresh.tokenExpiresAt,
        ...(traits && { traits }),
      };
    },

    async revoke(login, signal) {
      const oauth = await open(login.credentials, { isNew: false }, signal);
      await oauth.revoke(login, signal);
    },
  };
}

/** Doesn't end a stored login, because its server may be misconfigured only for a while. */
function noOAuth(server: string, isNew: boolean): PlatformError {
  const message = `${new URL(server).host} offers no login with OAuth.`;
  if (!isNew) return new PlatformError('unavailable', message);
  const options = { platformCode: 'oauth_not_supported', field: 'handle' };
  return new PlatformError('rejected', `${message} Use an app password instead.`, options);
}

/** A refused refresh ends the login, as with an app password. */
function throwEnded(error: unknown): never {
  if (!(error instanceof PlatformError) || error.kind !== 'reauthorize') throw error;
  throw new PlatformError('reauthorize', error.message, { ...error.options, isRevoked: true });
}

/** Throws unless the tokens are bound to our key and have all scopes that were requested. */
const readSubject: NonNullable<OAuthNetwork['identify']> = ({ sub, scope = '', token_type }) => {
  const granted = scope.split(' ');
  const missing = scopes.filter((needed) => !granted.includes(needed));
  if (missing.length > 0) throw lacksPermissions(missing);
  if (token_type === 'dpop' && typeof sub === 'string' && isValidDid(sub)) return { did: sub };
  throw new PlatformError('rejected', "Bluesky answered with a login that can't be used.");
};

function consentInput(entryway: string): z.ZodType<Record<string, string>> {
  const schema = z.strictObject({
    handle: z
      .string()
      .trim()
      .transform((given) => toServer(given) ?? given.replace(/^@/, '').toLowerCase())
      .refine(
        (given) =>
          isValidHandle(given) ||
          isValidDid(given) ||
          given.startsWith('https://') ||
          given === entryway,
        'must be a full handle, a DID, or a server that begins with https://',
      )
      .meta({
        title: 'Handle or server',
        description: `Such as \`ada.bsky.social\`, or \`${entryway}\` if you don't know your handle.`,
      }),
  });
  return schema.meta({
    description: 'You log in at the server of your account, and allow posts there.',
  });
}

/** The origin of a URL. */
function toServer(given: string): string | undefined {
  return /^https?:\/\//i.test(given) ? URL.parse(given)?.origin : undefined;
}
