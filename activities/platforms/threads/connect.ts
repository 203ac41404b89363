// Logs in at Threads: the consent, the exchange of its token, and the account that the token reaches.
import { z } from 'zod';
import { threads } from '../../../schema/platforms/threads.ts';
import { describeDeadEnd } from '../meta/development-mode.ts';
import { withOAuthErrors } from '../meta/graph.ts';
import { GraphId } from '../meta/ids.ts';
import { createLongLivedTokens, type LongLived } from '../meta/long-lived-tokens.ts';
import type { OpenApi } from '../network-api.ts';
import { createOAuth } from '../oauth/client.ts';
import { hasCode, PlatformError } from '../platform-error.ts';
import type { AccountChecks, ConsentMethod, Grant, Platform } from '../platform.ts';
import { requireNoServer } from '../wrong-credential.ts';
import { network, type ThreadsSettings } from './api.ts';

const ConsentInput = z.strictObject({}).meta({
  description: 'You log in at Threads, and allow posts to your profile.',
});

/** https://developers.facebook.com/docs/threads/threads-profiles */
const Me = z.object({
  id: GraphId,
  username: z.string().min(1).optional(),
  name: z.string().optional(),
});

/**
 * Seconds. 0: never.
 * https://developers.facebook.com/docs/threads/reference/debug
 */
const Inspected = z.object({
  data: z.object({
    scopes: z.array(z.string()).optional(),
    issued_at: z.number().optional(),
    expires_at: z.number().optional(),
  }),
});

/** `root`: for calls without a version. */
export function createConnect(
  { fetch, apiUrl, consentUrl, scopes }: ThreadsSettings,
  open: OpenApi,
  root: OpenApi,
): Required<Pick<Platform, 'refresh' | 'importTokens'>> &
  Pick<AccountChecks, 'inspect'> & { consent: ConsentMethod } {
  const tokens = createLongLivedTokens(network, 'th', root);
  // https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions
  const oauth = createOAuth(withOAuthErrors(fetch), {
    network,
    authorizationEndpoint: consentUrl,
    tokenEndpoint: `${apiUrl}/oauth/access_token`,
    clientAuth: 'post',
    scopes,
    hasPkce: false,
  });

  /** `scope`: null if nobody knows. */
  async function toGrant(
    login: LongLived,
    scope: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<Grant> {
    const ask = open(login.credentials, signal);
    const query = { fields: 'id,username,name' };
    const { id, username, name } = (await ask('/me', Me, { query })).body;
    const inspected = await inspect(open, login.credentials.access_token, signal);
    const { issued_at: issuedAt = login.credentials.issued_at } = inspected.credentials;
    const missing = threads.scopes.filter((each) => inspected.scope?.includes(each) === false);
    return {
      credentials: {
        access_token: login.credentials.access_token,
        ...(issuedAt !== undefined && { issued_at: issuedAt }),
      },
      tokenExpiresAt: login.tokenExpiresAt ?? inspected.tokenExpiresAt,
      scope: [...(inspected.scope ?? scope ?? [])],
      accounts: [
        {
          externalAccountId: id,
          accountName: username === undefined ? (name ?? id) : `@${username}`,
          // As the app's callbacks name the user.
          traits: { user_id: id },
          problem: missing.length > 0 ? `The login lacks ${missing.join(' and ')}.` : null,
          ...(missing.length > 0 && { lacksScope: true }),
        },
      ],
    };
  }

  return {
    consent: {
      kind: 'consent',
      inputs: ConsentInput,
      deadEnd: describeDeadEnd('Threads'),
      begin: (request, signal) => oauth.begin(request, signal),
      complete: (query, request, signal) =>
        oauth.complete(
          query,
          request,
          async ({ credentials, scope }) => {
            const secret = request.app?.clientSecret ?? '';
            const login = await tokens.exchange(credentials.access_token, secret, signal);
            return toGrant(login, scope, signal);
          },
          signal,
        ),
    },

    async importTokens({ accessToken, expiresAt, scope, instance }, signal) {
      requireNoServer(instance);
      const login = { credentials: { access_token: accessToken }, tokenExpiresAt: expiresAt };
      return toGrant(login, scope, signal);
    },

    refresh: ({ credentials }, signal) => tokens.refresh(credentials, signal),

    inspect({ credentials, scope }, signal) {
      const { access_token = '' } = credentials;
      const login = { credentials: { ...credentials, access_token }, tokenExpiresAt: null };
      return toGrant(login, scope, signal).catch(asNotApproved);
    },
  };
}

/**
 * What Threads says of a token: the only way to see what the user allowed. The documents ask for the token of a tester
 * of the app, so a refusal says nothing.
 */
async function inspect(open: OpenApi, token: string, signal: AbortSignal) {
  const ask = open({ access_token: token }, signal);
  const query = { input_token: token };
  const { scopes, issued_at, expires_at } = await ask('/debug_token', Inspected, { query }).then(
    ({ body }) => body.data,
    withoutFacts,
  );
  return {
    scope: scopes && scopes.length > 0 ? scopes : null,
    credentials: issued_at ? { issued_at: String(issued_at * 1_000) } : {},
    tokenExpiresAt: expires_at ? new Date(expires_at * 1_000) : null,
  };
}

function withoutFacts(error: unknown): z.infer<typeof Inspected>['data'] {
  if (error instanceof PlatformError) return {};
  throw error;
}

/** Before its review, an app works only for its testers. The code is that of a missing permission, too. */
function asNotApproved(error: unknown): never {
  if (!hasCode(error, '100/10')) throw error;
  const options = { ...error.options, failsAs: 'app_not_approved' } as const;
  throw new PlatformError('rejected', error.message, options);
}
