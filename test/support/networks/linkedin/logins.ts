// The consent page and the token endpoint of the simulated LinkedIn.
// By https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow
// and https://learn.microsoft.com/en-us/linkedin/shared/authentication/programmatic-refresh-tokens.
// Stricter than LinkedIn: it refuses a parameter that it doesn't know.
import { z } from 'zod';
import { showConsentForm } from '../oauth/consent-form.ts';
import { createGrants, newSecret, OAuthError, type Grants } from '../oauth/grants.ts';
import { Refusal } from '../strict-requests.ts';
import { expiredToken, invalidToken, noPermission, revokedToken } from './refusals.ts';

const Authorization = z.strictObject({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.url(),
  state: z.string().min(8),
  scope: z.string(),
});
const Decision = Authorization.extend({ decision: z.enum(['allow', 'deny']) });

const client = { client_id: z.string(), client_secret: z.string() };
const TokenRequest = z.discriminatedUnion('grant_type', [
  z.strictObject({
    ...client,
    grant_type: z.literal('authorization_code'),
    code: z.string(),
    redirect_uri: z.string(),
  }),
  z.strictObject({ ...client, grant_type: z.literal('refresh_token'), refresh_token: z.string() }),
]);

const lifeS = 5_184_000;

export class Logins {
  readonly client = { id: 'fanfare78', secret: newSecret('client') };
  private readonly grants = createGrants({ accessS: lifeS, isRotating: false });
  /** Scopes that the app's products let it ask for. */
  scopes = ['openid', 'profile', 'w_member_social'];
  /** LinkedIn approved the app for refresh tokens. */
  givesRefreshTokens = false;
  /** Undefined: any address is allowed. */
  redirectUri: string | undefined;

  /** Makes a token as the token generator of LinkedIn's developer portal does. */
  createToken(scopes = this.scopes): string {
    return this.grants.logIn(scopes.join(' ')).access_token;
  }

  expireAll = () => this.grants.expireAll();
  revokeAll = () => this.grants.revokeAll();
  listSecrets = () => [this.client.secret, ...this.grants.listSecrets()];

  /** Throws unless the request bears a good token with one of the scopes. */
  check(request: Request, call: string, ...anyOf: string[]): void {
    const refusals = anyOf.map((scope) => this.findRefusal(request, scope));
    if (refusals.includes(undefined)) return;
    switch (refusals[0]) {
      case 'unknown':
        throw invalidToken();
      case 'revoked':
        throw revokedToken();
      case 'expired':
        throw expiredToken();
      default:
        throw noPermission(call);
    }
  }

  /** Why the token is refused. Undefined: the token is good for the scope. */
  private findRefusal(request: Request, scope: string): string | undefined {
    try {
      this.grants.check(request, scope);
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return error.code;
      throw error;
    }
  }

  async answer(request: Request, path: string): Promise<Response> {
    if (path === 'authorization') {
      return request.method === 'GET' ? this.ask(request) : this.decide(request);
    }
    if (path !== 'accessToken' || request.method !== 'POST')
      return new Response('', { status: 404 });
    try {
      return this.issue(new URLSearchParams(await request.text()));
    } catch (error) {
      if (error instanceof OAuthError) return error.toResponse();
      throw error;
    }
  }

  private ask({ url }: Request): Response {
    const given = this.readAuthorization(Object.fromEntries(new URL(url).searchParams));
    if (given instanceof Response) return given;
    const refused = given.scope.split(' ').find((scope) => !this.scopes.includes(scope));
    if (refused !== undefined) {
      return redirect(given, {
        error: 'unauthorized_scope_error',
        error_description: `Scope "${refused}" is not authorized for your application`,
      });
    }
    return showConsentForm('/oauth/v2/authorization', given);
  }

  private async decide(request: Request): Promise<Response> {
    const { decision, ...rest } = Object.fromEntries(new URLSearchParams(await request.text()));
    const given = this.readAuthorization(rest);
    if (given instanceof Response) return given;
    if (Decision.shape.decision.parse(decision) === 'deny') {
      return redirect(given, {
        error: 'user_cancelled_authorize',
        error_description: 'The user cancelled the authorization',
      });
    }
    const { redirect_uri: redirectUri, scope } = given;
    return redirect(given, {
      code: this.grants.createCode({ redirectUri, challenge: null, scope }),
    });
  }

  /** The user isn't sent to an address that isn't registered. */
  private readAuthorization(given: unknown): z.infer<typeof Authorization> | Response {
    const { data, error } = Authorization.safeParse(given);
    if (error) return new Response(z.prettifyError(error), { status: 400 });
    const isKnown =
      data.client_id === this.client.id &&
      (this.redirectUri === undefined || this.redirectUri === data.redirect_uri);
    if (isKnown) return data;
    return new Response('The redirect_uri does not match the registered value', { status: 400 });
  }

  private issue(form: URLSearchParams): Response {
    // LinkedIn also refuses a verifier in addition to a secret:
    // https://github.com/UsefulSoftwareCo/executor/issues/2087
    if (form.has('code_verifier')) throw wrongClient();
    const { data, error } = TokenRequest.safeParse(Object.fromEntries(form));
    if (error) throw new OAuthError('invalid_request', z.prettifyError(error));
    if (data.client_id !== this.client.id || data.client_secret !== this.client.secret) {
      throw wrongClient();
    }
    return data.grant_type === 'refresh_token'
      ? this.refresh(data.refresh_token)
      : this.exchange(data);
  }

  private exchange(given: { code: string; redirect_uri: string }): Response {
    try {
      return this.show(this.grants.exchange({ ...given, code_verifier: '' }));
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const message =
        'Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired. Or external member binding exists';
      throw new OAuthError('invalid_request', message);
    }
  }

  /** The refresh token stays the same. */
  private refresh(refresh_token: string): Response {
    try {
      if (this.givesRefreshTokens) {
        return this.show({ ...this.grants.refresh(refresh_token), refresh_token });
      }
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
    }
    const message =
      'The provided authorization grant or refresh token is invalid, expired or revoked.';
    throw new OAuthError('invalid_grant', message);
  }

  /** Shows tokens without `token_type`, as in LinkedIn's examples. */
  private show({ access_token, refresh_token, scope }: ReturnType<Grants['refresh']>): Response {
    const scopes = scope.split(' ');
    return Response.json({
      access_token,
      expires_in: lifeS,
      scope: scopes.join(','),
      ...(this.givesRefreshTokens && { refresh_token, refresh_token_expires_in: 31_536_000 }),
      // The issuer of the ID token is not the origin of the token endpoint, and its signature is made up.
      ...(scopes.includes('openid') && { id_token: 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln' }),
    });
  }
}

const wrongClient = () => new OAuthError('invalid_client', 'Client authentication failed');

function redirect(
  { redirect_uri, state }: z.infer<typeof Authorization>,
  answer: Record<string, string>,
): Response {
  const location = new URL(redirect_uri);
  for (const [name, value] of Object.entries({ ...answer, state })) {
    location.searchParams.set(name, value);
  }
  return new Response(null, { status: 302, headers: { location: location.href } });
}
