// Logs in at Threads: the consent, the account that its token reaches, and what the user allowed.
import { z } from 'zod';
import { threads } from '../../../schema/platforms/threads.ts';
import { describeDeadEnd } from '../meta/development-mode.ts';
import { GraphId } from '../meta/ids.ts';
import { createLongLivedLogin, type LongLivedLogin } from '../meta/long-lived-login.ts';
import type { LongLived } from '../meta/long-lived-tokens.ts';
import type { OpenApi } from '../network-api.ts';
import { hasCode, PlatformError } from '../platform-error.ts';
import type { Grant } from '../platform.ts';
import { describeMissingScopes, findMissingScopes } from '../wrong-credential.ts';
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
 * Times are in seconds. 0 means never.
 *
 * https://developers.facebook.com/docs/threads/reference/debug
 */
const TokenInfo = z.object({
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
): LongLivedLogin {
  // https://developers.facebook.com/docs/threads/get-started/get-access-tokens-and-permissions
  const tokenUrl = `${apiUrl}/oauth/access_token`;
  const settings = { network, prefix: 'th', root, consentUrl, tokenUrl, scopes };
  const login = createLongLivedLogin(fetch, settings, toGrant);

  async function toGrant(
    { credentials, tokenExpiresAt }: LongLived,
    scope: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<Grant> {
    const { access_token, issued_at: issuedByUs } = credentials;
    const ask = open(credentials, signal);
    const query = { fields: 'id,username,name' };
    const { id, username, name } = (await ask('/me', Me, { query })).body;
    const info = await debugToken(open, access_token, signal);
    const { issued_at = issuedByUs } = info;
    const missing = findMissingScopes(threads.scopes, info.scope);
    return {
      credentials: { access_token, ...(issued_at !== undefined && { issued_at }) },
      tokenExpiresAt: tokenExpiresAt ?? info.tokenExpiresAt,
      scope: [...(info.scope ?? scope ?? [])],
      accounts: [
        {
          externalAccountId: id,
          accountName: username === undefined ? (name ?? id) : `@${username}`,
          // The user's ID in the app's callbacks.
          traits: { user_id: id },
          problem: missing.length > 0 ? describeMissingScopes(missing) : null,
          ...(missing.length > 0 && { lacksScope: true }),
        },
      ],
    };
  }

  return {
    ...login,
    consent: { ...login.consent, inputs: ConsentInput, deadEnd: describeDeadEnd('Threads') },
    inspect: (target, signal) => login.inspect(target, signal).catch(asNotApproved),
  };
}

/**
 * Reads what Threads says of a token, because there is no other way to see what the user allowed. According
 * to the documents, this needs the token of a tester of the app, so a refusal says nothing about the token.
 */
async function debugToken(open: OpenApi, token: string, signal: AbortSignal) {
  const ask = open({ access_token: token }, signal);
  const query = { input_token: token };
  const { scopes, issued_at, expires_at } = await ask('/debug_token', TokenInfo, { query }).then(
    ({ body }) => body.data,
    withoutFacts,
  );
  return {
    scope: scopes && scopes.length > 0 ? scopes : null,
    issued_at: issued_at ? String(issued_at * 1_000) : undefined,
    tokenExpiresAt: expires_at ? new Date(expires_at * 1_000) : null,
  };
}

function withoutFacts(error: unknown): z.infer<typeof TokenInfo>['data'] {
  if (error instanceof PlatformError) return {};
  throw error;
}

/**
 * Before its review, an app works only for its testers. Threads uses the same error code for a missing
 * permission.
 */
function asNotApproved(error: unknown): never {
  if (!hasCode(error, '100/10')) throw error;
  const options = { ...error.options, failsAs: 'app_not_approved' } as const;
  throw new PlatformError('rejected', error.message, options);
}
