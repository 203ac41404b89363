// The XRPC API of PDSs, and their refusals.
import { z } from 'zod';
import type { NetworkAnswer } from '../json-client.ts';
import { createApi, type OpenApi } from '../network-api.ts';
import type { Credentials, Fetch } from '../platform.ts';
import type { Explanation, Meaning } from '../refusal.ts';
import type { Dpop } from './dpop.ts';

/**
 * Calls with the token of a login, with `refreshJwt`, with the `app_password` of a login, or without
 * credentials.
 */
export function createXrpc(fetch: Fetch, dpop: Dpop): OpenApi {
  return (credentials, signal) => {
    const { access_token: accessToken, dpop_jwk: privateJwk } = credentials;
    const isBound = accessToken !== undefined && privateJwk !== undefined;
    const login = isBound ? dpop.fetchAs({ accessToken, privateJwk }) : fetch;
    return createApi(login, { network: 'Bluesky', open, readRefusal })(credentials, signal);
  };
}

function open(credentials: Credentials) {
  const { service, accessJwt, refreshJwt, app_password = '', access_token = '' } = credentials;
  const token = accessJwt ?? refreshJwt ?? '';
  const headers = token ? { authorization: `Bearer ${token}` } : undefined;
  return { url: `${service}/xrpc/`, headers, secrets: [token, app_password, access_token] };
}

const Refused = z.object({
  error: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

const revokedCodes = new Set([
  'InvalidToken',
  'AccountTakedown',
  'AccountSuspended',
  'AccountDeactivated',
  'AccountNotFound',
]);

/**
 * A PDS limits accounts and IP addresses, and doesn't say which limit was reached. We apply a limit to the
 * account, since other accounts may be at another PDS.
 * @see https://docs.bsky.app/docs/advanced-guides/rate-limits
 */
function readRefusal({ status, body }: NetworkAnswer, credentials: Credentials): Explanation {
  const { error, message } = Refused.safeParse(body).data ?? {};
  const isClientError = status >= 400 && status < 500 && status !== 408 && status !== 429;
  return {
    code: hideTokens(error),
    message: hideTokens(message),
    meaning: isClientError ? meaningOf(error, message, credentials) : undefined,
  };
}

function meaningOf(
  code: string | undefined,
  message: string | undefined,
  { app_password, refreshJwt, access_token }: Credentials,
): Meaning | undefined {
  if (app_password !== undefined) return 'rejected';
  // The nonce ran out during an upload. The file can't be sent again at once.
  if (code === 'use_dpop_nonce') return 'unavailable';
  // Only the authorization server knows whether the login has ended.
  if (access_token !== undefined && code === 'InvalidToken') return 'reauthorize';
  // The record's key is taken, so the post may exist already.
  if (code === 'InvalidSwap') return 'lost';
  // A revoked app password has the same code as an expired token. Only the message differs.
  if (code === 'ExpiredToken') return /revoked/i.test(message ?? '') ? 'revoked' : 'reauthorize';
  if (code === undefined) return undefined;
  return refreshJwt !== undefined || revokedCodes.has(code) ? 'revoked' : undefined;
}

/** A PDS's message may also contain tokens of other logins. */
const hideTokens = (text: string | undefined) =>
  text?.replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, '[redacted]');
