// The hosted pages of a connect session, and the data that they show about it and its connection methods.
import { html } from 'hono/html';
import { readFields } from '../../activities/platforms/credential-fields.ts';
import type { ConnectMethod, FormMethod } from '../../activities/platforms/platform.ts';
import type { ConnectSessionStatus } from '../../schema/accounts.ts';
import { listAccountsById } from '../../schema/database/accounts/accounts.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { platformDefinitions } from '../../schema/platforms/index.ts';
import type { Context } from '../http/context.ts';
import { brandOf, page, type Brand, type Html, type PageOptions } from '../http/pages.ts';
import { offerOf, statusOf, type Offer } from './session.ts';

export interface PageSession {
  id: string;
  network: string;
  /** The project that asks for access. */
  brand: Brand;
  /** The account to reconnect. Null: the user chooses the accounts. */
  accountName: string | null;
  /** Null: the user can't be sent back. */
  returnUrl: string | null;
}

async function readPageSession(
  { db, platforms }: Context,
  session: ConnectSessionRow,
): Promise<PageSession> {
  const { id, project_id: projectId, environment, social_account_id: accountId } = session;
  const project = await getProjectRow(db, projectId);
  const ids = accountId === null ? [] : [accountId];
  const [account] = await listAccountsById(db, { projectId, environment }, ids);
  const definition =
    platforms.get(session.platform)?.definition ??
    platformDefinitions.find(({ name }) => name === session.platform);
  return {
    id,
    network: definition?.title ?? session.platform,
    brand: brandOf(project),
    accountName: account?.account_name ?? null,
    returnUrl: returnUrlOf(session),
  };
}

/** The address to send the user to. Null: show a page that says how the session ended. */
export function returnUrlOf(session: ConnectSessionRow): string | null {
  if (session.return_url === null) return null;
  const url = new URL(session.return_url);
  url.searchParams.set('status', statusOf(session));
  url.searchParams.set('session_id', session.id);
  if (session.completed_social_account_ids.length > 0) url.searchParams.delete('account_id');
  for (const id of session.completed_social_account_ids) url.searchParams.append('account_id', id);
  return url.href;
}

/** A session, the connection methods that its page offers, and one of these methods. */
export interface SessionForm {
  session: PageSession;
  platform: Offer;
  method: ConnectMethod;
}

export async function readForm(
  context: Context,
  session: ConnectSessionRow,
  method: ConnectMethod,
): Promise<SessionForm> {
  return {
    session: await readPageSession(context, session),
    platform: offerOf(context, session),
    method,
  };
}

export async function show(
  context: Context,
  session: ConnectSessionRow,
  page: (session: PageSession) => Promise<Response>,
): Promise<Response> {
  return page(await readPageSession(context, session));
}

export const showEnded = (context: Context, session: ConnectSessionRow, status: EndedStatus) =>
  show(context, session, (shown) => endedPage(status, shown));

/** Redirects a browser, which then sends a GET. */
export const seeOther = (url: string) =>
  new Response(null, { status: 303, headers: { Location: url } });

export interface Failure {
  message: string;
  status: number;
}

/**
 * The page of a failure that leaves the session open. `method`: the connection method to try again. Default:
 * the first.
 */
export const showFailed = (
  context: Context,
  session: ConnectSessionRow,
  failure: Failure,
  method?: ConnectMethod,
) => {
  const tried = method && { platform: offerOf(context, session), method };
  return show(context, session, (shown) => failedPage(failure, shown, tried));
};

type EndedStatus = Exclude<ConnectSessionStatus, 'pending'>;

function endedPage(status: EndedStatus, session: PageSession): Promise<Response> {
  const { network, brand } = session;
  const texts = {
    completed: [`Connected to ${network}`, 'Your account is connected. You can close this page.'],
    canceled: [
      `Not connected to ${network}`,
      'Your account was not connected. You can close this page.',
    ],
    expired: [
      'This link has expired',
      `Your account is not connected. Go back to ${brand.name} and ask for a new link.`,
    ],
  } as const;
  const [title, text] = texts[status];
  const body = html`<p>${text}</p>
    ${linkBack(session)}`;
  return sessionPage(title, body, session, { status: status === 'expired' ? 410 : 200 });
}

/** A page in the project's name. */
export function sessionPage(
  title: string,
  body: Html,
  { network, brand }: PageSession,
  { isInvalid = false, ...options }: PageOptions & { isInvalid?: boolean } = {},
): Promise<Response> {
  const parts = [title, ...(title.includes(network) ? [] : [network]), brand.name];
  const documentTitle = `${isInvalid ? 'Error: ' : ''}${parts.join(' – ')}`;
  return page(title, body, { ...options, brand, documentTitle });
}

function linkBack({ returnUrl, brand }: PageSession): Html | null {
  return returnUrl === null
    ? null
    : html`<p><a href="${returnUrl}">Return to ${brand.name}</a></p>`;
}

type OneMethod = Pick<SessionForm, 'platform' | 'method'>;

/** The URL of a method's page. At the URL of the first method, a waiting choice is shown instead. */
export function urlOf(session: PageSession, { platform, method }: OneMethod): string {
  return method === platform.connect[0]
    ? `/connect/${session.id}`
    : formUrlOf(session, { platform, method });
}

/** The URL of a method's page, even if a choice waits. */
export function formUrlOf({ id }: PageSession, { platform, method }: OneMethod): string {
  return `/connect/${id}?way=${platform.connect.indexOf(method) + 1}`;
}

/** `tried`: the connection method to try again. Default: the first. */
export function failedPage(
  { message, status }: Failure,
  session: PageSession,
  tried?: OneMethod,
): Promise<Response> {
  return sessionPage(
    `Your ${session.network} account could not be connected`,
    html`<p>${message}</p>
      <p><a href="${tried ? urlOf(session, tried) : `/connect/${session.id}`}">Try again</a></p>
      ${tried && otherMethods(session, tried)} ${linkBack(session)}`,
    session,
    { status },
  );
}

/** The page for a request that belongs to no known session. */
export function errorPage(message: string, status: number): Promise<Response> {
  return page('Your account could not be connected', html`<p>${message}</p>`, { status });
}

export const invalidLinkPage = () =>
  errorPage('This link is not valid. Go back to the app and ask for a new one.', 404);

/** The page for a callback whose flow was used, replaced or lost. */
export function usedPage(session: PageSession): Promise<Response> {
  return sessionPage(
    'This step is out of date',
    html`<p>This step was already used, or you started again. Your account is not connected yet.</p>
      <p><a href="/connect/${session.id}">Continue</a></p>
      ${linkBack(session)}`,
    session,
    { status: 409 },
  );
}

/** Links to the other connection methods that the page offers. */
export function otherMethods(session: PageSession, { platform, method }: OneMethod): Html[] {
  return platform.connect
    .filter((other) => other !== method)
    .map((other) => {
      const { network } = session;
      const label =
        other.kind === 'consent'
          ? `Log in at ${other.title ?? network}`
          : `Enter your ${secretOf(other)}`;
      const url = formUrlOf(session, { platform, method: other });
      return html`<p><a href="${url}">${label} instead</a></p>`;
    });
}

/** Label of the secret field, such as `app password`. */
function secretOf(method: FormMethod): string {
  const { fields } = readFields(method.fields);
  const { label } = fields.find(({ isSecret }) => isSecret) ?? fields[0]!;
  return label.charAt(0).toLowerCase() + label.slice(1);
}

/**
 * The page for a browser without the session's cookie. It has no link back, because the browser is not the
 * session's.
 */
export function otherBrowserPage(session: PageSession): Promise<Response> {
  return sessionPage(
    'This page was opened in another browser',
    html`<p>This page works only in the browser that opened the link, for 30 minutes.</p>
      <p>Go back to ${session.brand.name} and open the link again.</p>`,
    session,
    { status: 403 },
  );
}

/** The request that the user approves. */
export function request({ brand, network, accountName }: PageSession): Html {
  return html`<p>
    <strong>${brand.name}</strong> asks to post to ${network} on your
    behalf${accountName !== null && html` again, as <bdi>${accountName}</bdi>`}.
  </p>`;
}
