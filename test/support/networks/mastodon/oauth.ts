// OAuth of the Mastodon server: apps that anybody registers, codes with PKCE, and tokens that never expire.
// Fields, answers and refusals: https://docs.joinmastodon.org/methods/apps/ and /methods/oauth/, and
// config/locales/doorkeeper.en.yml of https://github.com/mastodon/mastodon, read on 2026-11-22. An account has
// one token of an app: `reuse_access_token` in config/initializers/doorkeeper.rb there.
import { z } from 'zod';
import { showConsentForm } from '../oauth/consent-form.ts';
import { createGrants, newSecret, OAuthError } from '../oauth/grants.ts';
import { readForm, readJson, Refusal as Malformed } from '../strict-requests.ts';
import { Refusal } from './refusal.ts';

/** An app as its server knows it. */
export interface RegisteredApp {
  client_id: string;
  client_secret: string;
  name: string;
  website: string;
  redirect_uri: string;
  scopes: string[];
}

export interface OAuthTraits {
  /** Servers before 4.3 ignore the challenge and the verifier. */
  hasPkce?: boolean;
  /** Scopes that a login gets. Default: the requested scopes. */
  grantedScopes?: string[];
}

const httpUrl = z.url({ protocol: /^https?$/ });
const NewApp = z.strictObject({
  client_name: z.string().min(1),
  redirect_uris: httpUrl,
  scopes: z.string(),
  website: httpUrl,
});
const Authorization = z.strictObject({
  response_type: z.literal('code'),
  client_id: z.string(),
  redirect_uri: z.string(),
  scope: z.string(),
  state: z.string().min(1),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
  code_challenge_method: z.literal('S256'),
  force_login: z.enum(['true', 'false']).optional(),
});
const Decision = Authorization.extend({ decision: z.enum(['allow', 'deny']) });
const client = { client_id: z.string(), client_secret: z.string() };
const TokenRequest = z.discriminatedUnion('grant_type', [
  z.strictObject({
    ...client,
    grant_type: z.literal('authorization_code'),
    code: z.string(),
    redirect_uri: z.string(),
    code_verifier: z.string().regex(/^[\w.~-]{43,128}$/),
  }),
  z.strictObject({
    ...client,
    grant_type: z.literal('client_credentials'),
    scope: z.string(),
  }),
]);
const Revocation = z.strictObject({ ...client, token: z.string() });

const knownScopes = ['read', 'write', 'profile', 'push'].flatMap((scope) => [
  scope,
  ...['accounts', 'statuses', 'media'].map((part) => `${scope}:${part}`),
]);

const words: Record<string, string> = {
  invalid_client:
    'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
  invalid_grant:
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
  invalid_scope: 'The requested scope is invalid, unknown, or malformed.',
  access_denied: 'The resource owner or authorization server denied the request.',
  unauthorized_client: 'You are not authorized to revoke this token',
};

export function createMastodonOAuth({ hasPkce = true, grantedScopes }: OAuthTraits) {
  const grants = createGrants({ hasLastingTokens: true });
  const apps = new Map<string, RegisteredApp>();
  const secrets: string[] = [];

  /** Doorkeeper shows an error page instead of redirecting the user. */
  function findApp({ client_id, redirect_uri }: { client_id: string; redirect_uri: string }) {
    const app = apps.get(client_id);
    if (!app) throw new Refusal(401, words['invalid_client']!);
    if (redirect_uri === app.redirect_uri) return app;
    throw new Refusal(400, 'The redirect uri included is not valid.');
  }

  function authenticate(given: { client_id: string; client_secret: string }): RegisteredApp {
    const app = apps.get(given.client_id);
    if (app?.client_secret === given.client_secret) return app;
    throw new OAuthError('invalid_client', words['invalid_client']!);
  }

  /** The error of a request for a scope that the app may not ask for. */
  function findScopeIssue(app: RegisteredApp, scope: string): 'invalid_scope' | undefined {
    const asked = scope.split(' ');
    return asked.every((each) => app.scopes.includes(each)) ? undefined : 'invalid_scope';
  }

  function redirect(to: z.infer<typeof Authorization>, query: Record<string, string>): Response {
    const url = new URL(to.redirect_uri);
    for (const [name, value] of Object.entries({ ...query, state: to.state })) {
      url.searchParams.set(name, value);
    }
    return new Response(null, { status: 302, headers: { location: url.href } });
  }

  const redirectError = (to: z.infer<typeof Authorization>, error: string) =>
    redirect(to, { error, error_description: words[error]! });

  function allow(given: z.infer<typeof Authorization>): Response {
    const code = grants.createCode({
      clientId: given.client_id,
      redirectUri: given.redirect_uri,
      challenge: hasPkce ? given.code_challenge : null,
      scope: grantedScopes?.join(' ') ?? given.scope,
    });
    return redirect(given, { code });
  }

  /** Errors of these endpoints have the form of RFC 6749. */
  const answerClient =
    (handle: (request: Request) => Promise<Response>) => async (request: Request) => {
      try {
        return await handle(request);
      } catch (error) {
        if (error instanceof OAuthError) {
          const said = words[error.code] ?? error.message;
          return new OAuthError(error.code, said).toResponse();
        }
        if (!(error instanceof Malformed)) throw error;
        return new OAuthError('invalid_request', error.message).toResponse();
      }
    };

  const routes: Record<string, (request: Request) => unknown> = {
    async 'POST /api/v1/apps'(request) {
      const given = await readJson(request, NewApp).catch(refuseAs(422, 'Validation failed: '));
      const scopes = given.scopes.split(' ');
      if (!scopes.every((scope) => knownScopes.includes(scope))) {
        throw new Refusal(422, "Validation failed: Scopes doesn't match configured on the server.");
      }
      const app: RegisteredApp = {
        client_id: newSecret('client'),
        client_secret: newSecret('client-secret'),
        name: given.client_name,
        website: given.website,
        redirect_uri: given.redirect_uris,
        scopes,
      };
      apps.set(app.client_id, app);
      secrets.push(app.client_secret);
      const redirect_uris = [app.redirect_uri];
      return { id: String(apps.size), ...app, redirect_uris, client_secret_expires_at: 0 };
    },

    'GET /oauth/authorize'(request) {
      const query = Object.fromEntries(new URL(request.url).searchParams);
      const { success, data: given, error } = Authorization.safeParse(query);
      if (!success) throw new Refusal(400, z.prettifyError(error));
      const app = findApp(given);
      const issue = findScopeIssue(app, given.scope);
      if (issue) return redirectError(given, issue);
      const isKnown = grants.hasLive(given.client_id, given.scope);
      if (isKnown && given.force_login !== 'true') return allow(given);
      return showConsentForm('/oauth/authorize', given, `<h1>${app.name}</h1>`);
    },

    async 'POST /oauth/authorize'(request) {
      const given = await readForm(request, Decision).catch(refuseAs(400));
      const issue = findScopeIssue(findApp(given), given.scope);
      if (issue) return redirectError(given, issue);
      return given.decision === 'allow' ? allow(given) : redirectError(given, 'access_denied');
    },

    'POST /oauth/token': answerClient(async (request) => {
      const given = await readForm(request, TokenRequest);
      const app = authenticate(given);
      if (given.grant_type === 'authorization_code') {
        return Response.json(grants.exchange({ ...given, clientId: app.client_id }));
      }
      const { scope } = given;
      const issue = findScopeIssue(app, scope);
      if (issue) throw new OAuthError(issue, words[issue]!);
      // The token belongs to no user, so no account can be read with it.
      const token = newSecret('app');
      secrets.push(token);
      return Response.json({ access_token: token, token_type: 'Bearer', scope, created_at: 0 });
    }),

    'POST /oauth/revoke': answerClient(async (request) => {
      const { token, ...given } = await readForm(request, Revocation);
      const { client_id } = authenticate(given);
      if (grants.find(token)?.clientId !== client_id) {
        const [error, error_description] = ['unauthorized_client', words['unauthorized_client']];
        return Response.json({ error, error_description }, { status: 403 });
      }
      grants.revoke(token);
      return Response.json({});
    }),
  };

  return {
    routes,
    grants,
    listApps: () => [...apps.values()],
    /** Forgets the apps, as a server does when its database is reset. */
    forgetApps: () => apps.clear(),
    listSecrets: () => [...secrets, ...grants.listSecrets()],
  };
}

/** Refuses in the form of Mastodon's own errors. */
const refuseAs =
  (status: number, prefix = '') =>
  (error: unknown): never => {
    if (!(error instanceof Malformed)) throw error;
    throw new Refusal(status, `${prefix}${error.message}`);
  };
