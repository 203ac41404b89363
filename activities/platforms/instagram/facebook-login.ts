// The login at Facebook. It reaches the Instagram accounts that are linked to the pages which the user
// shares. https://developers.facebook.com/docs/instagram-platform/instagram-api-with-facebook-login
import { z } from 'zod';
import { describeDeadEnd } from '../meta/development-mode.ts';
import { createFacebookLogin, type FacebookUser } from '../meta/facebook-login.ts';
import { GraphId } from '../meta/ids.ts';
import { listAccountIds, toPageTokens } from '../meta/page-tokens.ts';
import { problemOf, readUserPages, type Page } from '../meta/pages.ts';
import { PlatformError } from '../platform-error.ts';
import type {
  CheckedTarget,
  ConsentMethod,
  Credentials,
  Grant,
  GrantedAccount,
  Inspection,
} from '../platform.ts';
import { describeMissingScopes, findMissingScopes } from '../wrong-credential.ts';
import {
  isOfInstagram,
  network,
  openAccount,
  type InstagramApi,
  type InstagramSettings,
} from './api.ts';

const ConsentInput = z.strictObject({}).meta({
  description:
    'You log in at Facebook, and share the pages that your professional Instagram accounts are linked to.',
});

const User = z.object({ id: GraphId });

const needed = [
  'instagram_basic',
  'instagram_content_publish',
  'pages_show_list',
  'pages_read_engagement',
];

export function createFacebookMethod(settings: InstagramSettings): ConsentMethod {
  const login = createFacebookLogin({
    fetch: settings.fetch,
    network,
    apiUrl: settings.facebookApiUrl,
    loginUrl: settings.facebookLoginUrl,
    version: settings.version,
    scopes: settings.facebookScopes,
    configId: settings.facebookConfigId,
  });
  return {
    kind: 'consent',
    name: 'facebook',
    title: 'Facebook',
    button: 'facebook',
    appOf: 'facebook',
    inputs: ConsentInput,
    deadEnd: describeDeadEnd('Facebook'),
    begin: (request, signal) => login.begin(request, signal),
    complete: (query, request, signal) => login.complete(query, request, listByUser, signal),
  };
}

/** Throws if the login reaches no account. */
export async function listByUser(user: FacebookUser): Promise<Grant> {
  const { userId, pages } = await readUserPages(user, needed, [
    'instagram_business_account{id,username,name}',
    'connected_instagram_account{id,username}',
  ]);
  const tokens = new Map<string, string>();
  const accounts = new Map<string, GrantedAccount>();
  for (const page of pages) {
    const { instagram_business_account: linked, access_token: token } = page;
    if (!linked || accounts.get(linked.id)?.problem === null) continue;
    const account = toAccount(page, linked, userId);
    accounts.set(linked.id, account);
    if (token !== undefined && account.problem === null) tokens.set(linked.id, token);
  }
  if (accounts.size === 0) throw reachesNone(pages);
  return {
    credentials: toPageTokens(tokens),
    scope: [...(user.granted ?? [])],
    // A page's token doesn't expire if it was read with a long-lived token.
    tokenExpiresAt: null,
    accounts: [...accounts.values()],
  };
}

/** `userId`: the user's ID in the app's callbacks. */
const toAccount = (
  page: Page,
  { id, username, name }: NonNullable<Page['instagram_business_account']>,
  userId: string,
): GrantedAccount => ({
  externalAccountId: id,
  accountName: username === undefined ? (name ?? id) : `@${username}`,
  kind: `Linked to the page ${page.name}`,
  traits: { user_id: userId },
  problem: problemOf(page),
});

/** The user sees only the message of this error. */
function reachesNone(pages: readonly Page[]): PlatformError {
  const personal = pages.find((page) => page.connected_instagram_account);
  if (personal) {
    const { username } = personal.connected_instagram_account!;
    const who = username === undefined ? 'The Instagram account' : `@${username}`;
    return refusal(
      'personal_account',
      `${who} is linked to the page ${personal.name} as a personal account, which can't publish through other apps. In the Instagram app, switch it to a professional account. Then log in again.`,
    );
  }
  const names = pages.slice(0, 5).map(({ name }) => name);
  const others = pages.length > names.length ? ' and others' : '';
  return refusal(
    'not_linked',
    `No Instagram account is linked to the pages that you shared: ${names.join(', ')}${others}. Link one in the settings of the page, or log in again and choose the page that it is linked to.`,
  );
}

const refusal = (platformCode: string, message: string) =>
  new PlatformError('rejected', message, { platformCode });

/** A login has ended if none of its pages' tokens works. Logins at Instagram are refreshed instead. */
export async function checkLogin(
  api: InstagramApi,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<void> {
  if (isOfInstagram(credentials)) return;
  let ended: PlatformError | undefined;
  for (const externalAccountId of listAccountIds(credentials)) {
    const ask = openAccount(api, { credentials, externalAccountId }, signal);
    try {
      await ask(`/${externalAccountId}`, User, { query: { fields: 'id' } });
      return;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      // The user has lost the role at one page, or the account is no longer linked to a page.
      if (error.kind === 'rejected') continue;
      if (error.kind !== 'reauthorize') throw error;
      ended = error;
    }
  }
  if (ended) throw ended;
}

/** Whether the page's token still reaches the account. */
export async function inspectAccount(
  api: InstagramApi,
  { credentials, externalAccountId, scope }: CheckedTarget,
  signal: AbortSignal,
): Promise<Inspection> {
  const ask = openAccount(api, { credentials, externalAccountId }, signal);
  const { id } = (await ask(`/${externalAccountId}`, User, { query: { fields: 'id' } })).body;
  const missing = findMissingScopes(needed, scope);
  const problem = missing.length > 0 ? describeMissingScopes(missing) : null;
  return { scope: [...(scope ?? [])], accounts: [{ externalAccountId: id, problem }] };
}
