// The login of one account at a simulated network: tokens that end, and refresh tokens that work once.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Credentials } from '../../../activities/platforms/platform.ts';
import { readForm, Refusal, type Route } from './strict-requests.ts';

export interface Tokens {
  readonly credentials: Credentials;
  /** Throws a 401 unless the request bears the token that is good now. */
  check(request: Request): void;
  expireToken(): void;
  revokeToken(): void;
  /** Every token that was ever given out. */
  listSecrets(): string[];
  readonly route: Route;
}

const livesS = 3_600;
const RefreshForm = z.strictObject({
  grant_type: z.literal('refresh_token'),
  refresh_token: z.string(),
});

export function createTokens(): Tokens {
  const expiries = new Map<string, number>();
  const refreshTokens: string[] = [];
  let isRevoked = false;

  function issue() {
    const tokens = {
      access_token: `access-${randomBytes(16).toString('hex')}`,
      refresh_token: `refresh-${randomBytes(16).toString('hex')}`,
    };
    // The tokens before these no longer work, because a network that rotates keeps only one pair.
    for (const token of expiries.keys()) expiries.set(token, 0);
    expiries.set(tokens.access_token, Date.now() + livesS * 1_000);
    refreshTokens.push(tokens.refresh_token);
    return tokens;
  }

  return {
    credentials: issue(),
    check(request) {
      const token = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
      const expiresAtMs = expiries.get(token);
      // Some networks are as careless: the refusal repeats the token that it was given.
      if (expiresAtMs === undefined) throw new Refusal(401, 'unknown', `Unknown token ${token}.`);
      if (isRevoked) throw new Refusal(401, 'revoked', `The user took ${token} back.`);
      if (expiresAtMs <= Date.now()) throw new Refusal(401, 'expired', `${token} has expired.`);
    },
    // Ends the last token, because no other token is good.
    expireToken: () => void expiries.set([...expiries.keys()].at(-1)!, 0),
    revokeToken: () => void (isRevoked = true),
    listSecrets: () => [...expiries.keys(), ...refreshTokens],
    route: {
      method: 'POST',
      path: /^\/oauth\/token$/,
      async handle(request) {
        const { refresh_token } = await readForm(request, RefreshForm);
        if (isRevoked || refresh_token !== refreshTokens.at(-1)) {
          throw new Refusal(400, 'invalid_grant', `${refresh_token} is used or unknown.`);
        }
        return Response.json({ ...issue(), token_type: 'Bearer', expires_in: livesS });
      },
    },
  };
}
