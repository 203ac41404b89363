// The consent page, the tokens and the pages of the simulated Facebook.
// By https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow,
// …/guides/access-tokens/get-long-lived, …/guides/access-tokens/debugging, …/guides/permissions/request-revoke and
// https://developers.facebook.com/docs/pages-api/manage-pages, read on 2026-11-26, and by answers that clients have
// published. Stricter than Facebook: it refuses a parameter that it doesn't know.
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { showConsentForm } from '../oauth/consent-form.ts';
import { newSecret } from '../oauth/grants.ts';
import { Listing, read, splitFields } from './parameters.ts';
import { badToken, GraphRefusal, invalid, missing, needsPageToken } from './refusals.ts';

const readScope = (scope: string) => scope.split(/[ ,]+/);

const Authorization = z.strictObject({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.url(),
  state: z.string().min(1),
  scope: z.string().optional(),
  config_id: z.string().optional(),
  auth_type: z.literal('rerequest').optional(),
  override_default_response_type: z.literal('true').optional(),
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
  z.strictObject({
    ...client,
    grant_type: z.literal('fb_exchange_token'),
    fb_exchange_token: z.string(),
  }),
  z.strictObject({ ...client, grant_type: z.literal('client_credentials') }),
]);
const Inspection = z.strictObject({ input_token: z.string() });

export interface SimulatedPage {
  id: string;
  name: string;
  /** Undefined: the answer doesn't name them. */
  tasks: string[] | undefined;
  /** The list of pages has no token for it. */
  isWithoutToken?: boolean;
  /** Of the business that has it. Absent: only the user's own list has it. */
  business?: string;
  /** The business is a client of the page's owner. */
  isClient?: boolean;
  /** Further fields, such as `instagram_business_account`. */
  more?: Record<string, unknown>;
}

interface Code {
  redirectUri: string;
  scopes: string[];
  isUsed: boolean;
}

interface Token {
  text: string;
  /** Of its page. Undefined: it is the user's. */
  page: string | undefined;
  scopes: string[];
  /** Infinity: never. */
  expiresAt: number;
  /** Why it no longer works. */
  end: { subcode?: number; message: string } | undefined;
}

/** Why Facebook ends a token, in its own words. */
const ends = {
  458: 'Error validating access token: The user has not authorized application 1234567890123456.',
  459: 'Error validating access token: You cannot access the app till you log in to www.facebook.com and follow the instructions given.',
  460: 'Error validating access token: The session has been invalidated because the user changed their password or Facebook has changed the session for security reasons.',
  463: 'Error validating access token: Session has expired on Saturday, 13-Jun-26 05:00:00 PDT. The current time is Sunday, 14-Jun-26 05:00:00 PDT.',
  464: 'Error validating access token: Sessions for the user are not allowed because the user is not a confirmed user.',
  467: 'Error validating access token: This may be because the user logged out or may be due to a system error.',
  492: 'Error validating access token: The user must be an administrator, editor, or moderator of the page in order to impersonate it. If the page business requires Two Factor Authentication, the user also needs to enable Two Factor Authentication.',
} as const;
export type EndCode = keyof typeof ends;

const dayMs = 24 * 3_600_000;
const longLifeS = 5_183_944;
const shortLifeS = 5_400;
const allScopes = [
  'pages_show_list',
  'pages_read_engagement',
  'pages_manage_posts',
  'pages_manage_engagement',
  'business_management',
  'instagram_basic',
  'instagram_content_publish',
  'instagram_manage_comments',
];

export type Parameters = Record<string, unknown>;

export class Logins {
  readonly client = { id: '1234567890123456', secret: newSecret('client') };
  /** App-scoped ID. */
  readonly user = { id: '10207021211070001', name: 'Ada Lovelace' };
  readonly pages: SimulatedPage[];
  readonly businesses: { id: string; name: string }[] = [];
  /** Undefined: any. */
  redirectUri: string | undefined;
  /**
   * The app is in development mode, and the user has no role in it. `shown`: on a page without a way back.
   * `answered`: in the callback. Both as users and apps have reported it.
   */
  development: 'shown' | 'answered' | undefined;
  /** Scopes that the user declines. */
  readonly withheldScopes = new Set<string>();
  /** Most rows of a list, whatever the limit. */
  listSize = 100;
  /** When the access to data ends, in days. 0: never. */
  dataAccessDays = 90;
  /** Pages that the user allows posts to. Undefined: all. */
  postablePages: string[] | undefined;
  /** Whether `GET /me/permissions` is refused, as for a system user. */
  hasNoPermissions = false;
  private readonly codes = new Map<string, Code>();
  private readonly tokens: Token[] = [];

  constructor(pages: SimulatedPage[]) {
    this.pages = pages;
  }

  expireAll = () => this.endAll(463);
  revokeAll = () => this.endAll(458);

  endAll(subcode: EndCode, page?: string): void {
    for (const token of this.tokens) {
      const isMeant = page === undefined || token.page === page;
      if (isMeant) token.end = { subcode, message: ends[subcode] };
    }
  }

  listSecrets = () => [
    this.client.secret,
    ...this.codes.keys(),
    ...this.tokens.map(({ text }) => text),
  ];

  /** As a login that was made elsewhere. */
  createToken(page?: string, scopes: readonly string[] = allScopes): string {
    return this.issue([...scopes], page).text;
  }

  /** Throws unless it is the good token of a user, or of this page. */
  check(text: string | undefined, page: string | undefined): Token {
    const token = this.findGood(text);
    if (page === undefined) {
      if (token.page !== undefined) {
        throw invalid('Tried accessing nonexisting field on node type (Page)');
      }
      return token;
    }
    if (token.page === undefined) throw needsPageToken();
    if (token.page !== page) throw missing(page, 'GET');
    return token;
  }

  findGood(text: string | undefined): Token {
    if (text === undefined) {
      const message = 'An access token is required to request this resource.';
      throw new GraphRefusal(104, message);
    }
    const token = this.tokens.find((each) => each.text === text);
    if (!token) throw badToken();
    const { end = this.endByTime(token) } = token;
    if (!end) return token;
    throw new GraphRefusal(190, end.message, {
      ...(end.subcode !== undefined && { subcode: end.subcode }),
    });
  }

  /** `appsecret_proof`, which clients may send: https://developers.facebook.com/docs/facebook-login/security */
  checkProof(token: string | undefined, proof: unknown): void {
    if (proof === undefined) return;
    const expected = createHmac('sha256', this.client.secret)
      .update(token ?? '')
      .digest('hex');
    if (proof !== expected) throw invalid('Invalid appsecret_proof provided in the API argument');
  }

  private endByTime({ expiresAt }: Token): Token['end'] {
    return expiresAt > Date.now() ? undefined : { subcode: 463, message: ends[463] };
  }

  authorize(method: string, path: string, given: Parameters): Response {
    const { decision, ...rest } = given;
    const { data, error } = Authorization.safeParse(rest);
    if (error) return showMessage(z.prettifyError(error));
    const scopes = readScope(data.scope ?? (data.config_id ? allScopes.join(' ') : ''));
    if (!scopes.every((scope) => allScopes.includes(scope))) return showMessage('Invalid Scopes');
    if (data.client_id !== this.client.id) return showMessage('Invalid App ID');
    if (this.redirectUri !== undefined && this.redirectUri !== data.redirect_uri) {
      return showMessage('URL Blocked');
    }
    if (this.development === 'shown') return showMessage(`App not active: ${notActive}`);
    if (this.development === 'answered') {
      return sendBack(data, { error_code: '1349126', error_message: 'App not active' });
    }
    if (method === 'GET') return showConsentForm(path, data);
    const answer: Record<string, string> =
      Decision.shape.decision.parse(decision) === 'deny'
        ? {
            error: 'access_denied',
            error_reason: 'user_denied',
            error_description: 'Permissions error.',
          }
        : { code: this.createCode(data.redirect_uri, scopes) };
    return sendBack(data, answer);
  }

  private createCode(redirectUri: string, scopes: string[]): string {
    const code = newSecret('code');
    const granted = scopes.filter((scope) => !this.withheldScopes.has(scope));
    this.codes.set(code, { redirectUri, scopes: granted, isUsed: false });
    return code;
  }

  giveToken(parameters: Parameters): Response {
    const grant_type = parameters['grant_type'] ?? 'authorization_code';
    const data = read(TokenRequest, { ...parameters, grant_type });
    if (data.client_id !== this.client.id) {
      throw new GraphRefusal(101, 'Error validating application. Invalid application ID.');
    }
    if (data.client_secret !== this.client.secret) {
      throw new GraphRefusal(1, 'Error validating client secret.');
    }
    switch (data.grant_type) {
      case 'client_credentials':
        return Response.json({ access_token: this.appToken(), token_type: 'bearer' });
      case 'fb_exchange_token': {
        const { scopes, page: ofPage } = this.findGood(data.fb_exchange_token);
        if (ofPage !== undefined) throw invalid('The token is of a page.');
        return show(this.issue(scopes), longLifeS);
      }
      case 'authorization_code':
        return show(this.issue(this.useCode(data), undefined, shortLifeS), shortLifeS);
    }
  }

  private useCode({ code: text, redirect_uri }: { code: string; redirect_uri: string }): string[] {
    const code = this.codes.get(text);
    if (!code) throw new GraphRefusal(100, 'Invalid verification code format.');
    if (code.redirectUri !== redirect_uri) {
      const message =
        'Error validating verification code. Please make sure your redirect_uri is identical to the one you used in the OAuth dialog request';
      throw new GraphRefusal(100, message, { subcode: 36008 });
    }
    if (code.isUsed) {
      const message = 'This authorization code has been used.';
      const challenge = `OAuth "Facebook Platform" "invalid_code" "${message}"`;
      const headers = { 'www-authenticate': challenge };
      throw new GraphRefusal(100, message, { subcode: 36009, headers });
    }
    code.isUsed = true;
    return code.scopes;
  }

  private appToken = () => `${this.client.id}|${this.client.secret}`;

  /** A dead token is described with the status 200. */
  inspect(bearer: string | undefined, parameters: Parameters): Response {
    if (bearer !== this.appToken()) throw badToken('Invalid OAuth access token signature.');
    const { input_token } = read(Inspection, parameters);
    const token = this.tokens.find((each) => each.text === input_token);
    const app_id = this.client.id;
    const end = token
      ? (token.end ?? this.endByTime(token))
      : { message: 'Invalid OAuth access token.' };
    if (!token || end) {
      const error = { code: 190, ...end };
      return Response.json({ data: { app_id, error, is_valid: false, scopes: [] } });
    }
    const { page: profile_id, scopes, expiresAt } = token;
    const dataEnd = this.dataAccessDays && toSeconds(Date.now() + this.dataAccessDays * dayMs);
    return Response.json({
      data: {
        app_id,
        type: profile_id === undefined ? 'USER' : 'PAGE',
        application: 'Fanfare',
        data_access_expires_at: dataEnd,
        expires_at: Number.isFinite(expiresAt) ? toSeconds(expiresAt) : 0,
        is_valid: true,
        scopes,
        granular_scopes: scopes.map((scope) => ({
          scope,
          ...(scope === 'pages_manage_posts' && { target_ids: this.postablePages }),
        })),
        user_id: this.user.id,
        ...(profile_id !== undefined && { profile_id }),
      },
    });
  }

  listPermissions(text: string | undefined): Response {
    this.check(text, undefined);
    if (this.hasNoPermissions) throw invalid('Tried accessing nonexisting field (permissions)');
    const { scopes } = this.findGood(text);
    const row = (status: string) => (permission: string) => ({ permission, status });
    const declined = [...this.withheldScopes].map(row('declined'));
    return Response.json({ data: [...scopes.map(row('granted')), ...declined] });
  }

  listPages(text: string | undefined, url: URL, parameters: Parameters): Response {
    const token = this.check(text, undefined);
    const own = this.pages.filter(({ business }) => business === undefined);
    const isAllowed = token.scopes.includes('pages_show_list');
    return this.list(
      url,
      parameters,
      isAllowed ? own.map((each) => this.showPage(each, token)) : [],
    );
  }

  listBusinesses(text: string | undefined, url: URL, parameters: Parameters): Response {
    this.checkBusiness(this.check(text, undefined));
    return this.list(url, parameters, this.businesses);
  }

  /** `edge`: `owned_pages` or `client_pages`. */
  listPagesOf(
    text: string | undefined,
    url: URL,
    { business, edge }: { business: string; edge: string },
    parameters: Parameters,
  ): Response {
    const token = this.check(text, undefined);
    this.checkBusiness(token);
    if (!this.businesses.some(({ id }) => id === business)) throw missing(business, 'GET');
    const isClient = edge === 'client_pages';
    const found = this.pages.filter(
      (each) => each.business === business && (each.isClient ?? false) === isClient,
    );
    return this.list(
      url,
      parameters,
      found.map((each) => this.showPage(each, token)),
    );
  }

  private checkBusiness({ scopes }: Token): void {
    if (scopes.includes('business_management')) return;
    throw new GraphRefusal(
      200,
      '(#200) Requires business_management permission to manage the object',
      {
        status: 403,
      },
    );
  }

  private showPage(
    { id, name, tasks, isWithoutToken, more }: SimulatedPage,
    { scopes, expiresAt }: Token,
  ): Record<string, unknown> {
    // A token that is read with a short-lived one is short-lived too.
    const isLong = expiresAt - Date.now() > dayMs;
    const issued = isWithoutToken ? undefined : this.issueOfPage(scopes, id, isLong);
    const none = { username: undefined, picture: undefined };
    const linked = {
      instagram_business_account: undefined,
      connected_instagram_account: undefined,
    };
    const own = { id, name, category: 'Bakery', tasks, access_token: issued?.text };
    return { ...none, ...linked, ...own, ...more };
  }

  /** Facebook gives the same token again. */
  private issueOfPage(scopes: string[], pageId: string, isLong: boolean): Token {
    const known = this.tokens.find(
      ({ page, end, expiresAt }) => page === pageId && !end && (expiresAt === Infinity) === isLong,
    );
    return known ?? this.issue(scopes, pageId, isLong ? Infinity : shortLifeS);
  }

  /** By cursors. The address of the next page has the token, as Facebook's has. */
  list(
    url: URL,
    parameters: Parameters,
    rows: readonly object[],
    defaults = ['id', 'name'],
  ): Response {
    const { limit, after, fields } = read(Listing, parameters);
    const start = after === undefined ? 0 : Number(Buffer.from(after, 'base64').toString()) + 1;
    const end = Math.min(start + Math.min(limit, this.listSize), rows.length);
    const data = rows.slice(start, end).map((row) => pick(row, fields, defaults));
    const cursor = (i: number) => Buffer.from(String(i)).toString('base64');
    const next = new URL(url);
    next.searchParams.set('after', cursor(end - 1));
    return Response.json({
      data,
      ...(data.length > 0 && {
        paging: {
          cursors: { before: cursor(start), after: cursor(end - 1) },
          ...(end < rows.length && { next: next.href }),
        },
      }),
    });
  }

  private issue(scopes: string[], pageId?: string, lifeS = longLifeS): Token {
    const text = `EAAB${newSecret(pageId === undefined ? 'user' : 'page').replace('-', '')}`;
    const expiresAt = Date.now() + lifeS * 1_000;
    this.tokens.push({ text, page: pageId, scopes, expiresAt, end: undefined });
    return this.tokens.at(-1)!;
  }
}

const notActive =
  'This app is not accessible right now and the app developer is aware of the issue. You will be able to log in when the app is reactivated.';

function sendBack(
  { redirect_uri, state }: { redirect_uri: string; state: string },
  answer: Record<string, string>,
): Response {
  const location = new URL(redirect_uri);
  for (const [name, value] of Object.entries({ ...answer, state })) {
    location.searchParams.set(name, value);
  }
  // A browser keeps the fragment to itself.
  return new Response(null, { status: 302, headers: { location: `${location.href}#_=_` } });
}

const toSeconds = (ms: number) => Math.floor(ms / 1_000);

const show = ({ text }: Token, expires_in: number) =>
  Response.json({ access_token: text, token_type: 'bearer', expires_in });

/** A page without a way back. */
const showMessage = (message: string) => new Response(message, { status: 400 });

/** The asked fields. Those without a value are left out. Graph APIs always name the object. */
export function pick(row: object, fields: string | undefined, defaults: string[]) {
  const all = row as Record<string, unknown>;
  const asked = (fields === undefined ? defaults : splitFields(fields)).map(
    (field) => /^\w+/.exec(field)?.[0] ?? field,
  );
  const unknown = asked.find((field) => !(field in all));
  if (unknown !== undefined) throw invalid(`Tried accessing nonexisting field (${unknown})`);
  const named = 'id' in all ? new Set(['id', ...asked]) : asked;
  return Object.fromEntries([...named].map((field) => [field, all[field]]));
}
