// The consent page, the tokens and the revocation of the simulated Pinterest.
// https://developers.pinterest.com/docs/getting-started/set-up-authentication-and-authorization/, read on 2026-11-27.
import { z } from 'zod';
import { showConsentForm } from '../oauth/consent-form.ts';
import { createGrants, newSecret, OAuthError, type Grants } from '../oauth/grants.ts';
import { readForm, Refusal, type Route } from '../strict-requests.ts';
import { invalidGrant, lacksScope, notPermitted, unauthenticated } from './refusals.ts';

/** Scopes that Fanfare may ask for. Pinterest has more. */
const known = ['boards:read', 'boards:write', 'pins:read', 'pins:write', 'user_accounts:read'];

const Authorization = z.strictObject({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.url(),
  state: z.string().min(1),
  scope: z.string().refine((scope) => scope.split(',').every((each) => known.includes(each))),
});
const Decision = Authorization.extend({ decision: z.enum(['allow', 'deny']) });

/** The description has their form. */
type TokenRequest =
  | {
      grant_type: 'authorization_code';
      code: string;
      redirect_uri: string;
      continuous_refresh?: string;
    }
  | { grant_type: 'refresh_token'; refresh_token: string };

const accessS = 2_592_000;
const refreshS = 5_184_000;

export function createLogins() {
  const client = { id: '1582194', secret: newSecret('secret') };
  const grants = createGrants({ accessS, refreshS });
  /** The addresses that the app has registered: the one that the first request uses. */
  let callback: string | undefined;
  const spent = new Set<string>();

  const logins = {
    client,
    grants,
    /** Scopes that the user's login lacks. */
    withheldScopes: new Set<string>(),
    /** Pinterest revokes the tokens of users, too, and not only those of system users. */
    canRevoke: false,
    countRefreshes: () => spent.size,
    listSecrets: () => [client.secret, ...grants.listSecrets()],
    check,
    issue,
    revoke,
    pages: [] as Route[],
  };

  /** Throws unless the request bears a good token with the scopes. */
  function check(request: Request, scopes: readonly string[]): void {
    try {
      for (const scope of scopes) grants.check(request, scope);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      throw error.status === 401 ? unauthenticated() : lacksScope();
    }
  }

  function checkClient(request: Request): void {
    const expected = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
    if (request.headers.get('authorization') !== expected) throw unauthenticated();
  }

  function issue(request: Request, given: TokenRequest): Response {
    checkClient(request);
    try {
      if (given.grant_type === 'refresh_token') return refresh(given);
      const answer = grants.exchange({ ...given, code_verifier: '' });
      if (given.continuous_refresh === 'true') return show(answer, given.grant_type);
      // "Pinterest no longer supports the legacy refresh token."
      const { refresh_token: _, ...without } = answer;
      return show(without, given.grant_type);
    } catch (error) {
      if (error instanceof OAuthError) throw invalidGrant();
      throw error;
    }
  }

  /** A token works once. No document says that Pinterest ends the login when a token is used again. */
  function refresh({
    refresh_token,
    grant_type,
  }: Extract<TokenRequest, { refresh_token: string }>) {
    if (spent.has(refresh_token)) throw invalidGrant();
    const answer = grants.refresh(refresh_token);
    spent.add(refresh_token);
    return show(answer, grant_type);
  }

  function revoke(request: Request, { token }: { token: string }): Response {
    checkClient(request);
    // "Only tokens issued for system users are currently supported."
    if (!logins.canRevoke) throw notPermitted();
    grants.revoke(token);
    return new Response(null);
  }

  function checkApp({ client_id, redirect_uri }: z.infer<typeof Authorization>): void {
    callback ??= redirect_uri;
    if (client_id === client.id && redirect_uri === callback) return;
    throw new Refusal(400, 'invalid', 'The client or the redirect URI is unknown.');
  }

  logins.pages = [
    {
      method: 'GET',
      path: /^\/oauth\/$/,
      handle(request) {
        const query = Object.fromEntries(new URL(request.url).searchParams.entries());
        const given = Authorization.safeParse(query);
        if (!given.success) throw new Refusal(400, 'invalid', z.prettifyError(given.error));
        checkApp(given.data);
        return showConsentForm('/oauth/', given.data);
      },
    },
    {
      method: 'POST',
      path: /^\/oauth\/$/,
      async handle(request) {
        const given = await readForm(request, Decision);
        checkApp(given);
        const target = new URL(given.redirect_uri);
        target.searchParams.set('state', given.state);
        if (given.decision === 'deny') target.searchParams.set('error', 'access_denied');
        else {
          const asked = given.scope.split(',');
          const scope = asked.filter((each) => !logins.withheldScopes.has(each)).join(' ');
          const consent = { redirectUri: given.redirect_uri, challenge: null, scope };
          target.searchParams.set('code', grants.createCode(consent));
        }
        return new Response(null, { status: 303, headers: { location: target.href } });
      },
    },
  ];
  return logins;
}

function show(
  { access_token, refresh_token, scope }: ReturnType<Grants['refresh']>,
  response_type: TokenRequest['grant_type'],
): Response {
  return Response.json({
    response_type,
    access_token,
    token_type: 'bearer',
    expires_in: accessS,
    scope,
    ...(refresh_token !== undefined && {
      refresh_token,
      refresh_token_expires_in: refreshS,
      refresh_token_expires_at: Math.floor(Date.now() / 1_000) + refreshS,
    }),
  });
}
