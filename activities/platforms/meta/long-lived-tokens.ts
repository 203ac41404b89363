// The tokens of Threads, and of Instagram's own login. They are exchanged for long-lived tokens, which are
// extended before they expire. https://developers.facebook.com/docs/threads/get-started/long-lived-tokens
import { z } from 'zod';
import type { OpenApi } from '../network-api.ts';
import { notForGood, PlatformError } from '../platform-error.ts';
import type { Credentials, RefreshedCredentials } from '../platform.ts';

/** `issued_at`: in milliseconds. Absent: unknown. */
export interface LongLived {
  credentials: { access_token: string; issued_at?: string };
  tokenExpiresAt: Date | null;
}

const Answer = z.object({ access_token: z.string().min(1), expires_in: z.number().optional() });

/** The network refuses to extend a younger token. */
const extendableAfterMs = 24 * 3_600_000;

/** Undefined: the age is unknown. */
function ageOf({ issued_at }: Credentials, now: number): number | undefined {
  return issued_at === undefined ? undefined : now - Number(issued_at);
}

/**
 * Whether the network extends the token now. If the token's age is unknown, assumes that the network does.
 */
export function isExtendable(credentials: Credentials, now = Date.now()): boolean {
  return (ageOf(credentials, now) ?? Infinity) >= extendableAfterMs;
}

/** `prefix`: prefix of the grant types. `open`: opens the API for calls without a version. */
export function createLongLivedTokens(network: string, prefix: string, open: OpenApi) {
  const toLongLived = ({ access_token, expires_in }: z.infer<typeof Answer>): LongLived => {
    const now = Date.now();
    return {
      credentials: { access_token, issued_at: String(now) },
      tokenExpiresAt: expires_in === undefined ? null : new Date(now + expires_in * 1_000),
    };
  };

  return {
    /** The token of a new login lives for an hour. */
    async exchange(token: string, clientSecret: string, signal: AbortSignal): Promise<LongLived> {
      const query = {
        grant_type: `${prefix}_exchange_token`,
        client_secret: clientSecret,
        access_token: token,
      };
      const ask = open({ client_secret: clientSecret, short_token: token }, signal);
      return toLongLived((await ask('/access_token', Answer, { query })).body);
    },

    async refresh(credentials: Credentials, signal: AbortSignal): Promise<RefreshedCredentials> {
      const age = ageOf(credentials, Date.now());
      if (age !== undefined && age < extendableAfterMs) {
        const message = `${network} extends a token only when it is 24 hours old.`;
        const retryAfterMs = extendableAfterMs - age;
        throw new PlatformError('unavailable', message, { retryAfterMs });
      }
      const { access_token: token = '' } = credentials;
      const query = { grant_type: `${prefix}_refresh_token`, access_token: token };
      const ask = open({ long_token: token }, signal);
      // A lost answer may have replaced the token, so the engine asks a second time.
      const call = { query, kind: 'commit' } as const;
      // After any other refusal, the token is good until it expires.
      const { body } = await ask('/refresh_access_token', Answer, call).catch(notForGood);
      return toLongLived(body);
    },
  };
}
