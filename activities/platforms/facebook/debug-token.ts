// What Facebook says of the token of a page: whether it works, until when, and to which pages it may post.
// https://developers.facebook.com/docs/facebook-login/guides/access-tokens/debugging
import { z } from 'zod';
import type { App } from '../../../schema/platforms/definition.ts';
import { findMetaError, writeCode } from '../meta/errors.ts';
import { GraphId } from '../meta/ids.ts';
import type { OpenApi } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import { network } from './api.ts';
import { facebookErrors } from './errors.ts';

/** Times are in seconds, and 0 means never. Even a token that has ended is described with the status 200. */
const Answer = z.object({
  data: z.object({
    is_valid: z.boolean(),
    expires_at: z.number().optional(),
    data_access_expires_at: z.number().optional(),
    scopes: z.array(z.string()).optional().catch(undefined),
    granular_scopes: z
      .array(z.object({ scope: z.string(), target_ids: z.array(GraphId).optional() }))
      .optional()
      .catch(undefined),
    error: z
      .object({
        code: z.number().optional(),
        subcode: z.number().optional(),
        message: z.string().default(''),
      })
      .optional(),
  }),
});
export type TokenInfo = z.infer<typeof Answer>['data'];
type TokenError = NonNullable<TokenInfo['error']>;

export type DebugToken = (app: App, token: string, signal: AbortSignal) => Promise<TokenInfo>;

export function createDebugToken(graph: OpenApi): DebugToken {
  return async (app, token, signal) => {
    // https://developers.facebook.com/docs/facebook-login/guides/access-tokens#apptokens
    const secret = app.clientSecret ?? '';
    const appToken = `${app.clientId}|${secret}`;
    const secrets = { client_secret: secret, page_token: token };
    const ask = graph({ access_token: appToken, ...secrets }, signal);
    try {
      const query = { input_token: token };
      const { data } = (await ask('/debug_token', Answer, { query })).body;
      // If Facebook can't read a token, its message repeats the token.
      const message = data.error?.message.replaceAll(token, '[redacted]') ?? '';
      return { ...data, error: data.error && { ...data.error, message } };
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind === 'rate_limited') throw error;
      // The app was refused, not the login.
      throw error.as('unavailable');
    }
  };
}

/** The user may allow posts to some pages only. Without IDs, all pages are allowed. */
export function isAllowed({ id }: { id: string }, info: TokenInfo | undefined): boolean {
  const scope = info?.granular_scopes?.find((each) => each.scope === 'pages_manage_posts');
  const allowed = scope?.target_ids ?? [];
  return allowed.length === 0 || allowed.includes(id);
}

/** Null: the token never expires, or its expiry is unknown. */
export function expiryOf(info: TokenInfo | undefined): Date | null {
  const seconds = info?.expires_at || info?.data_access_expires_at;
  return seconds ? new Date(seconds * 1_000) : null;
}

/** Any other code is about the request itself, such as one that names the token of another app. */
export const isOfToken = ({ code = 190 }: Partial<TokenError> = {}): boolean =>
  code === 190 || code === 102;

/** The user has lost the role at this page. Other pages of the login may be good. */
export const isRoleLost = (error: TokenError | undefined): boolean => error?.subcode === 492;

export function toUnchecked({ code, message = '' }: Partial<TokenError> = {}): PlatformError {
  const words = `${network} does not say whether the login works: ${message}`;
  return new PlatformError('unavailable', words, { platformCode: String(code) });
}

export function toEnd({ code = 190, subcode, message = '' }: Partial<TokenError> = {}) {
  const known = findMetaError(facebookErrors, { code, subcode, message });
  const words = [message, known?.sentence].filter(Boolean).join(' ');
  const isRevoked = known?.meaning !== 'reauthorize';
  return new PlatformError('reauthorize', `${network} ended the login: ${words}`, {
    platformCode: writeCode({ code, subcode }),
    isRevoked,
  });
}

/** The error for one page's token, which may end without the tokens of the login's other pages. */
export function toPageEnd(error: TokenError | undefined): PlatformError {
  const end = toEnd(error);
  if (!isRoleLost(error)) return end;
  const { platformCode } = end.options;
  return new PlatformError('rejected', end.message, {
    platformCode,
    failsAs: 'permission_missing',
  });
}
