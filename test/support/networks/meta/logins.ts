// The consent page and the tokens of the simulated Threads, and of the simulated Instagram's own login. By
// https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions,
// https://developers.facebook.com/docs/threads/get-started/long-lived-tokens and
// https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login,
// read on 2026-11-26. Stricter than Meta: it refuses a parameter that it doesn't know. The refusal of a
// refresh is not documented.
import { z } from 'zod';
import { newSecret } from '../oauth/grants.ts';
import { ConsentPage, otherUri, showProblem, splitScope } from './consent.ts';
import { GraphRefusal, invalid, TokenRefusal } from './refusals.ts';
import { read, type Parameters } from './requests.ts';

const Authorization = z.strictObject({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.url(),
  state: z.string().min(1).optional(),
  scope: z.string(),
  decision: z.unknown().optional(),
});
export const ofApp = { client_id: z.string(), client_secret: z.string() };
const TokenRequest = z.strictObject({
  ...ofApp,
  grant_type: z.literal('authorization_code'),
  code: z.string(),
  redirect_uri: z.string(),
});
const Exchange = z.strictObject({
  grant_type: z.string(),
  client_secret: z.string(),
  access_token: z.string(),
});
const Refresh = Exchange.omit({ client_secret: true });

interface Token {
  text: string;
  scopes: string[];
  isLong: boolean;
  issuedAt: number;
  expiresAt: number;
  isRevoked: boolean;
}

const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;
const longLifeS = 5_183_944;

interface Settings {
  userId: string;
  /** Prefix of the grant types. */
  prefix: 'th' | 'ig';
  /** Scopes that Fanfare may ask for. The network has more scopes. The first one is required. */
  scopes: readonly string[];
  /** Scopes that Fanfare asks for only if its operator wants them. */
  moreScopes?: readonly string[];
}

export abstract class LongLivedLogins extends ConsentPage {
  /** How long ago new long-lived tokens were issued. */
  issuedBeforeMs = 2 * dayMs;
  protected readonly settings: Settings;
  private readonly tokens: Token[] = [];
  private passedMs = 0;
  private refreshes = 0;

  constructor(settings: Settings) {
    super('990602627938098');
    this.settings = settings;
  }

  now = () => Date.now() + this.passedMs;
  pass = (ms: number) => void (this.passedMs += ms);
  countRefreshes = () => this.refreshes;
  revokeAll = () => this.tokens.forEach((token) => (token.isRevoked = true));
  expireAll = () => this.tokens.forEach((token) => (token.expiresAt = 0));

  override listSecrets(): string[] {
    return [...super.listSecrets(), ...this.tokens.map(({ text }) => text)];
  }

  /** Makes a token as if a login elsewhere had made it. */
  createToken(scopes = this.settings.scopes, isLong = true): string {
    return this.issue(scopes, isLong).text;
  }

  /** The refusal of a token without the scope, in the network's own form. */
  protected abstract lacksScope(scope: string): GraphRefusal;
  protected abstract showShort(token: string, scopes: readonly string[]): Response;

  protected refuseToken(subcode: number, message: string): GraphRefusal {
    return new GraphRefusal(190, message, { subcode });
  }

  /** Throws unless the token is good and has the scopes. */
  check(text: string | undefined, ...scopes: string[]): void {
    this.find(text, ...scopes);
  }

  protected find(text: string | undefined, ...scopes: string[]): Token {
    const token = this.tokens.find((each) => each.text === text);
    if (!token) throw this.refuseToken(467, 'Invalid OAuth 2.0 Access Token');
    if (token.isRevoked) {
      const message = `Error validating access token: The user has not authorized application ${this.client.id}.`;
      throw this.refuseToken(458, message);
    }
    if (token.expiresAt <= this.now()) {
      throw this.refuseToken(463, 'Error validating access token: Session has expired.');
    }
    const needed = [this.settings.scopes[0]!, ...scopes];
    const missing = needed.find((scope) => !token.scopes.includes(scope));
    if (missing !== undefined) throw this.lacksScope(missing);
    return token;
  }

  authorize(request: Request, given: Parameters): Response {
    const { data, error } = Authorization.safeParse(given);
    if (error) return showProblem(z.prettifyError(error));
    const { scopes: known, moreScopes = [] } = this.settings;
    const scopes = splitScope(data.scope);
    const isKnown = scopes.every((scope) => [...known, ...moreScopes].includes(scope));
    if (!isKnown || !scopes.includes(known[0]!)) return showProblem('Invalid Scopes');
    return this.decide(request, given, { ...data, scopes }, '#_');
  }

  /** Throws unless the request has the app's secret. */
  protected readOfApp<T extends { client_id: string; client_secret: string }>(
    schema: z.ZodType<T>,
    given: Parameters,
  ): T {
    const { data, error } = schema.safeParse(given);
    if (error) throw new TokenRefusal(z.prettifyError(error));
    if (data.client_id !== this.client.id || data.client_secret !== this.client.secret) {
      throw new TokenRefusal('Error validating client secret.');
    }
    return data;
  }

  giveToken(given: Parameters): Response {
    const { code, redirect_uri } = this.readOfApp(TokenRequest, given);
    const scopes = this.use(code, redirect_uri);
    if (scopes === 'other_uri') throw new TokenRefusal(otherUri);
    if (typeof scopes === 'string') {
      throw new TokenRefusal('Matching code was not found or was already used');
    }
    return this.showShort(this.issue(scopes, false).text, scopes);
  }

  exchange(given: Parameters): Response {
    const { grant_type, client_secret, access_token } = read(Exchange, given);
    if (grant_type !== `${this.settings.prefix}_exchange_token`) throw invalid('grant_type');
    if (client_secret !== this.client.secret) {
      throw new GraphRefusal(1, 'Error validating client secret.');
    }
    const { isLong, scopes } = this.find(access_token);
    if (isLong) throw invalid('The token is long-lived already.');
    return show(this.issue(scopes, true));
  }

  /** The old token stays valid, because no document says that it ends. */
  refresh(given: Parameters): Response {
    const { grant_type, access_token } = read(Refresh, given);
    if (grant_type !== `${this.settings.prefix}_refresh_token`) throw invalid('grant_type');
    const { isLong, issuedAt, scopes } = this.find(access_token);
    const isOld = isLong && this.now() - issuedAt >= dayMs;
    if (!isOld) throw invalid('The token must be long-lived and 24 hours old.');
    this.refreshes++;
    return show(this.issue(scopes, true, 0));
  }

  private issue(scopes: readonly string[], isLong: boolean, ageMs = this.issuedBeforeMs): Token {
    const token = {
      text: newSecret(isLong ? 'long' : 'short'),
      scopes: [...scopes],
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
