// The consent page, the tokens and the revocation of the simulated TikTok:
// https://developers.tiktok.com/doc/login-kit-web, and
// https://developers.tiktok.com/docs/en/oauth-user-access-token-management of 2026-11-05,
// https://developers.tiktok.com/docs/en/oauth-refresh-a-user-access-token of 2026-11-02,
// https://developers.tiktok.com/docs/en/oauth-revoke-a-user-access-token of 2026-11-02.
import { z } from 'zod';
import { showConsentForm } from '../oauth/consent-form.ts';
import { createGrants, newSecret, OAuthError, type Grants } from '../oauth/grants.ts';
import { readForm, Refusal, type Route } from '../strict-requests.ts';
import { invalid, refuseOAuth, TikTokError } from './refusals.ts';

const known = ['user.info.basic', 'video.publish', 'video.upload'];

const Authorization = z.strictObject({
  client_key: z.string(),
  /** Separated by commas. */
  scope: z.string().refine((scope) => scope.split(',').every((each) => known.includes(each))),
  response_type: z.literal('code'),
  redirect_uri: z.url(),
  state: z.string().min(1),
});
const Decision = Authorization.extend({ decision: z.enum(['allow', 'deny']) });

const client = { client_key: z.string(), client_secret: z.string() };
const TokenRequest = z.discriminatedUnion('grant_type', [
  z.strictObject({
    ...client,
    grant_type: z.literal('authorization_code'),
    code: z.string(),
    redirect_uri: z.string(),
  }),
  z.strictObject({
    ...client,
    grant_type: z.literal('refresh_token'),
    refresh_token: z.string(),
  }),
]);
const Revocation = z.strictObject({ ...client, token: z.string() });

const accessS = 7_200;
const refreshS = 180 * 86_400;

export function createLogin(openId: string) {
  const app = { id: newSecret('key'), secret: newSecret('secret') };
  const grants = createGrants({ accessS, refreshS });
  const spent = new Set<string>();
  /** The app has only one redirect URI: the address that the first request uses. */
  let redirectUri: string | undefined;

  const login = {
    client: app,
    grants,
    /** Scopes that the user deselects. */
    withheldScopes: new Set<string>(),
    /** Replaces the answer to the next request of the token endpoint. */
    nextTokenAnswer: undefined as Response | undefined,
    countRefreshes: () => spent.size,
    listSecrets: () => [app.secret, ...grants.listSecrets()],
    check,
    routes: [] as Route[],
  };

  /** Throws unless the request bears a good token with the scope. */
  function check(request: Request, scope: string): void {
    try {
      grants.check(request, scope);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const code = error.status === 401 ? 'access_token_invalid' : 'scope_not_authorized';
      throw new TikTokError(401, code, error.message);
    }
  }

  function checkClient({ client_key, client_secret }: z.infer<typeof Revocation>): void {
    if (client_key === app.id && client_secret === app.secret) return;
    throw new OAuthError('invalid_client', 'Client key or secret is incorrect.');
  }

  function checkAuthorization({ client_key, redirect_uri }: z.infer<typeof Authorization>): void {
    redirectUri ??= redirect_uri;
    if (client_key !== app.id || redirect_uri !== redirectUri)
      throw invalid('Something went wrong');
  }

  /** A token works once. The documents don't say that its second use ends the login. */
  function refresh(token: string) {
    if (spent.has(token)) throw new OAuthError('invalid_grant', 'Refresh token is invalid.');
    const answer = grants.refresh(token);
    spent.add(token);
    return answer;
  }

  const toTokens = ({ scope, ...tokens }: ReturnType<Grants['refresh']>) =>
    Response.json({
      ...tokens,
      open_id: openId,
      scope: scope.split(' ').join(','),
      refresh_expires_in: refreshS,
      token_type: 'Bearer',
    });

  const ofOAuth =
    (handle: (request: Request) => Promise<Response>): Route['handle'] =>
    async (request) => {
      try {
        return await handle(request);
      } catch (error) {
        if (error instanceof OAuthError) return refuseOAuth(error.code, error.message);
        if (!(error instanceof Refusal)) throw error;
        return refuseOAuth('invalid_request', error.message);
      }
    };

  login.routes = [
    {
      method: 'GET',
      path: /^\/v2\/auth\/authorize\/$/,
      handle(request) {
        const { searchParams } = new URL(request.url);
        const given = Authorization.safeParse(Object.fromEntries(searchParams.entries()));
        if (!given.success) throw invalid(z.prettifyError(given.error));
        checkAuthorization(given.data);
        return showConsentForm('/v2/auth/authorize/', given.data);
      },
    },
    {
      method: 'POST',
      path: /^\/v2\/auth\/authorize\/$/,
      async handle(request) {
        const given = await readForm(request, Decision);
        checkAuthorization(given);
        const target = new URL(given.redirect_uri);
        target.searchParams.set('state', given.state);
        if (given.decision === 'deny') target.searchParams.set('error', 'access_denied');
        else {
          const scopes = given.scope.split(',').filter((each) => !login.withheldScopes.has(each));
          const scope = scopes.join(' ');
          const consent = { redirectUri: given.redirect_uri, challenge: null, scope };
          target.searchParams.set('code', grants.createCode(consent));
          target.searchParams.set('scopes', scopes.join(','));
        }
        return new Response(null, { status: 303, headers: { location: target.href } });
      },
    },
    {
      method: 'POST',
      path: /^\/v2\/oauth\/token\/$/,
      handle: ofOAuth(async (request) => {
        const scripted = login.nextTokenAnswer;
        login.nextTokenAnswer = undefined;
        if (scripted) return scripted;
        const given = await readForm(request, TokenRequest);
        checkClient({ ...given, token: '' });
        if (given.grant_type === 'refresh_token') return toTokens(refresh(given.refresh_token));
        const { code, redirect_uri } = given;
        return toTokens(grants.exchange({ code, redirect_uri, code_verifier: '' }));
      }),
    },
    {
      method: 'POST',
      path: /^\/v2\/oauth\/revoke\/$/,
      handle: ofOAuth(async (request) => {
        const given = await readForm(request, Revocation);
        checkClient(given);
        if (!grants.find(given.token)) throw new OAuthError('invalid_request', 'Token is invalid.');
        // Disconnects the app from the user's account, and so ends every login of the user.
        grants.revokeAll();
        return Response.json({});
      }),
    },
  ];
  return login;
}
