// DPoP: each login at a consent page has a key, which signs the requests of the login. @see RFC 9449
import { LRUCache } from 'lru-cache';
import * as oauth from 'oauth4webapi';
import { openKeyPair } from '../oauth/key-pairs.ts';
import type { Fetch } from '../platform.ts';

export interface Dpop {
  /** A fetch that keeps the nonces of answers. */
  readonly fetch: Fetch;
  /** Signs the requests of token endpoints. */
  sign(privateJwk: string): Promise<oauth.DPoPHandle>;
  /** Returns the fetch of a login. */
  fetchAs(token: BoundToken): Fetch;
}

export interface BoundToken {
  accessToken: string;
  /** The key that the token is bound to. */
  privateJwk: string;
}

/** Every server has its own nonces, and rotates them. */
const maxServers = 1_000;
/**
 * After a server sends a new nonce, it accepts the previous one for a while. Bluesky's servers accept it for
 * at least a minute.
 */
const nonceMs = 60_000;

export function createDpop(fetch: Fetch): Dpop {
  const nonces = new LRUCache<string, string>({ max: maxServers, ttl: nonceMs });

  async function fetchNonce(url: string, init?: RequestInit): Promise<Response> {
    const response = await fetch(url, init);
    const nonce = response.headers.get('dpop-nonce');
    if (nonce) nonces.set(new URL(url).origin, nonce);
    return response;
  }

  async function sign(privateJwk: string): Promise<oauth.DPoPHandle> {
    return oauth.DPoP({}, await openKeyPair(privateJwk), {
      [oauth.modifyAssertion](_, proof) {
        const nonce = nonces.get(new URL(proof['htu'] as string).origin);
        if (nonce !== undefined) proof['nonce'] = nonce;
      },
    });
  }

  function fetchAs({ accessToken, privateJwk }: BoundToken): Fetch {
    return async (url, init = {}) => {
      const handle = await sign(privateJwk);
      const send = (to: string, { method = 'GET', headers, body, signal }: RequestInit) =>
        oauth
          .protectedResourceRequest(
            accessToken,
            method,
            new URL(to),
            new Headers(headers),
            body as oauth.ProtectedResourceRequestBody,
            {
              DPoP: handle,
              ...(signal && { signal }),
              // The guard decides which addresses may be reached.
              [oauth.allowInsecureRequests]: true,
              [oauth.customFetch]: (at, call) => fetchNonce(at, call as RequestInit),
            },
          )
          .catch((error: unknown) => {
            if (error instanceof oauth.WWWAuthenticateChallengeError) return error;
            throw error;
          });
      const { origin } = new URL(url);
      const isRepeatable = !(init.body instanceof ReadableStream);
      if (!isRepeatable && !nonces.has(origin)) {
        // This request only gets a nonce, which every answer contains.
        const first = { ...(init.signal && { signal: init.signal }) };
        const asked = await send(`${origin}/xrpc/com.atproto.server.getSession`, first);
        await responseOf(asked).body?.cancel();
      }
      let answer = await send(url, init);
      // The server answered only to name the nonce to use: RFC 9449, section 9.
      if (isRepeatable && oauth.isDPoPNonceError(answer)) answer = await send(url, init);
      return responseOf(answer);
    };
  }

  return { fetch: fetchNonce, sign, fetchAs };
}

const responseOf = (answer: Response | oauth.WWWAuthenticateChallengeError): Response =>
  answer instanceof Response ? answer : answer.response;
