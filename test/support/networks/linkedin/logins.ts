// The consent page and the token endpoint of the simulated LinkedIn.
// By https://learn.microsoft.com/en-us/linkedin/shared/authentication/authorization-code-flow
// and https://learn.microsoft.com/en-us/linkedin/shared/authentication/programmatic-refresh-tokens.
// Stricter than LinkedIn: it refuses a parameter that it doesn't know.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import {
  expiredToken,
  invalidToken,
  noPermission,
  OAuthRefusal,
  revokedToken,
} from './refusals.ts';

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

/** What the member allowed, until it is revoked. */
interface Login {
  scopes: string[];
  accessTokens: string[];
  refreshToken: string;
  isRevoked: boolean;
  isExpired: boolean;
}

const lifeS = 5_184_000;

export class Logins {
  readonly client = { id: 'fanfare78', secret: newSecret('client') };
  /** The app's products let it ask for these. */
  scopes = ['openid', 'profile', 'w_member_social'];
  /** LinkedIn approved the app for refresh tokens. */
  givesRefreshTokens = false;
  /** Undefined: any. */
  redirectUri: string | undefined;
  refreshes = 0;
  private readonly logins: Login[] = [];
  private readonly codes = new Map<string, { redirectUri: string; scopes: string[] }>();
  private readonly usedCodes: string[] = [];

  /** As the token generator of LinkedIn's developer portal does. */
  createToken(scopes = this.scopes): string {
    return this.addLogin(scopes).accessTokens[0]!;
  }

  expireAll(): void {
    for (const login of this.logins) login.isExpired = true;
  }

  revokeAll(): void {
    for (const login of this.logins) login.isRevoked = true;
  }

  listSecrets(): string[] {
    const tokens = this.logins.flatMap(({ accessTokens, refreshToken }) => [
      ...accessTokens,
      refreshToken,
    ]);
    return [this.client.secret, ...this.codes.keys(), ...this.usedCodes, ...tokens];
  }

  /** Throws unless the request bears a good token with one of the scopes. */
  check(request: Request, call: string, ...anyOf: string[]): void {
    const token = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    const login = this.logins.find(({ accessTokens }) => accessTokens.includes(token));
    if (!login) throw invalidToken();
    if (login.isRevoked) throw revokedToken();
    if (login.isExpired || login.accessTokens.at(-1) !== token) throw expiredToken();
    if (!anyOf.some((scope) => login.scopes.includes(scope))) throw noPermission(call);
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
      if (error instanceof OAuthRefusal) return error.toResponse();
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
    const fields = Object.entries(given).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${value}" />`,
    );
    const form = `<form method="post" action="/oauth/v2/authorization">${fields.join('')}</form>`;
    return new Response(form, { headers: { 'content-type': 'text/html' } });
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
    const code = newSecret('code');
    this.codes.set(code, { redirectUri: given.redirect_uri, scopes: given.scope.split(' ') });
    return redirect(given, { code });
  }

  /** Nobody is sent to an address that isn't registered. */
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
    // As LinkedIn does: https://github.com/UsefulSoftwareCo/executor/issues/2087
    if (form.has('code_verifier')) throw wrongClient();
    const { data, error } = TokenRequest.safeParse(Object.fromEntries(form));
    if (error) throw new OAuthRefusal(400, 'invalid_request', z.prettifyError(error));
    if (data.client_id !== this.client.id || data.client_secret !== this.client.secret) {
      throw wrongClient();
    }
    return data.grant_type === 'refresh_token'
      ? this.refresh(data.refresh_token)
      : this.exchange(data.code, data.redirect_uri);
  }

  private exchange(code: string, redirectUri: string): Response {
    const known = this.codes.get(code);
    this.codes.delete(code);
    this.usedCodes.push(code);
    if (known?.redirectUri !== redirectUri) {
      const message =
        'Unable to retrieve access token: appid/redirect uri/code verifier does not match authorization code. Or authorization code expired. Or external member binding exists';
      throw new OAuthRefusal(400, 'invalid_request', message);
    }
    return this.show(this.addLogin(known.scopes));
  }

  /** The refresh token stays the same. */
  private refresh(refreshToken: string): Response {
    const login = this.logins.find((each) => each.refreshToken === refreshToken);
    if (!login || login.isRevoked || !this.givesRefreshTokens) {
      const message =
        'The provided authorization grant or refresh token is invalid, expired or revoked.';
      throw new OAuthRefusal(400, 'invalid_grant', message);
    }
    login.isExpired = false;
    login.accessTokens.push(newSecret('AQX'));
    this.refreshes++;
    return this.show(login);
  }

  private addLogin(scopes: string[]): Login {
    const login = {
      scopes,
      accessTokens: [newSecret('AQX')],
      refreshToken: newSecret('AQW'),
      isRevoked: false,
      isExpired: false,
    };
    this.logins.push(login);
    return login;
  }

  /** Without `token_type`, as in LinkedIn's examples. */
  private show({ scopes, accessTokens, refreshToken }: Login): Response {
    return Response.json({
      access_token: accessTokens.at(-1),
      expires_in: lifeS,
      scope: scopes.join(','),
      ...(this.givesRefreshTokens && {
        refresh_token: refreshToken,
        refresh_token_expires_in: 31_536_000,
      }),
      // Its issuer is not the origin of the token endpoint, and its signature is nonsense.
      ...(scopes.includes('openid') && { id_token: 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2ln' }),
    });
  }
}

const wrongClient = () => new OAuthRefusal(401, 'invalid_client', 'Client authentication failed');

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

export const newSecret = (kind: string) => `${kind}${randomBytes(18).toString('hex')}`;
