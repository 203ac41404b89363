// Logs in at Facebook, reaches the user's pages, and asks whether their tokens still work.
import { z } from 'zod';
import { facebook } from '../../../schema/platforms/facebook.ts';
import type { App } from '../../../schema/platforms/definition.ts';
import { describeDeadEnd } from '../meta/development-mode.ts';
import { findMetaError } from '../meta/errors.ts';
import { createFacebookLogin, type FacebookUser } from '../meta/facebook-login.ts';
import { GraphId } from '../meta/ids.ts';
import { pageTokenOf, toPageTokens } from '../meta/page-tokens.ts';
import { describeNoPage, listPages, problemOf, type Page } from '../meta/pages.ts';
import type { OpenApi } from '../network-api.ts';
import { PlatformError } from '../platform-error.ts';
import type {
  AccountChecks,
  ConsentMethod,
  Credentials,
  Grant,
  GrantedAccount,
  Platform,
} from '../platform.ts';
import { lacksPermissions, requireNoServer } from '../wrong-credential.ts';
import { network, type FacebookSettings } from './api.ts';
import { facebookErrors } from './errors.ts';

const ConsentInput = z.strictObject({}).meta({
  description: 'You log in at Facebook, select your pages, and allow posts to them.',
});

const Me = z.object({ id: GraphId });
/** A user has no category. */
const PageItself = z.object({ id: GraphId, name: z.string().default(''), category: z.string() });

/**
 * Times are in seconds, and 0 is never. A token that has ended is described with the status 200. @see
 * https://developers.facebook.com/docs/facebook-login/guides/access-tokens/debugging
 */
const Inspected = z.object({
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
type Inspected = z.infer<typeof Inspected>['data'];
type Ended = NonNullable<Inspected['error']>;

/** The user has lost the role at this page. Other pages of the login may be good. */
const roleLost = 492;

type Connect = Required<Pick<Platform, 'importTokens' | 'check'>> &
  Pick<AccountChecks, 'inspect'> & { consent: ConsentMethod };

export function createConnect(settings: FacebookSettings, graph: OpenApi): Connect {
  const login = createFacebookLogin({ ...settings, network });

  async function toGrant(
    { granted, ask, productName }: Pick<FacebookUser, 'granted' | 'ask' | 'productName'>,
    app: App | null,
    signal: AbortSignal,
  ): Promise<Grant> {
    const missing = facebook.scopes.filter((scope) => granted?.includes(scope) === false);
    // Without them, Facebook lists no pages, or not their tokens.
    if (missing.length > 0) throw lacksPermissions(missing);
    const { id: userId } = (await ask('/me', Me, { query: { fields: 'id' } })).body;
    const pages = await listPages(ask, granted);
    if (pages.length === 0) {
      const message = describeNoPage(granted, productName);
      throw new PlatformError('rejected', message, { platformCode: 'no_page' });
    }
    const token = pages.find(({ access_token }) => access_token !== undefined)?.access_token;
    const inspected = app && token ? await inspectIfPossible(app, token, signal) : undefined;
    const accounts = pages.map((page) => toAccount(page, userId, inspected));
    const usable = pages.filter((_, i) => accounts[i]!.problem === null);
    const withheld = pages.filter((page) => !isAllowed(page, inspected));
    return {
      credentials: tokensOf(usable),
      scope: [...(granted ?? settings.scopes)],
      tokenExpiresAt: findEnd(inspected),
      accounts,
      ...(withheld.length > 0 && { notice: describeRest(pages.length, withheld.length) }),
    };
  }

  async function inspect(app: App, token: string, signal: AbortSignal): Promise<Inspected> {
    // https://developers.facebook.com/docs/facebook-login/guides/access-tokens#apptokens
    const secret = app.clientSecret ?? '';
    const appToken = `${app.clientId}|${secret}`;
    const secrets = { client_secret: secret, page_token: token };
    const ask = graph({ access_token: appToken, ...secrets }, signal);
    try {
      const query = { input_token: token };
      const { data } = (await ask('/debug_token', Inspected, { query })).body;
      // Facebook repeats a token that it can't read.
      const message = data.error?.message.replaceAll(token, '[redacted]') ?? '';
      return { ...data, error: data.error && { ...data.error, message } };
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind === 'rate_limited') throw error;
      // The app was refused, not the login.
      throw new PlatformError('unavailable', error.message, error.options);
    }
  }

  const inspectIfPossible = (app: App, token: string, signal: AbortSignal) =>
    inspect(app, token, signal).catch((error: unknown) => {
      if (error instanceof PlatformError) return undefined;
      throw error;
    });

  return {
    consent: {
      kind: 'consent',
      inputs: ConsentInput,
      deadEnd: describeDeadEnd('Facebook'),
      begin: (request, signal) => login.begin(request, signal),
      complete: (query, request, signal) =>
        login.complete(query, request, (user) => toGrant(user, request.app, signal), signal),
    },

    /** Of a page or of a user. */
    async importTokens({ accessToken, expiresAt, scope, instance }, signal) {
      requireNoServer(instance);
      const ask = graph({ access_token: accessToken }, signal);
      const query = { fields: 'id,name,category' };
      const page = await ask('/me', PageItself, { query }).then(({ body }) => body, ifOfUser);
      if (!page) {
        const grant = await toGrant({ granted: scope, ask }, null, signal);
        return { ...grant, tokenExpiresAt: expiresAt };
      }
      const itself = { ...page, access_token: accessToken };
      return {
        credentials: tokensOf([itself]),
        scope: scope ?? [],
        tokenExpiresAt: expiresAt,
        accounts: [toAccount(itself)],
      };
    },

    async check({ credentials, app }, signal) {
      if (!app) return;
      let ended: Inspected | undefined;
      for (const token of Object.values(credentials)) {
        ended = await inspect(app, token, signal);
        if (ended.is_valid) return;
        if (!isOfToken(ended.error)) throw toUnchecked(ended.error);
        if (ended.error?.subcode !== roleLost) break;
      }
      throw toEnd(ended?.error);
    },

    async inspect({ credentials, externalAccountId, app, scope }, signal) {
      const token = pageTokenOf(credentials, externalAccountId);
      const ask = graph({ access_token: token }, signal);
      const { body: page } = await ask('/me', PageItself, {
        query: { fields: 'id,name,category' },
      });
      const described = app ? await inspect(app, token, signal) : undefined;
      const { is_valid: isValid = true, error } = described ?? {};
      if (!isValid && isOfToken(error)) throw toPageEnd(error);
      // Of the token of another app, nothing else is known.
      const inspected = isValid ? described : undefined;
      const problem = isAllowed(page, inspected) ? null : notAllowed;
      return {
        scope: inspected?.scopes ?? [...(scope ?? [])],
        accounts: [{ externalAccountId: page.id, problem }],
      };
    },
  };
}

/** Any other code is about the question, such as the token of another app. */
const isOfToken = ({ code = 190 }: Partial<Ended> = {}) => code === 190 || code === 102;

function toUnchecked({ code, message = '' }: Partial<Ended> = {}): PlatformError {
  const words = `${network} does not say whether the login works: ${message}`;
  return new PlatformError('unavailable', words, { platformCode: String(code) });
}

function ifOfUser(error: unknown): undefined {
  if (!(error instanceof PlatformError) || error.kind !== 'rejected') throw error;
}

function tokensOf(pages: readonly Page[]): Credentials {
  return toPageTokens(
    pages.flatMap(({ id, access_token: token }) =>
      token === undefined ? [] : [[id, token] as const],
    ),
  );
}

/** `userId`: as the app's callbacks name the user. Undefined: nobody knows. */
function toAccount(page: Page, userId?: string, inspected?: Inspected): GrantedAccount {
  return {
    externalAccountId: page.id,
    accountName: page.name.trim() || `Page ${page.id}`,
    kind: 'Page',
    ...(userId !== undefined && { traits: { user_id: userId } }),
    problem: problemOf(page) ?? (isAllowed(page, inspected) ? null : notAllowed),
  };
}

const notAllowed =
  "You did not allow posts to this page. Log in again, choose 'Edit settings', and select it for every permission.";

/** The user may allow posts to some pages only. Without IDs, all are allowed. */
function isAllowed({ id }: Page, inspected: Inspected | undefined): boolean {
  const scope = inspected?.granular_scopes?.find((each) => each.scope === 'pages_manage_posts');
  const allowed = scope?.target_ids ?? [];
  return allowed.length === 0 || allowed.includes(id);
}

/** Of a login whose user did not allow posts to all of its pages. */
const describeRest = (all: number, withheld: number) =>
  `You allowed posts to ${all - withheld} of ${all} pages. To add the others, log in again, choose 'Edit settings', and select every page.`;

/** Null: never, or nobody knows. */
function findEnd(inspected: Inspected | undefined): Date | null {
  const seconds = inspected?.expires_at || inspected?.data_access_expires_at;
  return seconds ? new Date(seconds * 1_000) : null;
}

function toEnd({ code = 190, subcode, message = '' }: Partial<Ended> = {}): PlatformError {
  const known = findMetaError(facebookErrors, { code, subcode, message });
  const words = [message, known?.sentence].filter(Boolean).join(' ');
  const platformCode = subcode === undefined ? String(code) : `${code}/${subcode}`;
  const isRevoked = known?.meaning !== 'reauthorize';
  return new PlatformError('reauthorize', `${network} ended the login: ${words}`, {
    platformCode,
    isRevoked,
  });
}

/** Of the token of one page, which may end without the others. */
function toPageEnd(ended: Ended | undefined): PlatformError {
  const error = toEnd(ended);
  if (ended?.subcode !== roleLost) return error;
  const { platformCode } = error.options;
  return new PlatformError('rejected', error.message, {
    platformCode,
    failsAs: 'permission_missing',
  });
}
