// The hosted pages of a connect session.
import { html } from 'hono/html';
import type {
  ConnectMethod,
  FormMethod,
  GrantedAccount,
} from '../../activities/platforms/platform.ts';
import type { ConnectSessionStatus } from '../../schema/accounts.ts';
import { errorKinds, type AppError } from '../../schema/wire/errors.ts';
import { page, plain, prose, type Html, type PageOptions } from '../http/pages.ts';
import { findIssues, findOtherIssues, issueSummary, readFields, showField } from './form-fields.ts';
import type { PageSession } from './page-session.ts';
import { fieldsOf, wayOf, type SelectedWay } from './selected-way.ts';

export type EndedStatus = Exclude<ConnectSessionStatus, 'pending'>;

export function endedPage(status: EndedStatus, session: PageSession): Promise<Response> {
  const { network, brand } = session;
  switch (status) {
    case 'completed':
      return sessionPage(
        `Connected to ${network}`,
        html`<p>Your account is connected. You can close this page.</p>
          ${wayBack(session)}`,
        session,
      );
    case 'canceled':
      return sessionPage(
        `Not connected to ${network}`,
        html`<p>Your account was not connected. You can close this page.</p>
          ${wayBack(session)}`,
        session,
      );
    case 'expired':
      return sessionPage(
        'This link has expired',
        html`<p>Your account is not connected. Go back to ${brand.name} and ask for a new link.</p>
          ${wayBack(session)}`,
        session,
        { status: 410 },
      );
  }
}

/** A page in the project's name. */
function sessionPage(
  title: string,
  body: Html,
  { network, brand }: PageSession,
  { isInvalid = false, ...options }: PageOptions & { isInvalid?: boolean } = {},
): Promise<Response> {
  const parts = [title, ...(title.includes(network) ? [] : [network]), brand.name];
  const documentTitle = `${isInvalid ? 'Error: ' : ''}${parts.join(' – ')}`;
  return page(title, body, { ...options, brand, documentTitle });
}

function wayBack({ returnUrl, brand }: PageSession): Html | null {
  return returnUrl === null
    ? null
    : html`<p><a href="${returnUrl}">Return to ${brand.name}</a></p>`;
}

const urlOf = ({ id }: PageSession, index: number) =>
  `/connect/${id}${index === 0 ? '' : `?way=${index + 1}`}`;

/** For a failure of a session that stays open. `selected`: the way to try again. */
export function failedPage(
  message: string,
  status: number,
  session: PageSession,
  selected?: SelectedWay,
): Promise<Response> {
  return sessionPage(
    `Your ${session.network} account could not be connected`,
    html`<p>${message}</p>
      <p><a href="${urlOf(session, selected?.index ?? 0)}">Try again</a></p>
      ${selected && otherWays(session, selected)} ${wayBack(session)}`,
    session,
    { status },
  );
}

/** For a request that belongs to no known session. */
export function errorPage(message: string, status: number): Promise<Response> {
  return page('Your account could not be connected', html`<p>${message}</p>`, { status });
}

/** For a callback whose flow was used, replaced or lost. */
export function usedPage(session: PageSession): Promise<Response> {
  return sessionPage(
    'This step is out of date',
    html`<p>This step was already used, or you started again. Your account is not connected yet.</p>
      <p><a href="${urlOf(session, 0)}">Continue</a></p>
      ${wayBack(session)}`,
    session,
    { status: 409 },
  );
}

function otherWays({ id, network }: PageSession, { platform, ...selected }: SelectedWay): Html[] {
  return platform.connect.flatMap((way, index) => {
    if (index === selected.index) return [];
    const label = way.kind === 'consent' ? `Log in at ${network}` : `Enter your ${secretOf(way)}`;
    return [html`<p><a href="/connect/${id}?way=${index + 1}">${label} instead</a></p>`];
  });
}

/** Label of the secret field, such as `app password`. */
function secretOf(way: FormMethod): string {
  const { fields } = readFields(way.fields);
  const { label } = fields.find(({ isSecret }) => isSecret) ?? fields[0]!;
  return label.charAt(0).toLowerCase() + label.slice(1);
}

/** For a browser without the session's cookie. It isn't sent back, since the session isn't its own. */
export function otherBrowserPage(session: PageSession): Promise<Response> {
  return sessionPage(
    'This page was opened in another browser',
    html`<p>This page works only in the browser that opened the link, for 30 minutes.</p>
      <p>Go back to ${session.brand.name} and open the link again.</p>`,
    session,
    { status: 403 },
  );
}

export interface FieldsForm extends SelectedWay {
  session: PageSession;
  state: string;
  values: Record<string, string>;
  error?: AppError;
}

/**
 * Asks for the credentials of a form, or for the inputs of a consent. A consent without inputs has the page
 * too: link previews and scanners send no forms, and some networks skip their own page.
 */
export function formPage(form: FieldsForm): Promise<Response> {
  const { session, index, state, error } = form;
  const way = wayOf(form)!;
  const { description = introductionOf(way, session), fields } = readFields(fieldsOf(way));
  const shown = fields.map((field) => ({ ...field, issues: findIssues(field, fields, error) }));
  const wrong = shown.filter(({ issues }) => issues.length > 0);
  return sessionPage(
    `${session.accountName === null ? 'Connect' : 'Reconnect'} your ${session.network} account`,
    html`${request(session)} ${description !== undefined && html`<p>${prose(description)}</p>`}
      ${findOtherIssues(fields, error).map((text) => html`<p role="alert">${plain(text)}</p>`)}
      ${wrong.length > 0 && issueSummary(wrong)}
      <form method="post" action="${urlOf(session, index)}">
        <input type="hidden" name="state" value="${state}" />
        ${shown.map((field) => showField(field, form.values[field.name], field === wrong[0]))}
        <button class="first" name="decision" value="connect">
          ${way.kind === 'form' ? 'Connect' : 'Continue'}
        </button>
        <button name="decision" value="cancel" formnovalidate>Cancel</button>
      </form>
      ${otherWays(session, form)}`,
    session,
    { status: error ? 422 : 200, isFormLeaving: true, isInvalid: error !== undefined },
  );
}

/** Undefined for a form, whose fields say enough. */
function introductionOf(way: ConnectMethod, { network }: PageSession): string | undefined {
  return way.kind === 'form' ? undefined : `You log in at ${network}, and allow it there.`;
}

/** The request that the user approves. */
function request({ brand, network, accountName }: PageSession): Html {
  return html`<p>
    <strong>${brand.name}</strong> asks to post to ${network} on your
    behalf${accountName !== null && html` again, as <bdi>${accountName}</bdi>`}.
  </p>`;
}

export interface ChoiceForm extends SelectedWay {
  session: PageSession;
  state: string;
  accounts: readonly GrantedAccount[];
  /** IDs that the user chose before. */
  chosen?: readonly string[];
  error?: AppError;
}

/** Asks which accounts of a login to connect. */
export function choicePage(form: ChoiceForm): Promise<Response> {
  const { session, index, state, accounts, chosen = [], error } = form;
  return sessionPage(
    `Choose your ${session.network} accounts`,
    html`${request(session)} ${error && html`<p role="alert">${error.message}</p>`}
      <form method="post" action="${urlOf(session, 0)}">
        <input type="hidden" name="state" value="${state}" />
        ${accounts.map((account, i) => showAccount(account, i, chosen))}
        <button class="first" name="decision" value="choose">Connect</button>
        <button name="decision" value="cancel">Cancel</button>
      </form>
      <p><a href="/connect/${session.id}?way=${index + 1}">Log in again</a></p>
      ${otherWays(session, form)}`,
    session,
    {
      status: error ? errorKinds[error.code].status : 200,
      isFormLeaving: true,
      isInvalid: error !== undefined,
    },
  );
}

function showAccount(
  { externalAccountId, accountName, kind, problem }: GrantedAccount,
  i: number,
  chosen: readonly string[],
): Html {
  const hint = problem !== null && `account-${i}-hint`;
  const about = [kind, problem].filter(Boolean).join('. ');
  return html`<div class="choice">
    <input
      type="checkbox"
      id="account-${i}"
      name="account"
      value="${externalAccountId}"
      ${chosen.includes(externalAccountId) && 'checked'}
      ${hint && html`disabled aria-describedby="${hint}"`}
    />
    <label for="account-${i}">
      <bdi>${accountName}</bdi>
      ${about && html`<span class="quiet" ${hint && html`id="${hint}"`}>${about}</span>`}
    </label>
  </div>`;
}
