// The consent page, the tokens and the pages of the simulated Facebook.
// By https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow,
// …/guides/access-tokens/get-long-lived, …/guides/access-tokens/debugging, …/guides/permissions/request-revoke and
// https://developers.facebook.com/docs/pages-api/manage-pages, read on 2026-11-26, and by answers that clients have
// published. Stricter than Facebook: it refuses a parameter that it doesn't know.
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import {
  ConsentPage,
  otherUri,
  sendBack,
  showProblem,
  splitScope,
  type Asked,
} from '../meta/consent.ts';
import { dayMs } from '../meta/logins.ts';
import { GraphRefusal, invalid, missing } from '../meta/refusals.ts';
import {
  listPage,
  Paging,
  pick,
  read,
  readBearer,
  Reading,
  type PageRequest,
  type Parameters,
} from '../meta/requests.ts';
import { newSecret } from '../oauth/grants.ts';
import { badToken, needsPageToken } from './refusals.ts';

const Authorization = z.strictObject({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.url(),
  state: z.string().min(1),
  scope: z.string().optional(),
  config_id: z.string().optional(),
  auth_type: z.literal('rerequest').optional(),
  override_default_response_type: z.literal('true').optional(),
  decision: z.unknown().optional(),
});

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
  /** Undefined: Facebook's answer names no tasks. */
  tasks: string[] | undefined;
  /** The list of pages doesn't contain the page's token. */
  isWithoutToken?: boolean;
  /** The business that has the page. Absent: only the user's own list has the page. */
  business?: string;
  /** The business is a client of the page's owner. */
  isClient?: boolean;
  /** Further fields, such as `instagram_business_account`. */
  more?: Record<string, unknown>;
}

interface Token {
  text: string;
  /** The page of the token. Undefined: the token is the user's. */
  page: string | undefined;
  scopes: string[];
  /** Infinity: the token never expires. */
  expiresAt: number;
  /** Why the token no longer works. */
  end: { subcode?: number; message: string } | undefined;
}

/** Facebook's words for why it has ended a token. */
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

/** Facebook ends the address of a callback with this fragment. */
const mark = '#_=_';
const notActive =
  'This app is not accessible right now and the app developer is aware of the issue. You will be able to log in when the app is reactivated.';

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

export class Logins extends ConsentPage {
  /** The user's ID is scoped to the app. */
  readonly user = { id: '10207021211070001', name: 'Ada Lovelace' };
  readonly pages: SimulatedPage[];
  readonly businesses: { id: string; name: string }[] = [];
  /**
   * The app is in development mode, and the user has no role in it. `shown`: the user sees this on a page
   * without a way back. `answered`: the callback says it. Users and apps have reported both.
   */
  development: 'shown' | 'answered' | undefined;
  /** Maximum number of rows in a list, whatever the limit of the request. */
  listSize = 100;
  /** When the access to data ends, in days. 0: never. */
  dataAccessDays = 90;
  /** Pages that the user allows posts to. Undefined: all pages. */
  postablePages: string[] | undefined;
  /** Whether `GET /me/permissions` is refused, as for a system user. */
  hasNoPermissions = false;
  protected override readonly denial = 'Permissions error.';
  private readonly tokens: Token[] = [];

  constructor(pages: SimulatedPage[]) {
    super('1234567890123456');
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

  override listSecrets(): string[] {
    return [...super.listSecrets(), ...this.tokens.map(({ text }) => text)];
  }

  /** Makes a token as if a login elsewhere had made it. */
  createToken(page?: string, scopes: readonly string[] = allScopes): string {
    return this.issue([...scopes], page).text;
  }

  /** Throws unless the text is a good token of the user, or of this page. */
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
  private checkProof(token: string | undefined, proof: unknown): void {
    if (proof === undefined) return;
    const expected = createHmac('sha256', this.client.secret)
      .update(token ?? '')
      .digest('hex');
    if (proof !== expected) throw invalid('Invalid appsecret_proof provided in the API argument');
  }

  private endByTime({ expiresAt }: Token): Token['end'] {
    return expiresAt > Date.now() ? undefined : { subcode: 463, message: ends[463] };
  }

  /** `path`: the path without the version. Undefined: the path doesn't belong to the login. */
  answer(request: Request, path: string, given: Parameters): Response | undefined {
    if (path === '/dialog/oauth') return this.authorize(request, given);
    if (path === '/oauth/access_token') return this.giveToken(given);
    const { access_token, appsecret_proof, ...parameters } = given;
    const token = readBearer(request) ?? (access_token as string | undefined);
    const url = new URL(request.url);
    this.checkProof(token, appsecret_proof);
    const [, business, edge] = /^\/(\d+)\/(owned_pages|client_pages)$/.exec(path) ?? [];
    if (business !== undefined) {
      return this.listPagesOf(
        token,
        url,
        { business, isClient: edge === 'client_pages' },
        parameters,
      );
    }
    switch (path.replace(`/${this.user.id}`, '/me')) {
      case '/debug_token':
        return this.inspect(token, parameters);
      case '/me': {
        if (this.findGood(token).page !== undefined) return undefined;
        return Response.json(pick(this.user, read(Reading, parameters).fields, ['id', 'name']));
      }
      case '/me/permissions':
        return this.listPermissions(token);
      case '/me/accounts':
        return this.listPages(token, url, parameters);
      case '/me/businesses':
        return this.listBusinesses(token, url, parameters);
      default:
        return undefined;
    }
  }

  private authorize(request: Request, given: Parameters): Response {
    const { data, error } = Authorization.safeParse(given);
    if (error) return showProblem(z.prettifyError(error));
    const scopes = data.config_id && !data.scope ? allScopes : splitScope(data.scope ?? '');
    if (!scopes.every((scope) => allScopes.includes(scope))) return showProblem('Invalid Scopes');
    return this.decide(request, given, { ...data, scopes }, mark);
  }

  protected override refuseUser(asked: Asked): Response | undefined {
    if (this.development === 'shown') return showProblem(`App not active: ${notActive}`);
    if (this.development === undefined) return undefined;
    return sendBack(asked, { error_code: '1349126', error_message: 'App not active' }, mark);
  }

  private giveToken(parameters: Parameters): Response {
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

  private useCode({ code, redirect_uri }: { code: string; redirect_uri: string }): string[] {
    const scopes = this.use(code, redirect_uri);
    switch (scopes) {
      case 'unknown':
        throw new GraphRefusal(100, 'Invalid verification code format.');
      case 'other_uri':
        throw new GraphRefusal(100, otherUri, { subcode: 36008 });
      case 'used': {
        const message = 'This authorization code has been used.';
        const challenge = `OAuth "Facebook Platform" "invalid_code" "${message}"`;
        const headers = { 'www-authenticate': challenge };
        throw new GraphRefusal(100, message, { subcode: 36009, headers });
      }
      default:
        return scopes;
    }
  }

  private appToken = () => `${this.client.id}|${this.client.secret}`;

  /** Even a dead token is described with the status 200. */
  private inspect(bearer: string | undefined, parameters: Parameters): Response {
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

  private listPermissions(text: string | undefined): Response {
    this.check(text, undefined);
    if (this.hasNoPermissions) throw invalid('Tried accessing nonexisting field (permissions)');
    const { scopes } = this.findGood(text);
    const row = (status: string) => (permission: string) => ({ permission, status });
    const declined = [...this.withheldScopes].map(row('declined'));
    return Response.json({ data: [...scopes.map(row('granted')), ...declined] });
  }

  private listPages(text: string | undefined, url: URL, parameters: Parameters): Response {
    const token = this.check(text, undefined);
    const isAllowed = token.scopes.includes('pages_show_list');
    const own = this.pages.filter(({ business }) => isAllowed && business === undefined);
    return this.listOf(own, token, url, parameters);
  }

  private listBusinesses(text: string | undefined, url: URL, parameters: Parameters): Response {
    this.checkBusiness(this.check(text, undefined));
    return this.list(url, read(Paging, parameters), this.businesses);
  }

  private listPagesOf(
    text: string | undefined,
    url: URL,
    { business, isClient }: { business: string; isClient: boolean },
    parameters: Parameters,
  ): Response {
    const token = this.check(text, undefined);
    this.checkBusiness(token);
    if (!this.businesses.some(({ id }) => id === business)) throw missing(business);
    const found = this.pages.filter(
      (each) => each.business === business && (each.isClient ?? false) === isClient,
    );
    return this.listOf(found, token, url, parameters);
  }

  private listOf(
    pages: readonly SimulatedPage[],
    token: Token,
    url: URL,
    parameters: Parameters,
  ): Response {
    const rows = pages.map((page) => this.showPage(page, token));
    return this.list(url, read(Paging, parameters), rows);
  }

  private checkBusiness({ scopes }: Token): void {
    if (scopes.includes('business_management')) return;
    const message = '(#200) Requires business_management permission to manage the object';
    throw new GraphRefusal(200, message, { status: 403 });
  }

  private showPage(
    { id, name, tasks, isWithoutToken, more }: SimulatedPage,
    { scopes, expiresAt }: Token,
  ): Record<string, unknown> {
    // A token that is read with a short-lived token is short-lived too.
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

  list(
    url: URL,
    { limit, ...page }: PageRequest,
    rows: readonly object[],
    defaults = ['id', 'name'],
  ): Response {
    return listPage(rows, { ...page, limit: Math.min(limit, this.listSize) }, defaults, url);
  }

  private issue(scopes: string[], pageId?: string, lifeS = longLifeS): Token {
    const text = `EAAB${newSecret(pageId === undefined ? 'user' : 'page').replace('-', '')}`;
    const expiresAt = Date.now() + lifeS * 1_000;
    this.tokens.push({ text, page: pageId, scopes, expiresAt, end: undefined });
    return this.tokens.at(-1)!;
  }
}

const toSeconds = (ms: number) => Math.floor(ms / 1_000);

const show = ({ text }: Token, expires_in: number) =>
  Response.json({ access_token: text, token_type: 'bearer', expires_in });
