// The hosted pages of a connect session, and the data that they show about its connection methods.
import { html } from 'hono/html';
import { readFields } from '../../activities/platforms/credential-fields.ts';
import type { ConnectMethod, FormMethod } from '../../activities/platforms/platform.ts';
import type { ConnectSessionStatus } from '../../schema/accounts.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { page, type PageOptions } from '../http/pages/page.ts';
import type { Html } from '../http/pages/prose.ts';
import { ofConnector, type PageContext, type Texts } from '../http/pages/texts.ts';
import { readPageSession, type ConnectedAccount, type PageSession } from './page-session.ts';
import { offerOf, type Offer } from './session.ts';

/** A session, the connection methods that its page offers, and one of these methods. */
export interface SessionForm {
  session: PageSession;
  platform: Offer;
  method: ConnectMethod;
}

export async function readForm(
  context: PageContext,
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
  context: PageContext,
  session: ConnectSessionRow,
  page: (session: PageSession) => Promise<Response>,
): Promise<Response> {
  return page(await readPageSession(context, session));
}

export const showEnded = (context: PageContext, session: ConnectSessionRow, status: EndedStatus) =>
  show(context, session, (shown) => endedPage(status, shown));

/** Redirects a browser, which then sends a GET. */
export const seeOther = (url: string) =>
  new Response(null, { status: 303, headers: { Location: url } });

export interface Failure {
  message: string | Html;
  status: number;
}

/**
 * The page of a failure that leaves the session open. `method`: the connection method to try again. Default:
 * the first.
 */
export const showFailed = (
  context: PageContext,
  session: ConnectSessionRow,
  failure: Failure,
  method?: ConnectMethod,
) => {
  const tried = method && { platform: offerOf(context, session), method };
  return show(context, session, (shown) => failedPage(failure, shown, tried));
};

type EndedStatus = Exclude<ConnectSessionStatus, 'pending'>;

function endedPage(status: EndedStatus, session: PageSession): Promise<Response> {
  const { network, brand, texts, connected } = session;
  const { ended } = texts.connect;
  const shown = {
    completed: [ended.completed(network), ended.completedText(connected.length)],
    canceled: [ended.canceled(network), ended.canceledText],
    expired: [ended.expired, ended.expiredText(brand.name)],
  } as const;
  const [title, text] = shown[status];
  const body = html`${connected.length > 0 && listConnected(connected)}
    <p>${text}</p>
    ${linkBack(session)}`;
  return sessionPage(title, body, session, {
    status: status === 'expired' ? 410 : 200,
    imageUrls: connected.flatMap(({ pictureUrl }) => pictureUrl ?? []),
  });
}

function listConnected(connected: readonly ConnectedAccount[]): Html {
  return html`<ul class="accounts">
    ${connected.map(
      ({ name, pictureUrl }) => html`<li>${showPicture(pictureUrl)}<bdi>${name}</bdi></li>`,
    )}
  </ul>`;
}

/** The name beside it says whose picture it is. */
export const showPicture = (url: string | null) =>
  url !== null && html`<img class="picture" src="${url}" alt="" width="40" height="40" />`;

/** A page in the project's name. */
export function sessionPage(
  title: string,
  body: Html,
  { network, brand, texts }: PageSession,
  { isInvalid = false, ...options }: PageOptions & { isInvalid?: boolean } = {},
): Promise<Response> {
  const parts = [title, ...(title.includes(network) ? [] : [network]), brand.name];
  const name = parts.join(' – ');
  const documentTitle = isInvalid ? texts.errorTitle(name) : name;
  return page(title, body, { ...options, texts, network, brand, documentTitle });
}

function linkBack({ returnUrl, brand, texts }: PageSession): Html | null {
  return returnUrl === null
    ? null
    : html`<p><a href="${returnUrl}">${texts.connect.returnTo(brand.name)}</a></p>`;
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
  const { connect, tryAgain } = session.texts;
  const url = tried ? urlOf(session, tried) : `/connect/${session.id}`;
  return sessionPage(
    connect.failed(session.network),
    html`<p>${message}</p>
      <p><a href="${url}">${tryAgain}</a></p>
      ${tried && otherMethods(session, tried)} ${linkBack(session)}`,
    session,
    { status },
  );
}

/** The page for a request that belongs to no known session. */
export function errorPage(texts: Texts, message: string | Html, status: number): Promise<Response> {
  return page(texts.connect.anyFailed, html`<p>${message}</p>`, { texts, status });
}

export const invalidLinkPage = (texts: Texts) => errorPage(texts, texts.failures.invalidLink, 404);

/** The page for a callback whose flow was used, replaced or lost. */
export function usedPage(session: PageSession): Promise<Response> {
  const { usedTitle, used, continue: label } = session.texts.connect;
  return sessionPage(
    usedTitle,
    html`<p>${used}</p>
      <p><a href="/connect/${session.id}">${label}</a></p>
      ${linkBack(session)}`,
    session,
    { status: 409 },
  );
}

/** Links to the other connection methods that the page offers. */
export function otherMethods(session: PageSession, { platform, method }: OneMethod): Html[] {
  const { consentInstead, formInstead } = session.texts.connect;
  return platform.connect
    .filter((other) => other !== method)
    .map((other) => {
      const label =
        other.kind === 'consent'
          ? consentInstead(other.title ?? session.network)
          : ofConnector(session.texts, secretOf(other), (name) => html`${formInstead(name)}`);
      const url = formUrlOf(session, { platform, method: other });
      return html`<p><a href="${url}">${label}</a></p>`;
    });
}

/** Label of the secret field, such as `App password`. */
function secretOf(method: FormMethod): string {
  const { fields } = readFields(method.fields);
  const { label } = fields.find(({ isSecret }) => isSecret) ?? fields[0]!;
  return label;
}

/**
 * The page for a browser without the session's cookie. It has no link back, because the browser is not the
 * session's.
 */
export function otherBrowserPage(session: PageSession): Promise<Response> {
  const { connect, failures } = session.texts;
  return sessionPage(
    failures.otherBrowser,
    html`<p>${connect.otherBrowser}</p>
      <p>${failures.openAgain(session.brand.name)}</p>`,
    session,
    { status: 403 },
  );
}

/** The request that the user approves. */
export function request({ brand, network, accountName, texts }: PageSession): Html {
  return html`<p>${texts.connect.request(brand.name, network, accountName)}</p>`;
}
