// The codes, grants and tokens of the simulated network with OAuth 2.
import { hash, randomBytes } from 'node:crypto';
import { Refusal } from '../strict-requests.ts';

/** What the user allowed, until the grant is revoked. */
interface Grant {
  clientId: string | undefined;
  scope: string;
  isRevoked: boolean;
  /** The last token of the list is the good one. */
  accessTokens: string[];
  refreshTokens: string[];
  expiresAtMs: number;
  refreshEndsAtMs: number;
}

/** How long tokens live. */
export interface Lifetimes {
  accessS: number;
  /** From the login until the refresh token ends. */
  refreshS: number;
  /** Whether each refresh replaces the refresh token. */
  isRotating: boolean;
}

interface Consent {
  /** Absent: the network has only one client. */
  clientId?: string;
  redirectUri: string;
  /** Null: the network doesn't use PKCE. */
  challenge: string | null;
  scope: string;
}

interface Exchange {
  clientId?: string;
  code: string;
  redirect_uri: string;
  code_verifier: string;
}

interface Code extends Consent {
  /** Set once the code was used. */
  grant: Grant | undefined;
}

const defaultLifetimes: Lifetimes = { accessS: 3_600, refreshS: Infinity, isRotating: true };

/** An error of the token endpoint: RFC 6749, section 5.2. */
export class OAuthError extends Error {
  readonly code: string;

  constructor(code: string, description: string) {
    super(description);
    this.code = code;
  }

  toResponse(): Response {
    const isClient = this.code === 'invalid_client';
    return Response.json(
      { error: this.code, error_description: this.message },
      { status: isClient ? 401 : 400, headers: isClient ? { 'www-authenticate': 'Basic' } : {} },
    );
  }
}

/** An answer of the token endpoint. */
interface Issued {
  access_token: string;
  refresh_token?: string;
  token_type: string;
  expires_in?: number;
  scope: string;
  created_at?: number;
}

export interface Grants {
  createCode(consent: Consent): string;
  exchange(given: Exchange): Issued;
  refresh(token: string): Issued;
  /** Logs in without a consent. */
  logIn(scope: string): Issued;
  /** Throws unless the request bears a good token with the scope. */
  check(request: Request, scope: string): void;
  /** The grant with this access token. */
  find(accessToken: string): Readonly<Grant> | undefined;
  /** Whether the client has a good token with this scope. */
  hasLive(clientId: string, scope: string): boolean;
  revoke(token: string): void;
  /** Moves the clock of the network. */
  pass(ms: number): void;
  expireAll(): void;
  revokeAll(): void;
  countLive(): number;
  /** Every code and token that the network ever gave out. */
  listSecrets(): string[];
}

export interface GrantSettings extends Partial<Lifetimes> {
  /**
   * Tokens never expire, and nothing refreshes them. All logins with the same client and scope get the same
   * token.
   */
  hasLastingTokens?: boolean;
}

export function createGrants({ hasLastingTokens = false, ...given }: GrantSettings = {}): Grants {
  const { accessS, refreshS, isRotating } = { ...defaultLifetimes, ...given };
  const codes = new Map<string, Code>();
  const grants: Grant[] = [];
  let passedMs = 0;
  const now = () => Date.now() + passedMs;

  function issue(grant: Grant): Issued {
    const isNew = isRotating || grant.refreshTokens.length === 0;
    const tokens = {
      access_token: newSecret('access'),
      ...(isNew && { refresh_token: newSecret('refresh') }),
    };
    grant.accessTokens.push(tokens.access_token);
    if (tokens.refresh_token !== undefined) grant.refreshTokens.push(tokens.refresh_token);
    grant.expiresAtMs = now() + accessS * 1_000;
    const { scope } = grant;
    return { ...tokens, token_type: 'Bearer', expires_in: accessS, scope };
  }

  /** A code works once. A code that is used again was stolen: RFC 6749, section 4.1.2. */
  function exchange(given: Exchange): Issued {
    const code = codes.get(given.code);
    if (code?.clientId !== given.clientId || !code)
      throw new OAuthError('invalid_grant', 'The code is unknown.');
    if (code.grant) {
      code.grant.isRevoked = true;
      throw new OAuthError('invalid_grant', 'The code was used before.');
    }
    const isSame = code.redirectUri === given.redirect_uri;
    if (!isSame) throw new OAuthError('invalid_grant', 'The redirect_uri is another one.');
    const challenge = hash('sha256', given.code_verifier, 'base64url');
    if (code.challenge !== null && challenge !== code.challenge) {
      throw new OAuthError('invalid_grant', 'The code_verifier does not match.');
    }
    const { clientId, scope } = code;
    const live = hasLastingTokens ? findLive(clientId, scope) : undefined;
    code.grant = live ?? addGrant(clientId, scope);
    return hasLastingTokens ? toLasting(code.grant) : issue(code.grant);
  }

  function addGrant(clientId: string | undefined, scope: string): Grant {
    const grant: Grant = {
      clientId,
      scope,
      isRevoked: false,
      accessTokens: [],
      refreshTokens: [],
      expiresAtMs: hasLastingTokens ? Infinity : 0,
      refreshEndsAtMs: now() + refreshS * 1_000,
    };
    grants.push(grant);
    return grant;
  }

  const findLive = (clientId: string | undefined, scope: string) =>
    grants.find(
      (grant) => grant.clientId === clientId && grant.scope === scope && !grant.isRevoked,
    );

  const findByToken = (token: string) =>
    grants.find(({ accessTokens }) => accessTokens.includes(token));

  function toLasting({ accessTokens, scope }: Grant): Issued {
    if (accessTokens.length === 0) accessTokens.push(newSecret('access'));
    const created_at = Math.floor(Date.now() / 1_000);
    return { access_token: accessTokens[0]!, token_type: 'Bearer', scope, created_at };
  }

  /** A refresh token that is used twice was stolen, which ends the grant: RFC 9700, section 4.14.2. */
  function refresh(token: string): Issued {
    const grant = grants.find(({ refreshTokens }) => refreshTokens.includes(token));
    if (!grant || grant.isRevoked || grant.refreshEndsAtMs <= now()) {
      throw new OAuthError('invalid_grant', 'The grant has ended.');
    }
    if (grant.refreshTokens.at(-1) !== token) {
      grant.isRevoked = true;
      throw new OAuthError('invalid_grant', 'The refresh token was used before.');
    }
    return issue(grant);
  }

  function check(request: Request, scope: string): void {
    const token = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    const grant = findByToken(token);
    if (!grant) throw new Refusal(401, 'unknown', `Unknown token ${token}.`);
    if (grant.isRevoked) throw new Refusal(401, 'revoked', 'The user took the login back.');
    const isGood = grant.accessTokens.at(-1) === token && grant.expiresAtMs > now();
    if (!isGood) throw new Refusal(401, 'expired', `${token} has expired.`);
    if (!grant.scope.split(' ').includes(scope)) throw new Refusal(403, 'scope', `No ${scope}.`);
  }

  return {
    createCode(consent) {
      const code = newSecret('code');
      codes.set(code, { ...consent, grant: undefined });
      return code;
    },
    exchange,
    refresh,
    logIn: (scope) => issue(addGrant(undefined, scope)),
    check,
    find: findByToken,
    hasLive: (clientId, scope) => findLive(clientId, scope) !== undefined,
    revoke(token) {
      for (const grant of grants) {
        if (tokensOf(grant).includes(token)) grant.isRevoked = true;
      }
    },
    pass: (ms) => void (passedMs += ms),
    expireAll: () => grants.forEach((grant) => (grant.expiresAtMs = 0)),
    revokeAll: () => grants.forEach((grant) => (grant.isRevoked = true)),
    countLive: () => grants.filter(({ isRevoked }) => !isRevoked).length,
    listSecrets: () => [...codes.keys(), ...grants.flatMap(tokensOf)],
  };
}

const tokensOf = ({ accessTokens, refreshTokens }: Grant) => [...accessTokens, ...refreshTokens];

export const newSecret = (kind: string) => `${kind}-${randomBytes(16).toString('hex')}`;
