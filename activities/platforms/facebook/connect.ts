// Logs in at Facebook, reaches the user's pages, and asks whether their tokens still work.
import { z } from 'zod';
import { facebook } from '../../../schema/platforms/facebook.ts';
import type { App } from '../../../schema/platforms/definition.ts';
import { describeDeadEnd } from '../meta/development-mode.ts';
import { createFacebookLogin, type FacebookUser } from '../meta/facebook-login.ts';
import { GraphId } from '../meta/ids.ts';
import { pageTokenOf, toPageTokens } from '../meta/page-tokens.ts';
import { problemOf, readUserPages, type Page } from '../meta/pages.ts';
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
import { requireNoServer } from '../wrong-credential.ts';
import { network, type FacebookSettings } from './api.ts';
import {
  createDebugToken,
  expiryOf,
  isAllowed,
  isOfToken,
  isRoleLost,
  toEnd,
  toPageEnd,
  toUnchecked,
  type TokenInfo,
} from './debug-token.ts';

const ConsentInput = z.strictObject({}).meta({
  description: 'You log in at Facebook, select your pages, and allow posts to them.',
});

/** Requires a category, because a page has one and a user has none. */
const PageItself = z.object({ id: GraphId, name: z.string().default(''), category: z.string() });
const askedOfPage = { query: { fields: 'id,name,category' } };

type Connect = Required<Pick<Platform, 'importTokens' | 'check'>> &
  Pick<AccountChecks, 'inspect'> & { consent: ConsentMethod };

export function createConnect(settings: FacebookSettings, graph: OpenApi): Connect {
  const login = createFacebookLogin({ ...settings, network });
  const debugToken = createDebugToken(graph);

  async function toGrant(user: FacebookUser, app: App | null, signal: AbortSignal): Promise<Grant> {
    const { userId, pages } = await readUserPages(user, facebook.scopes);
    const token = pages.find(({ access_token }) => access_token !== undefined)?.access_token;
    const info = app && token ? await debugIfPossible(app, token, signal) : undefined;
    const accounts = pages.map((page) => toAccount(page, userId, info));
    const usable = pages.filter((_, i) => accounts[i]!.problem === null);
    const withheld = pages.filter((page) => !isAllowed(page, info));
    return {
      credentials: tokensOf(usable),
      scope: [...(user.granted ?? settings.scopes)],
      tokenExpiresAt: expiryOf(info),
      accounts,
      ...(withheld.length > 0 && { notice: describeRest(pages.length, withheld.length) }),
    };
  }

  const debugIfPossible = (app: App, token: string, signal: AbortSignal) =>
    debugToken(app, token, signal).catch((error: unknown) => {
      if (error instanceof PlatformError) return undefined;
      throw error;
    });

  return {
    consent: {
      kind: 'consent',
      button: 'facebook',
      inputs: ConsentInput,
      deadEnd: describeDeadEnd('Facebook'),
      begin: (request, signal) => login.begin(request, signal),
      complete: (query, request, signal) =>
        login.complete(query, request, (user) => toGrant(user, request.app, signal), signal),
    },

    /** The token is either a page's or a user's. */
    async importTokens({ accessToken, expiresAt, scope, instance }, signal) {
      requireNoServer(instance);
      const ask = graph({ access_token: accessToken }, signal);
      const page = await ask('/me', PageItself, askedOfPage).then(({ body }) => body, ifOfUser);
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
      let last: TokenInfo | undefined;
      for (const token of Object.values(credentials)) {
        last = await debugToken(app, token, signal);
        if (last.is_valid) return;
        if (!isOfToken(last.error)) throw toUnchecked(last.error);
        if (!isRoleLost(last.error)) break;
      }
      throw toEnd(last?.error);
    },

    async inspect({ credentials, externalAccountId, app, scope }, signal) {
      const token = pageTokenOf(credentials, externalAccountId);
      const ask = graph({ access_token: token }, signal);
      const { body: page } = await ask('/me', PageItself, askedOfPage);
      const described = app ? await debugToken(app, token, signal) : undefined;
      const { is_valid: isValid = true, error } = described ?? {};
      if (!isValid && isOfToken(error)) throw toPageEnd(error);
      // If the token belongs to another app, Facebook describes nothing else of it.
      const info = isValid ? described : undefined;
      const problem = isAllowed(page, info) ? null : notAllowed;
      return {
        scope: info?.scopes ?? [...(scope ?? [])],
        accounts: [{ externalAccountId: page.id, problem }],
      };
    },
  };
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

/** `userId`: the user's ID in the app's callbacks. Undefined: the ID is unknown. */
function toAccount(page: Page, userId?: string, info?: TokenInfo): GrantedAccount {
  return {
    externalAccountId: page.id,
    accountName: page.name.trim() || `Page ${page.id}`,
    kind: 'Page',
    ...(userId !== undefined && { traits: { user_id: userId } }),
    problem: problemOf(page) ?? (isAllowed(page, info) ? null : notAllowed),
  };
}

const notAllowed =
  "You did not allow posts to this page. Log in again, choose 'Edit settings', and select it for every permission.";

/** Shown if the user did not allow posts to all pages of the login. */
const describeRest = (all: number, withheld: number) =>
  `You allowed posts to ${all - withheld} of ${all} pages. To add the others, log in again, choose 'Edit settings', and select every page.`;
