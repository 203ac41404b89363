// The consent page, the tokens and the revocation of the simulated X.
// https://docs.x.com/fundamentals/authentication/oauth-2-0/user-access-token, read on 2026-11-22. The refusals
// of codes and refresh tokens are as X's users report them: https://github.com/plhery/node-twitter-api-v2/issues/496
import { z } from 'zod';
import { showConsentForm } from '../oauth/consent-form.ts';
import { createGrants, newSecret, OAuthError, type Grants } from '../oauth/grants.ts';
import { readForm, Refusal, type Route } from '../strict-requests.ts';
import { forbidden, invalid, plain } from './problem.ts';

/** Scopes that Fanfare may ask for. X has more. */
const known = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'];

const Authorization = z.strictObject({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.url(),
  state: z.string().min(1).max(500),
  scope: z.string().refine((scope) => scope.split(' ').every((each) => known.includes(each))),
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
const Revocation = z.strictObject({ token: z.string() });

export function createLogin() {
  const client = { id: newSecret('client'), secret: newSecret('secret') };
  const grants = createGrants();
  const codeTimes = new Map<string, number>();
  /** The client has only one callback: the address that the first request uses. */
  let callback: string | undefined;
  const spent = new Set<string>();

  const login = {
    client,
    /** How long an authorization code lives. */
    codeLifeMs: 30_000,
    /** Scopes that the user's login lacks. */
    withheldScopes: new Set<string>(),
    /** Replaces the answer to the next request of the token endpoint. */
    nextTokenAnswer: undefined as Response | undefined,
    grants,
    countRefreshes: () => spent.size,
    listSecrets: () => [client.secret, ...grants.listSecrets()],
    /** Throws unless the request bears a good token with the scopes. */
    check,
    routes: [] as Route[],
  };

  function check(request: Request, ...scopes: string[]): void {
    try {
      for (const scope of scopes) grants.check(request, scope);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 401) throw plain(401, 'Unauthorized');
      throw forbidden('You are not permitted to perform this action.');
    }
  }

  function checkClient(request: Request): void {
    const expected = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
    if (request.headers.get('authorization') === expected) return;
    throw new OAuthError('unauthorized_client', 'Missing valid authorization header');
  }

  function checkAuthorization({ client_id, redirect_uri }: z.infer<typeof Authorization>): void {
    callback ??= redirect_uri;
    if (client_id === client.id && redirect_uri === callback) return;
    throw invalid('Something went wrong. You weren’t able to give access to the App.');
  }

  function explain(error: unknown): Response {
    if (error instanceof OAuthError) {
      if (error.code !== 'invalid_grant') return error.toResponse();
      return refuseToken(error.message.includes('code') ? 'authorization code' : 'token');
    }
    if (!(error instanceof Refusal)) throw error;
    return new OAuthError('invalid_request', error.message).toResponse();
  }

  const ofClient =
    (handle: (request: Request) => Promise<Response>): Route['handle'] =>
    async (request) => {
      try {
        checkClient(request);
        return await handle(request);
      } catch (error) {
        return explain(error);
      }
    };

  function exchange(given: Extract<z.infer<typeof TokenRequest>, { code: string }>) {
    const age = Date.now() - (codeTimes.get(given.code) ?? 0);
    if (age > login.codeLifeMs) throw new OAuthError('invalid_grant', 'The code has expired.');
    return grants.exchange(given);
  }

  /** A token works once. No document says that X ends the login when a token is used again. */
  function refresh(token: string) {
    if (spent.has(token)) throw new OAuthError('invalid_grant', 'The token was used before.');
    const answer = grants.refresh(token);
    spent.add(token);
    return answer;
  }

  login.routes = [
    {
      method: 'GET',
      path: /^\/i\/oauth2\/authorize$/,
      handle(request) {
        const given = Authorization.safeParse(
          Object.fromEntries(new URL(request.url).searchParams.entries()),
        );
        if (!given.success) throw invalid(z.prettifyError(given.error));
        checkAuthorization(given.data);
        return showConsentForm('/i/oauth2/authorize', given.data);
      },
    },
    {
      method: 'POST',
      path: /^\/i\/oauth2\/authorize$/,
      async handle(request) {
        const given = await readForm(request, Decision);
        checkAuthorization(given);
        const target = new URL(given.redirect_uri);
        target.searchParams.set('state', given.state);
        if (given.decision === 'deny') target.searchParams.set('error', 'access_denied');
        else {
          const scopes = given.scope.split(' ').filter((each) => !login.withheldScopes.has(each));
          const code = grants.createCode({
            redirectUri: given.redirect_uri,
            challenge: given.code_challenge,
            scope: scopes.join(' '),
          });
          codeTimes.set(code, Date.now());
          target.searchParams.set('code', code);
        }
        return new Response(null, { status: 303, headers: { location: target.href } });
      },
    },
    {
      method: 'POST',
      path: /^\/2\/oauth2\/token$/,
      handle: ofClient(async (request) => {
        const scripted = login.nextTokenAnswer;
        login.nextTokenAnswer = undefined;
        if (scripted) return scripted;
        const given = await readForm(request, TokenRequest);
        const isRefresh = given.grant_type === 'refresh_token';
        const answer = isRefresh ? refresh(given.refresh_token) : exchange(given);
        return toTokens(answer);
      }),
    },
    {
      method: 'POST',
      path: /^\/2\/oauth2\/revoke$/,
      handle: ofClient(async (request) => {
        grants.revoke((await readForm(request, Revocation)).token);
        return Response.json({ revoked: true });
      }),
    },
  ];
  return login;
}

/** X gives a refresh token only for `offline.access`. */
function toTokens({ refresh_token, ...tokens }: ReturnType<Grants['refresh']>): Response {
  const isOffline = tokens.scope.split(' ').includes('offline.access');
  const given = { ...tokens, token_type: 'bearer', expires_in: 7_200 };
  return Response.json(isOffline ? { ...given, refresh_token } : given);
}

/** X refuses a value in these words, whatever its fault is. */
export const refuseToken = (what = 'token') =>
  new OAuthError('invalid_request', `Value passed for the ${what} was invalid.`).toResponse();
