// The consent page and the tokens of the simulated Threads.
// By https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions and
// https://developers.facebook.com/docs/threads/get-started/long-lived-tokens, read on 2026-11-26.
// Stricter than Threads: it refuses a parameter that it doesn't know. The refusal of a refresh is not documented.
import { z } from 'zod';
import { showConsentForm } from '../oauth/consent-form.ts';
import { newSecret } from '../oauth/grants.ts';
import { apiError, graphError, noPermission, tokenError, type ThreadsRefusal } from './refusals.ts';

/** Those that Fanfare may ask for. Threads has more. */
const known = [
  'threads_basic',
  'threads_content_publish',
  'threads_manage_replies',
  'threads_read_replies',
];
const readScope = (scope: string) => scope.split(/[ ,]+/);

const Authorization = z.strictObject({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.url(),
  state: z.string().min(1).optional(),
  scope: z.string().refine((scope) => {
    const given = readScope(scope);
    return given.includes('threads_basic') && given.every((each) => known.includes(each));
  }),
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
  z.strictObject({ ...client, grant_type: z.literal('client_credentials') }),
]);
const Exchange = z.strictObject({
  grant_type: z.literal('th_exchange_token'),
  client_secret: z.string(),
  access_token: z.string(),
});
const Refresh = z.strictObject({
  grant_type: z.literal('th_refresh_token'),
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
const shortLifeMs = hourMs;
const longLifeS = 5_183_944;

export type Parameters = Record<string, string>;

export class Logins {
  readonly client = { id: '990602627938098', secret: newSecret('client') };
  /** Undefined: any. */
  redirectUri: string | undefined;
  /** Scopes that the user doesn't allow. */
  readonly withheldScopes = new Set<string>();
  /** How long ago new long-lived tokens were issued. */
  issuedBeforeMs = 0;
  /** The form of the error for a bad token. */
  errorForm: 'graph' | 'api' = 'graph';
  /** The inspection of a token needs one of a tester, and the user is none. */
  inspectsNone = false;
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
  createToken(scopes: readonly string[] = known, isLong = true): string {
    return this.issue([...scopes], isLong).text;
  }

  /** Throws unless the token is good and has the scopes. */
  check(text: string | undefined, ...scopes: string[]): void {
    const token = this.tokens.find((each) => each.text === text);
    if (!token) throw this.invalid(467, 'Invalid OAuth 2.0 Access Token');
    if (token.isRevoked) {
      const message = `Error validating access token: The user has not authorized application ${this.client.id}.`;
      throw this.invalid(458, message);
    }
    if (token.expiresAt <= this.now()) {
      throw this.invalid(463, 'Error validating access token: Session has expired.');
    }
    if (!token.scopes.includes('threads_basic')) {
      const message =
        'This action requires the threads_basic permission. You must submit for app review, or your user must be in the list of Threads testers.';
      throw apiError(100, message, { status: 400, subcode: 10 });
    }
    if (!scopes.every((scope) => token.scopes.includes(scope))) throw noPermission();
  }

  private invalid(subcode: number, message: string): ThreadsRefusal {
    return this.errorForm === 'api'
      ? apiError(190, message)
      : graphError(190, message, { subcode });
  }

  authorize(method: string, given: Parameters): Response {
    const { decision, ...rest } = given;
    const { data, error } = Authorization.safeParse(rest);
    if (error) return page({ error_message: z.prettifyError(error), error_code: 4476002 });
    if (data.client_id !== this.client.id) {
      return page({ error_message: 'No application data was given.', error_code: 1349026 });
    }
    if (this.redirectUri !== undefined && this.redirectUri !== data.redirect_uri) {
      return page({ error_message: 'URL Blocked', error_code: 1349168 });
    }
    if (method === 'GET') return showConsentForm('/oauth/authorize', data);
    const location = new URL(data.redirect_uri);
    const answer =
      Decision.shape.decision.parse(decision) === 'deny'
        ? {
            error: 'access_denied',
            error_reason: 'user_denied',
            error_description: 'The user denied your request',
          }
        : { code: this.createCode(data) };
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

  /** With a number as the ID of the user, as documented. */
  giveToken(given: Parameters): Response {
    const { data, error } = TokenRequest.safeParse(given);
    if (error) throw tokenError(z.prettifyError(error));
    if (data.client_id !== this.client.id || data.client_secret !== this.client.secret) {
      throw tokenError('Error validating client secret.');
    }
    if (data.grant_type === 'client_credentials') {
      return Response.json({ access_token: `TH|${this.client.id}|token`, token_type: 'bearer' });
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
    return new Response(`{"access_token":"${text}","user_id":${this.userId}}`, {
      headers: { 'content-type': 'application/json' },
    });
  }

  exchange(given: Parameters): Response {
    const { data, error } = Exchange.safeParse(given);
    if (error) throw graphError(100, z.prettifyError(error));
    if (data.client_secret !== this.client.secret) {
      throw graphError(1, 'Error validating client secret.');
    }
    const token = this.find(data.access_token);
    if (token.isLong) throw graphError(100, 'The token is long-lived already.');
    return show(this.issue(token.scopes, true));
  }

  /** Nothing says that the old token ends. */
  refresh(given: Parameters): Response {
    const { data, error } = Refresh.safeParse(given);
    if (error) throw graphError(100, z.prettifyError(error));
    const token = this.find(data.access_token);
    const isOld = token.isLong && this.now() - token.issuedAt >= dayMs;
    if (!isOld) throw graphError(100, 'The token must be long-lived and 24 hours old.');
    this.refreshes++;
    return show(this.issue(token.scopes, true, 0));
  }

  inspect(bearer: string | undefined, { input_token }: Parameters): Response {
    this.check(bearer);
    if (this.inspectsNone) throw noPermission();
    const token = this.find(input_token ?? '');
    return Response.json({
      data: {
        type: 'USER',
        application: 'Fanfare',
        data_access_expires_at: toSeconds(token.issuedAt + 90 * dayMs),
        expires_at: toSeconds(token.expiresAt),
        is_valid: true,
        issued_at: toSeconds(token.issuedAt),
        scopes: token.scopes,
        user_id: this.userId,
      },
    });
  }

  private find(text: string): Token {
    this.check(text);
    return this.tokens.find((each) => each.text === text)!;
  }

  private issue(scopes: string[], isLong: boolean, ageMs = this.issuedBeforeMs): Token {
    const issuedAt = this.now() - (isLong ? ageMs : 0);
    const lifeMs = isLong ? longLifeS * 1_000 : shortLifeMs;
    const text = newSecret(isLong ? 'long' : 'short');
    const token = { text, scopes, isLong, issuedAt, expiresAt: this.now() + lifeMs };
    this.tokens.push({ ...token, isRevoked: false });
    return this.tokens.at(-1)!;
  }
}

const toSeconds = (ms: number) => Math.floor(ms / 1_000);

const show = ({ text }: Token) =>
  Response.json({ access_token: text, token_type: 'bearer', expires_in: longLifeS });

/** A page without a way back. */
const page = (body: unknown) => Response.json(body, { status: 400 });
