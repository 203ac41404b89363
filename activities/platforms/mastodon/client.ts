// The API of a Mastodon server, and its refusals.
import { z } from 'zod';
import type { NetworkAnswer } from '../json-client.ts';
import { createApi } from '../network-api.ts';
import type { Fetch } from '../platform.ts';

export const createMastodonApi = (fetch: Fetch) =>
  createApi(fetch, {
    network: 'Mastodon',
    open: ({ server = '', access_token: token = '' }) => ({
      url: server,
      headers: { authorization: `Bearer ${token}` },
      secrets: [token],
    }),
    readRefusal,
  });

/**
 * The 403 of a login rather than of a post. Never translated.
 * @see https://docs.joinmastodon.org/methods/accounts/#403-forbidden
 */
const endsAccess = /^(This action is outside the authorized scopes$|Your login is )/;

/** The only codes are HTTP's. Tokens don't expire, so a token that is refused was revoked. */
function readRefusal({ status, body }: NetworkAnswer) {
  const message = z.object({ error: z.string() }).safeParse(body).data?.error;
  const forbidden = endsAccess.test(message ?? '') ? 'revoked' : 'rejected';
  return { code: String(status), message, verdicts: { 401: 'revoked', 403: forbidden } } as const;
}
