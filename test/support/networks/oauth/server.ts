// A simulated network with OAuth 2: authorization code with PKCE, rotating refresh tokens, several accounts in a login.
import { z } from 'zod';
import type { NetworkServer, PublicPost } from '../contract/subject.ts';
import { dispatch, readForm, readJson, Refusal, refuse, type Route } from '../strict-requests.ts';
import { showConsentForm } from './consent-form.ts';
import { createGrants, newSecret, OAuthError, type GrantSettings } from './grants.ts';

export interface OAuthAccount {
  id: string;
  name: string;
  picture?: string;
  /** Why the account can't publish. */
  problem: string | null;
}

export interface OAuthServer extends NetworkServer {
  readonly client: { id: string; secret: string };
  /** The accounts that the login reaches. */
  accounts: OAuthAccount[];
  /** Scopes that the user unchecks on the consent page. */
  readonly withheldScopes: Set<string>;
  /** Replaces the answer to the next request of the token endpoint. */
  nextTokenAnswer: Response | undefined;
  readonly posts: (PublicPost & { accountId: string })[];
  /** Requests of the token endpoint. */
  countTokenRequests(): number;
  countLiveGrants(): number;
  /** Moves the clock of the network. */
  pass(ms: number): void;
  /** Every code, token and client secret that the network ever gave out. */
  listSecrets(): string[];
}

const Authorization = z.strictObject({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.url(),
  state: z.string().min(8),
  scope: z.string(),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
  code_challenge_method: z.literal('S256'),
});
const Decision = Authorization.extend({ decision: z.enum(['allow', 'deny']) });
const TokenRequest = z.discriminatedUnion('grant_type', [
  z.strictObject({
    grant_type: z.literal('authorization_code'),
    code: z.string(),
    redirect_uri: z.string(),
    code_verifier: z.string().regex(/^[\w.~-]{43,128}$/),
  }),
  z.strictObject({ grant_type: z.literal('refresh_token'), refresh_token: z.string() }),
]);
const NewPost = z.strictObject({ text: z.string(), reference: z.string() });

/** `redirectUri`: the only redirect URI that the client has registered. */
export function createOAuthServer(redirectUri: string, lifetimes?: GrantSettings): OAuthServer {
  const client = { id: 'fanfare', secret: newSecret('client') };
  const grants = createGrants(lifetimes);
  const references = new Map<string, string>();
  let tokenRequests = 0;

  const server: OAuthServer = {
    client,
    accounts: [
      { id: 'page-1', name: 'Bakery', problem: null },
      { id: 'page-2', name: 'Garden', problem: null },
      { id: 'page-3', name: 'Archive', problem: 'You are not an editor of this page.' },
    ],
    withheldScopes: new Set(),
    nextTokenAnswer: undefined,
    posts: [],
    countTokenRequests: () => tokenRequests,
    countLiveGrants: grants.countLive,
    pass: grants.pass,
    listSecrets: () => [client.secret, ...grants.listSecrets()],
    answer: (request) => dispatch(routes, request),
    refuse,
    expireToken: grants.expireAll,
    revokeToken: grants.revokeAll,
  };

  function checkClient(request: Request): void {
    const login = `${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`;
    const expected = `Basic ${Buffer.from(login).toString('base64')}`;
    if (request.headers.get('authorization') === expected) return;
    throw new OAuthError('invalid_client', 'The client is unknown.');
  }

  function findAccount(id: string): OAuthAccount {
    const account = server.accounts.find((each) => each.id === id);
    if (!account) throw new Refusal(404, 'not_found', `There is no ${id}.`);
    if (account.problem !== null) throw new Refusal(403, 'not_editor', account.problem);
    return account;
  }

  /** The user isn't redirected to an address that isn't registered: RFC 6749, section 4.1.2.1. */
  function checkAuthorization(given: z.infer<typeof Authorization>): void {
    if (given.client_id !== client.id || given.redirect_uri !== redirectUri) {
      throw new Refusal(400, 'invalid_request', 'The client or the redirect_uri is unknown.');
    }
  }

  /** For endpoints that report errors in the form of RFC 6749. */
  const ofClient =
    (handle: (request: Request) => Promise<Response>): Route['handle'] =>
    async (request) => {
      try {
        checkClient(request);
        return await handle(request);
      } catch (error) {
        if (error instanceof OAuthError) return error.toResponse();
        if (!(error instanceof Refusal)) throw error;
        return new OAuthError('invalid_request', error.message).toResponse();
      }
    };

  const routes: Route[] = [
    {
      method: 'GET',
      path: /^\/authorize$/,
      handle(request) {
        const given = Object.fromEntries(new URL(request.url).searchParams);
        const parsed = Authorization.safeParse(given);
        if (!parsed.success) throw new Refusal(400, 'invalid', z.prettifyError(parsed.error));
        checkAuthorization(parsed.data);
        return showConsentForm('/authorize', parsed.data);
      },
    },
    {
      method: 'POST',
      path: /^\/authorize$/,
      async handle(request) {
        const given = await readForm(request, Decision);
        checkAuthorization(given);
        const callback = new URL(given.redirect_uri);
        callback.searchParams.set('state', given.state);
        if (given.decision === 'deny') callback.searchParams.set('error', 'access_denied');
        else {
          const scopes = given.scope.split(' ').filter((each) => !server.withheldScopes.has(each));
          const code = grants.createCode({
            redirectUri: given.redirect_uri,
            challenge: given.code_challenge,
            scope: scopes.join(' '),
          });
          callback.searchParams.set('code', code);
        }
        return new Response(null, { status: 303, headers: { location: callback.href } });
      },
    },
    {
      method: 'POST',
      path: /^\/token$/,
      handle: ofClient(async (request) => {
        tokenRequests++;
        const scripted = server.nextTokenAnswer;
        server.nextTokenAnswer = undefined;
        if (scripted) return scripted;
        const given = await readForm(request, TokenRequest);
        return Response.json(
          given.grant_type === 'refresh_token'
            ? grants.refresh(given.refresh_token)
            : grants.exchange(given),
        );
      }),
    },
    {
      // RFC 7009. An unknown token is no error.
      method: 'POST',
      path: /^\/revoke$/,
      handle: ofClient(async (request) => {
        const { token } = await readForm(request, z.strictObject({ token: z.string() }));
        grants.revoke(token);
        return new Response(null);
      }),
    },
    {
      method: 'GET',
      path: /^\/accounts$/,
      handle(request) {
        grants.check(request, 'accounts');
        return Response.json({ accounts: server.accounts });
      },
    },
    {
      method: 'POST',
      path: /^\/accounts\/([^/]+)\/posts$/,
      async handle(request, [accountId = '']) {
        grants.check(request, 'publish');
        findAccount(accountId);
        const { text, reference } = await readJson(request, NewPost);
        const id = `post-${server.posts.length + 1}`;
        server.posts.push({ id, text, replyTo: null, accountId });
        references.set(id, reference);
        return Response.json({ id }, { status: 201 });
      },
    },
    {
      method: 'GET',
      path: /^\/accounts\/([^/]+)\/posts$/,
      handle(request, [accountId = '']) {
        grants.check(request, 'publish');
        findAccount(accountId);
        const reference = new URL(request.url).searchParams.get('reference');
        const found = server.posts.filter(
          (post) => post.accountId === accountId && references.get(post.id) === reference,
        );
        return Response.json({ posts: found.map(({ id }) => ({ id })) });
      },
    },
  ];
  return server;
}
