// The consent page and the tokens of the login at the simulated Instagram.
// By https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login,
// read on 2026-11-26. The answer with a bare number and without a list is one that clients have published. Stricter
// than Instagram: it refuses a parameter that it doesn't know. The refusal of a refresh is not documented.
import { z } from 'zod';
import { showConsentForm } from '../oauth/consent-form.ts';
import { newSecret } from '../oauth/grants.ts';
import type { Parameters } from './parameters.ts';
import { badParameter, graphError, noPermission, tokenError } from './refusals.ts';

/** Those that Fanfare may ask for. Instagram has more. */
export const instagramScopes = [
  'instagram_business_basic',
  'instagram_business_content_publish',
  'instagram_business_manage_comments',
];
const readScope = (scope: string) => scope.split(/[ ,]+/);

const Authorization = z.strictObject({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.url(),
  state: z.string().min(1).optional(),
  enable_fb_login: z.string().optional(),
  force_reauth: z.string().optional(),
  scope: z.string().refine((scope) => {
    const given = readScope(scope);
    const isKnown = given.every((each) => instagramScopes.includes(each));
    return given.includes('instagram_business_basic') && isKnown;
  }),
});
const Decision = z.enum(['allow', 'deny']);

const TokenRequest = z.strictObject({
  client_id: z.string(),
  client_secret: z.string(),
  grant_type: z.literal('authorization_code'),
  code: z.string(),
  redirect_uri: z.string(),
});
const Exchange = z.strictObject({
  grant_type: z.literal('ig_exchange_token'),
  client_id: z.string().optional(),
  client_secret: z.string(),
  access_token: z.string(),
});
const Refresh = z.strictObject({
  grant_type: z.literal('ig_refresh_token'),
  access_token: z.string(),
});

interface Code {
  redirectUri: string;
  scopes: string[];
  isUsed: boolean;
}

interface Token {
  text: string;
  scopes: string[];
  isLong: boolean;
  issuedAt: number;
  expiresAt: number;
  isRevoked: boolean;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const longLifeS = 5_183_944;

export class InstagramLogins {
  readonly client = { id: '990602627938098', secret: newSecret('client') };
  /** Undefined: any. */
  redirectUri: string | undefined;
  /** The app is in development mode, and the user is none of its testers. */
  isInDevelopment = false;
  /** Scopes that the user doesn't allow. */
  readonly withheldScopes = new Set<string>();
  /** How long ago new long-lived tokens were issued. */
  issuedBeforeMs = 0;
  /** `wrapped`: in a list with one member, as documented. */
  answers: 'plain' | 'wrapped' = 'plain';
  private readonly userId: string;
  private readonly codes = new Map<string, Code>();
  private readonly tokens: Token[] = [];
  private passedMs = 0;
  private refreshes = 0;

  constructor(userId: string) {
    this.userId = userId;
  }

  now = () => Date.now() + this.passedMs;
  pass = (ms: number) => void (this.passedMs += ms);
  countRefreshes = () => this.refreshes;
  revokeAll = () => this.tokens.forEach((token) => (token.isRevoked = true));
  expireAll = () => this.tokens.forEach((token) => (token.expiresAt = 0));
  listSecrets = () => [
    this.client.secret,
    ...this.codes.keys(),
    ...this.tokens.map(({ text }) => text),
  ];

  /** As a login that was made elsewhere. */
  createToken(scopes: readonly string[] = instagramScopes, isLong = true): string {
    return this.issue([...scopes], isLong).text;
  }

  /** Throws unless the token is good and has the scopes. */
  check(text: string | undefined, ...scopes: string[]): void {
    const token = this.tokens.find((each) => each.text === text);
    if (!token) throw graphError(190, 'Invalid OAuth access token - Cannot parse access token');
    if (token.isRevoked) {
      const message = `Error validating access token: The user has not authorized application ${this.client.id}.`;
      throw graphError(190, message, { subcode: 458 });
    }
    if (token.expiresAt <= this.now()) {
      const message = 'Error validating access token: Session has expired on a Saturday.';
      throw graphError(190, message, { subcode: 463 });
    }
    const needed = ['instagram_business_basic', ...scopes];
    if (!needed.every((scope) => token.scopes.includes(scope))) throw noPermission();
  }

  authorize(method: string, given: Parameters): Response {
    const { decision, ...rest } = given;
    const { data, error } = Authorization.safeParse(rest);
    if (error) return page({ error_message: z.prettifyError(error) });
    if (data.client_id !== this.client.id) return page({ error_message: 'Invalid platform app' });
    if (this.redirectUri !== undefined && this.redirectUri !== data.redirect_uri) {
      return page({ error_message: 'Invalid redirect_uri' });
    }
    if (this.isInDevelopment) {
      const error_message = 'Insufficient developer role';
      return page({ error_type: 'OAuthException', code: 400, error_message });
    }
    if (method === 'GET') return showConsentForm('/www.instagram.com/oauth/authorize', data);
    const answer =
      Decision.parse(decision) === 'deny'
        ? {
            error: 'access_denied',
            error_reason: 'user_denied',
            error_description: 'The user denied your request',
          }
        : { code: this.createCode(data) };
    const location = new URL(data.redirect_uri);
    for (const [name, value] of Object.entries({ ...answer, state: data.state })) {
      if (value !== undefined) location.searchParams.set(name, value);
    }
    // A browser keeps the fragment to itself.
    return new Response(null, { status: 302, headers: { location: `${location.href}#_` } });
  }

  private createCode({ redirect_uri, scope }: z.infer<typeof Authorization>): string {
    const code = newSecret('code');
    const scopes = readScope(scope).filter((each) => !this.withheldScopes.has(each));
    this.codes.set(code, { redirectUri: redirect_uri, scopes, isUsed: false });
    return code;
  }

  giveToken(given: Parameters): Response {
    const { data, error } = TokenRequest.safeParse(given);
    if (error) throw tokenError(z.prettifyError(error));
    if (data.client_id !== this.client.id) throw tokenError('Invalid platform app');
    if (data.client_secret !== this.client.secret) {
      throw tokenError('Error validating client secret.');
    }
    const code = this.codes.get(data.code);
    if (!code || code.isUsed) {
      throw tokenError('Matching code was not found or was already used');
    }
    if (code.redirectUri !== data.redirect_uri) {
      throw tokenError(
        'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request',
      );
    }
    code.isUsed = true;
    const { text } = this.issue(code.scopes, false);
    if (this.answers === 'wrapped') {
      const permissions = code.scopes.join(',');
      return Response.json({ data: [{ access_token: text, user_id: this.userId, permissions }] });
    }
    const permissions = JSON.stringify(code.scopes);
    const body = `{"access_token":"${text}","user_id":${this.userId},"permissions":${permissions}}`;
    return new Response(body, { headers: { 'content-type': 'application/json' } });
  }

  exchange(given: Parameters): Response {
    const { data, error } = Exchange.safeParse(given);
    if (error) throw badParameter(z.prettifyError(error));
    if (data.client_secret !== this.client.secret) {
      throw graphError(1, 'Error validating client secret.');
    }
    const token = this.find(data.access_token);
    if (token.isLong) throw badParameter('The token is long-lived already.');
    return show(this.issue(token.scopes, true));
  }

  /** Nothing says that the old token ends. */
  refresh(given: Parameters): Response {
    const { data, error } = Refresh.safeParse(given);
    if (error) throw badParameter(z.prettifyError(error));
    const token = this.find(data.access_token);
    const isOld = token.isLong && this.now() - token.issuedAt >= dayMs;
    if (!isOld) throw badParameter('The token must be long-lived and 24 hours old.');
    this.refreshes++;
    return show(this.issue(token.scopes, true, 0));
  }

  private find(text: string): Token {
    this.check(text);
    return this.tokens.find((each) => each.text === text)!;
  }

  private issue(scopes: string[], isLong: boolean, ageMs = this.issuedBeforeMs): Token {
    const token = {
      text: newSecret(isLong ? 'long' : 'short'),
      scopes,
      isLong,
      issuedAt: this.now() - (isLong ? ageMs : 0),
      expiresAt: this.now() + (isLong ? longLifeS * 1_000 : hourMs),
      isRevoked: false,
    };
    this.tokens.push(token);
    return token;
  }
}

const show = ({ text }: Token) =>
  Response.json({ access_token: text, token_type: 'bearer', expires_in: longLifeS });

/** A page without a way back. */
const page = (body: unknown) => Response.json(body, { status: 400 });
