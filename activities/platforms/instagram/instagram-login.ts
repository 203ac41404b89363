// The login at Instagram: its consent, and the account that its token reaches.
// https://developers.facebook.com/docs/instagram-platform/instagram-api-with-instagram-login/business-login
import { z } from 'zod';
import { parseJson } from '../json-client.ts';
import { describeDeadEnd } from '../meta/development-mode.ts';
import { GraphId } from '../meta/ids.ts';
import { createLongLivedLogin, type LongLivedLogin } from '../meta/long-lived-login.ts';
import type { LongLived } from '../meta/long-lived-tokens.ts';
import { PlatformError } from '../platform-error.ts';
import type { ConsentMethod, Fetch, Grant, GrantedAccount, ImportedTokens } from '../platform.ts';
import { describeMissingScopes, findMissingScopes } from '../wrong-credential.ts';
import { network, type InstagramApi, type InstagramSettings } from './api.ts';
import { personalAccount } from './errors.ts';
import { listByUser } from './facebook-login.ts';

const ConsentInput = z.strictObject({}).meta({
  description:
    'You log in at Instagram with a professional account, and allow posts. Instagram makes an account professional in its settings, free of charge.',
});

const needed = ['instagram_business_basic', 'instagram_business_content_publish'];

/** The login can also show an error to a personal account. */
const describeInstagramDeadEnd = (productName: string) =>
  `${describeDeadEnd('Instagram')(productName)} If your account is personal, switch it to a professional account in the Instagram app.`;

const User = z.object({
  /** The account's ID in other calls and in webhooks. `id` differs for each app. */
  user_id: GraphId.optional(),
  id: GraphId,
  username: z.string().min(1).optional(),
  name: z.string().optional(),
  account_type: z.string().optional(),
});
/** Instagram documents a list with one member, but answers with that member instead of a list. */
const unwrapped = <T>(given: z.ZodType<T>) =>
  z.union([given, z.object({ data: z.tuple([given]) }).transform(({ data: [only] }) => only)]);

export function createInstagramLogin(
  { fetch, consentUrl, tokenUrl, scopes }: InstagramSettings,
  api: InstagramApi,
): LongLivedLogin {
  const settings = { network, prefix: 'ig', root: api.tokens, consentUrl, tokenUrl, scopes };
  const login = createLongLivedLogin(withPlainTokens(fetch), settings, toGrant);

  async function toGrant(
    { credentials, tokenExpiresAt }: LongLived,
    scope: readonly string[] | null,
    signal: AbortSignal,
  ): Promise<Grant> {
    const ask = api.instagram(credentials, signal);
    const query = { fields: 'id,user_id,username,name,account_type' };
    const { body } = await ask('/me', unwrapped(User), { query });
    const account = toAccount(body, scope);
    return { credentials, tokenExpiresAt, scope: [...(scope ?? [])], accounts: [account] };
  }

  const consent: ConsentMethod = {
    ...login.consent,
    name: 'instagram',
    inputs: ConsentInput,
    deadEnd: describeInstagramDeadEnd,
    complete: ({ code, ...query }, request, signal) => {
      const given = { ...query, ...(code !== undefined && { code: code.replace(/#_$/, '') }) };
      return login.consent.complete(given, request, signal);
    },
  };

  /** Imports the token of a login at Instagram or at Facebook. */
  async function importTokens(tokens: ImportedTokens, signal: AbortSignal): Promise<Grant> {
    try {
      return await login.importTokens(tokens, signal);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'reauthorize') throw error;
      const ask = api.facebook({ access_token: tokens.accessToken }, signal);
      const grant = await listByUser({ ask, granted: tokens.scope }).catch((other: unknown) => {
        if (other instanceof PlatformError && other.kind === 'reauthorize') throw error;
        throw other;
      });
      // A page's token lives as long as the user's token with which it was read.
      return { ...grant, tokenExpiresAt: tokens.expiresAt };
    }
  }

  return { ...login, consent, importTokens };
}

function toAccount(
  { user_id, id, username, name, account_type: type }: z.infer<typeof User>,
  scope: readonly string[] | null,
): GrantedAccount {
  const missing = findMissingScopes(needed, scope);
  const isProfessional = type === undefined || /^(?:business|media_creator|creator)$/i.test(type);
  const account = {
    externalAccountId: user_id ?? id,
    accountName: username === undefined ? (name ?? id) : `@${username}`,
    // The user's ID in the app's callbacks.
    traits: { user_id: id },
  };
  if (!isProfessional) return { ...account, problem: personalAccount };
  if (missing.length === 0) return { ...account, problem: null };
  const problem = `${describeMissingScopes(missing)} Log in again, and allow it.`;
  return { ...account, problem, lacksScope: true };
}

const TokenAnswer = unwrapped(
  z.object({
    access_token: z.string(),
    permissions: z.union([z.string(), z.array(z.string())]).optional(),
  }),
);

/** Converts token answers to the form of OAuth 2: RFC 6749, section 5.1. */
function withPlainTokens(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (!response.ok) return response;
    const { status, headers } = response;
    const text = await response.text();
    const { data } = TokenAnswer.safeParse(parseJson(text));
    if (!data) return new Response(text, { status, headers });
    const { access_token, permissions } = data;
    const scope = permissions && [permissions].flat().join(' ');
    return Response.json({ access_token, token_type: 'bearer', ...(scope && { scope }) });
  };
}
