// The hosted pages of a connect session.
import { html } from 'hono/html';
import type { z } from 'zod';
import type { ConnectWay, GrantedAccount, Platform } from '../../activities/platforms/platform.ts';
import type { ConnectSessionStatus } from '../../schema/accounts.ts';
import { errorKinds, type AppError } from '../../schema/wire/errors.ts';
import { page, prose, type Html } from '../http/pages.ts';
import { findIssues, findOtherIssues, readFields, showField } from './form-fields.ts';

export function endedPage(status: Exclude<ConnectSessionStatus, 'pending'>): Promise<Response> {
  switch (status) {
    case 'completed':
      return page('Connected', html`<p>Your account is connected. You can close this page.</p>`);
    case 'canceled':
      return page(
        'Not connected',
        html`<p>Your account was not connected. You can close this page.</p>`,
      );
    case 'expired':
      return page('This link has expired', html`<p>Go back to the app and ask for a new one.</p>`, {
        status: 410,
      });
  }
}

/** A way to connect at a network, of a session. */
export interface Place {
  platform: Platform;
  /** Position in `platform.connect`. */
  index: number;
  sessionId: string;
}

export function wayAt({ platform, index }: Place): ConnectWay | undefined {
  return platform.connect[index];
}

/** The schema of what the way asks the user for. */
export function fieldsOf(way: ConnectWay): z.ZodType<Record<string, string>> | undefined {
  return way.kind === 'form' ? way.fields : way.inputs;
}

const urlOf = ({ sessionId, index }: Place) =>
  `/connect/${sessionId}${index === 0 ? '' : `?way=${index + 1}`}`;

/** `place`: where the user can try again. */
export function errorPage(message: string, status: number, place?: Place): Promise<Response> {
  return page(
    'Your account could not be connected',
    html`<p>${message}</p>
      ${place && html`<p><a href="${urlOf(place)}">Try again</a></p>`} ${place && otherWays(place)}`,
    { status },
  );
}

/** For a callback whose flow was used, replaced or lost. */
export function usedPage(sessionId: string): Promise<Response> {
  return page(
    'This step is out of date',
    html`<p>
        It was already used, or you have started again since. Your account is not connected yet.
      </p>
      <p><a href="/connect/${sessionId}">Continue</a></p>`,
    { status: 409 },
  );
}

function otherWays(place: Place): Html[] {
  const { sessionId, platform } = place;
  return platform.connect.flatMap((way, index) => {
    if (index === place.index) return [];
    const label = `${way.kind === 'consent' ? 'Log in at' : 'Enter credentials for'} ${platform.definition.title}`;
    return [html`<p><a href="/connect/${sessionId}?way=${index + 1}">${label} instead</a></p>`];
  });
}

/** For a browser without the session's cookie. */
export function otherBrowserPage(): Promise<Response> {
  return page(
    'This page was opened in another browser',
    html`<p>This page works only in the browser that opened the link, for 30 minutes.</p>
      <p>Go back to the app and open the link again.</p>`,
    { status: 403 },
  );
}

export interface FieldsForm extends Place {
  projectName: string;
  state: string;
  values: Record<string, string>;
  error?: AppError;
}

/** Asks for the credentials of a form, or for the inputs of a consent. */
export function formPage(form: FieldsForm): Promise<Response> {
  const { platform, projectName, state, error } = form;
  const network = platform.definition.title;
  const way = wayAt(form)!;
  const { description, fields } = readFields(fieldsOf(way)!);
  const shown = fields.map((field) => ({ ...field, issues: findIssues(field, fields, error) }));
  const firstWrong = shown.find(({ issues }) => issues.length > 0);
  return page(
    `Connect your ${network} account`,
    html`<p><strong>${projectName}</strong> asks to post to ${network} on your behalf.</p>
      ${description !== undefined && html`<p>${prose(description)}</p>`}
      ${findOtherIssues(fields, error).map((text) => html`<p role="alert">${prose(text)}</p>`)}
      <form method="post" action="${urlOf(form)}">
        <input type="hidden" name="state" value="${state}" />
        ${shown.map((field) => showField(field, form.values[field.name], field === firstWrong))}
        <button class="first" name="decision" value="connect">
          ${way.kind === 'form' ? 'Connect' : 'Continue'}
        </button>
        <button name="decision" value="cancel" formnovalidate>Cancel</button>
      </form>
      ${otherWays(form)}`,
    { status: error ? 422 : 200, isFormLeaving: true },
  );
}

export interface ChoiceForm extends Place {
  projectName: string;
  state: string;
  accounts: readonly GrantedAccount[];
  /** IDs that the user chose before. */
  chosen?: readonly string[];
  error?: AppError;
}

/** Asks which accounts of a login to connect. */
export function choicePage(form: ChoiceForm): Promise<Response> {
  const { platform, index, sessionId, projectName, state, accounts, chosen = [], error } = form;
  const network = platform.definition.title;
  return page(
    `Choose your ${network} accounts`,
    html`<p><strong>${projectName}</strong> asks to post to ${network} on your behalf.</p>
      ${error && html`<p role="alert">${error.message}</p>`}
      <form method="post" action="/connect/${sessionId}">
        <input type="hidden" name="state" value="${state}" />
        ${accounts.map((account, i) => showAccount(account, i, chosen))}
        <button class="first" name="decision" value="choose">Connect</button>
        <button name="decision" value="cancel">Cancel</button>
      </form>
      <p><a href="/connect/${sessionId}?way=${index + 1}">Log in again</a></p>
      ${otherWays(form)}`,
    { status: error ? errorKinds[error.code].status : 200, isFormLeaving: true },
  );
}

function showAccount(
  { externalAccountId, accountName, problem }: GrantedAccount,
  i: number,
  chosen: readonly string[],
): Html {
  const hint = problem !== null && `account-${i}-hint`;
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
      <bdi>${accountName}</bdi> ${hint && html`<span class="quiet" id="${hint}">${problem}</span>`}
    </label>
  </div>`;
}
