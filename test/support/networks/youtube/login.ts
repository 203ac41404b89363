// The consent page, the tokens and the revocation of the simulated Google.
// By https://developers.google.com/identity/protocols/oauth2/web-server, read on 2026-11-27. It refuses
// parameters that Fanfare has no use for.
import { z } from 'zod';
import { showConsentForm } from '../oauth/consent-form.ts';
import { createGrants, newSecret, OAuthError, type Grants } from '../oauth/grants.ts';
import { readForm, Refusal, type Route } from '../strict-requests.ts';
import { invalidToken, lacksScope } from './refusals.ts';

export const scopeUrl = (name: string) => `https://www.googleapis.com/auth/${name}`;
const known = ['youtube.upload', 'youtube.readonly', 'youtube'].map(scopeUrl);

const Authorization = z.strictObject({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.url(),
  state: z.string().min(1),
  scope: z.string().refine((scope) => scope.split(' ').every((each) => known.includes(each))),
  access_type: z.enum(['online', 'offline']),
  prompt: z.enum(['none', 'consent', 'select_account']).optional(),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
  code_challenge_method: z.literal('S256'),
});
const Decision = Authorization.extend({ decision: z.enum(['allow', 'deny']) });
const client = { client_id: z.string(), client_secret: z.string() };
const TokenRequest = z.discriminatedUnion('grant_type', [
  z.strictObject({
    ...client,
    grant_type: z.literal('authorization_code'),
    code: z.string(),
    redirect_uri: z.string(),
    code_verifier: z.string().regex(/^[\w.~-]{43,128}$/),
  }),
  z.strictObject({ ...client, grant_type: z.literal('refresh_token'), refresh_token: z.string() }),
]);
const Revocation = z.object({ token: z.string() });
const tokenLifeS = 3_599;

export function createLogin() {
  const app = { id: `${newSecret('0')}.apps.googleusercontent.com`, secret: newSecret('GOCSPX') };
  const grants = createGrants({ accessS: tokenLifeS, isRotating: false });
  /** Codes of consents that asked for offline access. */
  const offline = new Set<string>();
  let hasConsented = false;
  let refreshes = 0;

  const login = {
    client: app,
    /** Undefined: any address is registered. */
    redirectUri: undefined as string | undefined,
    /** Scopes that the user unchecks on the consent page. */
    withheldScopes: new Set<string>(),
    grants,
    countRefreshes: () => refreshes,
    listSecrets: () => [app.secret, ...grants.listSecrets()],
    /** Logs in without a consent page. */
    createToken: (scopes = known) => grants.logIn(scopes.join(' ')),
    check,
    routes: [] as Route[],
  };

  /** Throws unless the request bears a good token with one of the scopes. */
  function check(request: Request, ...anyOf: string[]): void {
    const refusals = anyOf.map((name) => findRefusal(request, scopeUrl(name)));
    if (refusals.includes(undefined)) return;
    throw refusals.includes(403) ? lacksScope() : invalidToken();
  }

  function findRefusal(request: Request, scope: string): number | undefined {
    try {
      grants.check(request, scope);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.status;
      throw error;
    }
  }

  function checkAuthorization({ client_id, redirect_uri }: z.infer<typeof Authorization>): void {
    if (client_id !== app.id) throw new Refusal(401, 'invalid_client', 'Error 401: invalid_client');
    if (login.redirectUri === undefined || login.redirectUri === redirect_uri) return;
    throw new Refusal(400, 'redirect_uri_mismatch', 'Error 400: redirect_uri_mismatch');
  }

  /** Google returns a refresh token only with the first consent, unless the app asks for another consent. */
  function exchange(given: { code: string; redirect_uri: string; code_verifier: string }) {
    const answer = grants.exchange(given);
    if (offline.has(given.code)) return answer;
    const { refresh_token: _, ...rest } = answer;
    return rest;
  }

  async function issue(request: Request): Promise<Response> {
    const given = await readForm(request, TokenRequest);
    if (given.client_id !== app.id || given.client_secret !== app.secret) {
      throw new OAuthError('invalid_client', 'The OAuth client was not found.');
    }
    if (given.grant_type === 'authorization_code') {
      const { code, redirect_uri, code_verifier } = given;
      return Response.json(exchange({ code, redirect_uri, code_verifier }));
    }
    const answer = grants.refresh(given.refresh_token);
    refreshes++;
    return Response.json(answer satisfies ReturnType<Grants['refresh']>);
  }

  /** A revocation ends every token of the user at the app. */
  async function revoke(request: Request): Promise<Response> {
    const { token } = await readForm(request, Revocation);
    if (!grants.listSecrets().includes(token)) {
      throw new OAuthError('invalid_token', 'Token expired or revoked');
    }
    grants.revokeAll();
    hasConsented = false;
    return Response.json({});
  }

  const inOAuthForm =
    (handle: (request: Request) => Promise<Response>): Route['handle'] =>
    async (request) => {
      try {
        return await handle(request);
      } catch (error) {
        if (error instanceof OAuthError) return error.toResponse();
        if (!(error instanceof Refusal)) throw error;
        return new OAuthError('invalid_request', error.message).toResponse();
      }
    };

  login.routes = [
    {
      method: 'GET',
      path: /^\/o\/oauth2\/v2\/auth$/,
      handle(request) {
        const given = Authorization.safeParse(
          Object.fromEntries(new URL(request.url).searchParams.entries()),
        );
        if (!given.success) throw new Refusal(400, 'invalid_request', z.prettifyError(given.error));
        checkAuthorization(given.data);
        return showConsentForm('/o/oauth2/v2/auth', given.data);
      },
    },
    {
      method: 'POST',
      path: /^\/o\/oauth2\/v2\/auth$/,
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
          const isNew = !hasConsented || given.prompt === 'consent';
          if (given.access_type === 'offline' && isNew) offline.add(code);
          hasConsented = true;
          target.searchParams.set('code', code);
          target.searchParams.set('scope', scopes.join(' '));
        }
        return new Response(null, { status: 302, headers: { location: target.href } });
      },
    },
    { method: 'POST', path: /^\/token$/, handle: inOAuthForm(issue) },
    { method: 'POST', path: /^\/revoke$/, handle: inOAuthForm(revoke) },
  ];
  return login;
}
