// A simulated network with OAuth 2: authorization code with PKCE, rotating refresh tokens, several accounts in a login.
import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { NetworkServer, PublicPost } from '../contract/subject.ts';
import { dispatch, readForm, readJson, Refusal, refuse, type Route } from '../strict-requests.ts';

export interface OAuthAccount {
  id: string;
  name: string;
  /** Why it can't publish. */
  problem: string | null;
}

export interface OAuthServer extends NetworkServer {
  readonly client: { id: string; secret: string };
  /** The accounts that the login reaches. */
  accounts: OAuthAccount[];
  /** Scopes that the user unchecks on the consent page. */
  readonly withheldScopes: Set<string>;
  /** Answers the next request of the token endpoint. */
  nextTokenAnswer: Response | undefined;
  readonly posts: (PublicPost & { accountId: string })[];
  /** Requests of the token endpoint. */
  countTokenRequests(): number;
  countLiveGrants(): number;
  /** Every code, token and client secret that it ever gave out. */
  listSecrets(): string[];
}

/** What the user allowed, until it is revoked. */
interface Grant {
  scope: string;
  isRevoked: boolean;
  /** The last one is good. */
  accessTokens: string[];
  refreshTokens: string[];
  expiresAtMs: number;
}

interface Code {
  redirectUri: string;
  challenge: string;
  scope: string;
  /** Once it was used. */
  grant: Grant | undefined;
}

const livesS = 3_600;

const Authorization = z.strictObject({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.url(),
  state: z.string().min(8),
  scope: z.string(),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
  code_challenge_method: z.literal('S256'),
});
const Decision = Authorization.extend({ decision: z.enum(['allow', 'deny']) });
const TokenRequest = z.discriminatedUnion('grant_type', [
  z.strictObject({
    grant_type: z.literal('authorization_code'),
    code: z.string(),
    redirect_uri: z.string(),
    code_verifier: z.string().regex(/^[\w.~-]{43,128}$/),
  }),
  z.strictObject({ grant_type: z.literal('refresh_token'), refresh_token: z.string() }),
]);
const NewPost = z.strictObject({ text: z.string(), reference: z.string() });

/** An error of the token endpoint: RFC 6749, section 5.2. */
class OAuthError extends Error {
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

/** `redirectUri`: the only one that the client has registered. */
export function createOAuthServer(redirectUri: string): OAuthServer {
  const client = { id: 'fanfare', secret: newSecret('client') };
  const codes = new Map<string, Code>();
  const grants: Grant[] = [];
  const references = new Map<string, string>();
  let tokenRequests = 0;

  const server: OAuthServer = {
    client,
    accounts: [
      { id: 'page-1', name: 'Bakery', problem: null },
      { id: 'page-2', name: 'Garden', problem: null },
      { id: 'page-3', name: 'Archive', problem: 'You are not an editor of this page.' },
    ],
    withheldScopes: new Set(),
    nextTokenAnswer: undefined,
    posts: [],
    countTokenRequests: () => tokenRequests,
    countLiveGrants: () => grants.filter(({ isRevoked }) => !isRevoked).length,
    listSecrets: () => [
      client.secret,
      ...codes.keys(),
      ...grants.flatMap(({ accessTokens, refreshTokens }) => [...accessTokens, ...refreshTokens]),
    ],
    answer: (request) => dispatch(routes, request),
    refuse,
    expireToken: () => grants.forEach((grant) => (grant.expiresAtMs = 0)),
    revokeToken: () => grants.forEach((grant) => (grant.isRevoked = true)),
  };

  function issue(grant: Grant): Response {
    const tokens = { access_token: newSecret('access'), refresh_token: newSecret('refresh') };
    grant.accessTokens.push(tokens.access_token);
    grant.refreshTokens.push(tokens.refresh_token);
    grant.expiresAtMs = Date.now() + livesS * 1_000;
    const { scope } = grant;
    return Response.json({ ...tokens, token_type: 'Bearer', expires_in: livesS, scope });
  }

  /** A code works once. Used again, it was stolen: RFC 6749, section 4.1.2. */
  function exchange(given: { code: string; redirect_uri: string; code_verifier: string }) {
    const code = codes.get(given.code);
    if (!code) throw new OAuthError('invalid_grant', 'The code is unknown.');
    if (code.grant) {
      code.grant.isRevoked = true;
      throw new OAuthError('invalid_grant', 'The code was used before.');
    }
    const isSame = code.redirectUri === given.redirect_uri;
    if (!isSame) throw new OAuthError('invalid_grant', 'The redirect_uri is another one.');
    if (hash('sha256', given.code_verifier, 'base64url') !== code.challenge) {
      throw new OAuthError('invalid_grant', 'The code_verifier does not match.');
    }
    const { scope } = code;
    code.grant = { scope, isRevoked: false, accessTokens: [], refreshTokens: [], expiresAtMs: 0 };
    grants.push(code.grant);
    return issue(code.grant);
  }

  /** A refresh token that is used twice was stolen, which ends the grant: RFC 9700, section 4.14.2. */
  function refresh(token: string): Response {
    const grant = grants.find(({ refreshTokens }) => refreshTokens.includes(token));
    if (!grant || grant.isRevoked) throw new OAuthError('invalid_grant', 'The grant has ended.');
    if (grant.refreshTokens.at(-1) !== token) {
      grant.isRevoked = true;
      throw new OAuthError('invalid_grant', 'The refresh token was used before.');
    }
    return issue(grant);
  }

  function checkClient(request: Request): void {
    const login = `${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`;
    const expected = `Basic ${Buffer.from(login).toString('base64')}`;
    if (request.headers.get('authorization') === expected) return;
    throw new OAuthError('invalid_client', 'The client is unknown.');
  }

  function checkToken(request: Request, scope: string): void {
    const token = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    const grant = grants.find(({ accessTokens }) => accessTokens.includes(token));
    if (!grant) throw new Refusal(401, 'unknown', `Unknown token ${token}.`);
    if (grant.isRevoked) throw new Refusal(401, 'revoked', 'The user took the login back.');
    const isGood = grant.accessTokens.at(-1) === token && grant.expiresAtMs > Date.now();
    if (!isGood) throw new Refusal(401, 'expired', `${token} has expired.`);
    if (!grant.scope.split(' ').includes(scope)) throw new Refusal(403, 'scope', `No ${scope}.`);
  }

  function findAccount(id: string): OAuthAccount {
    const account = server.accounts.find((each) => each.id === id);
    if (!account) throw new Refusal(404, 'not_found', `There is no ${id}.`);
    if (account.problem !== null) throw new Refusal(403, 'not_editor', account.problem);
    return account;
  }

  /** Nobody is redirected to an address that isn't registered: RFC 6749, section 4.1.2.1. */
  function checkAuthorization(given: z.infer<typeof Authorization>): void {
    if (given.client_id !== client.id || given.redirect_uri !== redirectUri) {
      throw new Refusal(400, 'invalid_request', 'The client or the redirect_uri is unknown.');
    }
  }

  /** For endpoints whose errors have the form of RFC 6749. */
  const ofClient =
    (handle: (request: Request) => Promise<Response>): Route['handle'] =>
    async (request) => {
      try {
        checkClient(request);
        return await handle(request);
      } catch (error) {
        if (error instanceof OAuthError) return error.toResponse();
        if (!(error instanceof Refusal)) throw error;
        return new OAuthError('invalid_request', error.message).toResponse();
      }
    };

  const routes: Route[] = [
    {
      method: 'GET',
      path: /^\/authorize$/,
      handle(request) {
        const given = Object.fromEntries(new URL(request.url).searchParams);
        const parsed = Authorization.safeParse(given);
        if (!parsed.success) throw new Refusal(400, 'invalid', z.prettifyError(parsed.error));
        checkAuthorization(parsed.data);
        const fields = Object.entries(parsed.data).map(
          ([name, value]) => `<input type="hidden" name="${name}" value="${value}" />`,
        );
        const form = `<form method="post" action="/authorize">${fields.join('')}</form>`;
        return new Response(form, { headers: { 'content-type': 'text/html' } });
      },
    },
    {
      method: 'POST',
      path: /^\/authorize$/,
      async handle(request) {
        const given = await readForm(request, Decision);
        checkAuthorization(given);
        const callback = new URL(given.redirect_uri);
        callback.searchParams.set('state', given.state);
        if (given.decision === 'deny') callback.searchParams.set('error', 'access_denied');
        else {
          const code = newSecret('code');
          const scopes = given.scope.split(' ').filter((each) => !server.withheldScopes.has(each));
          codes.set(code, {
            redirectUri: given.redirect_uri,
            challenge: given.code_challenge,
            scope: scopes.join(' '),
            grant: undefined,
          });
          callback.searchParams.set('code', code);
        }
        return new Response(null, { status: 303, headers: { location: callback.href } });
      },
    },
    {
      method: 'POST',
      path: /^\/token$/,
      handle: ofClient(async (request) => {
        tokenRequests++;
        const scripted = server.nextTokenAnswer;
        server.nextTokenAnswer = undefined;
        if (scripted) return scripted;
        const given = await readForm(request, TokenRequest);
        return given.grant_type === 'refresh_token'
          ? refresh(given.refresh_token)
          : exchange(given);
      }),
    },
    {
      // RFC 7009. An unknown token is no error.
      method: 'POST',
      path: /^\/revoke$/,
      handle: ofClient(async (request) => {
        const { token } = await readForm(request, z.strictObject({ token: z.string() }));
        const owns = ({ accessTokens, refreshTokens }: Grant) =>
          [...accessTokens, ...refreshTokens].includes(token);
        for (const grant of grants.filter(owns)) grant.isRevoked = true;
        return new Response(null);
      }),
    },
    {
      method: 'GET',
      path: /^\/accounts$/,
      handle(request) {
        checkToken(request, 'accounts');
        return Response.json({ accounts: server.accounts });
      },
    },
    {
      method: 'POST',
      path: /^\/accounts\/([^/]+)\/posts$/,
      async handle(request, [accountId = '']) {
        checkToken(request, 'publish');
        findAccount(accountId);
        const { text, reference } = await readJson(request, NewPost);
        const id = `post-${server.posts.length + 1}`;
        server.posts.push({ id, text, replyTo: null, accountId });
        references.set(id, reference);
        return Response.json({ id }, { status: 201 });
      },
    },
    {
      method: 'GET',
      path: /^\/accounts\/([^/]+)\/posts$/,
      handle(request, [accountId = '']) {
        checkToken(request, 'publish');
        findAccount(accountId);
        const reference = new URL(request.url).searchParams.get('reference');
        const found = server.posts.filter(
          (post) => post.accountId === accountId && references.get(post.id) === reference,
        );
        return Response.json({ posts: found.map(({ id }) => ({ id })) });
      },
    },
  ];
  return server;
}

const newSecret = (kind: string) => `${kind}-${randomBytes(16).toString('hex')}`;
