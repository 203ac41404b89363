// The page of a connection method, and its form: cancels, chooses accounts, sends credentials, or begins a consent.
import { html } from 'hono/html';
import {
  fieldsOf,
  readFields,
  type CredentialField,
} from '../../activities/platforms/credential-fields.ts';
import type { ConnectMethod } from '../../activities/platforms/platform.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { render, type Path } from '../../schema/wire/names.ts';
import { connectAtNetwork } from '../accounts/connect-at-network.ts';
import type { Context } from '../http/context.ts';
import { plain, prose, type Html } from '../http/pages.ts';
import { chooseAccounts, showChoice } from './choose.ts';
import { beginConsent } from './consent.ts';
import { cancelSession, offerAccounts } from './finish.ts';
import {
  otherBrowserPage,
  otherMethods,
  readForm,
  request,
  seeOther,
  sessionPage,
  show,
  showFailed,
  urlOf,
  type Failure,
  type PageSession,
  type SessionForm,
} from './pages.ts';
import {
  findChoice,
  findFlow,
  isState,
  newState,
  offerOf,
  platformOf,
  toChoice,
  type Visit,
} from './session.ts';

const noSuchPage: Failure = { message: 'This page does not exist.', status: 404 };

/**
 * `number`: the connection method that the URL names. Undefined: none, so a waiting choice is shown first.
 */
export async function showForm(
  context: Context,
  visit: Visit,
  number: string | undefined,
): Promise<Response> {
  const choice = number === undefined ? findChoice(context, visit) : undefined;
  if (choice) return showChoice(context, visit, choice);
  const state = newState('form', visit);
  const method = findMethod(context, visit, number);
  if (!method) return showFailed(context, visit.session, noSuchPage);
  const form = await readForm(context, visit.session, method);
  const hint = describeDeadEnd(context, visit, form.session);
  return formPage({ ...form, state, values: {}, hint });
}

/** A hint for a user who comes back from a consent without an answer. Undefined: there is none. */
function describeDeadEnd(
  context: Context,
  visit: Visit,
  { brand }: PageSession,
): string | undefined {
  const flow = findFlow(context, visit);
  return flow?.kind === 'consent' ? flow.method.deadEnd?.(brand.name) : undefined;
}

/** Undefined: the page has no such method. */
function findMethod(
  context: Context,
  { session }: Visit,
  number: string | undefined,
): ConnectMethod | undefined {
  return offerOf(context, session).connect[Number(number ?? 1) - 1];
}

/** Handles the form of a connection method. `number`: the method's number in the URL. */
export async function submitForm(
  context: Context,
  visit: Visit,
  number: string | undefined,
  form: Record<string, unknown>,
): Promise<Response> {
  const { session } = visit;
  // With the cookie alone, any page of the same site could submit the form.
  if (!isState('form', visit, text(form['state']))) {
    return show(context, session, otherBrowserPage);
  }
  if (form['decision'] === 'cancel') return cancelSession(context, session);
  if (form['decision'] === 'choose') {
    return chooseAccounts(context, visit, [form['account']].flat());
  }
  const method = findMethod(context, visit, number);
  if (!method) return showFailed(context, session, noSuchPage);
  const values = Object.fromEntries(
    readFields(fieldsOf(method))
      .fields.map(({ name }) => [name, text(form[name])] as const)
      .filter(([, value]) => value !== ''),
  );
  try {
    if (method.kind === 'consent') {
      return seeOther(await beginConsent(context, visit, method, values));
    }
    const { definition } = platformOf(context, session);
    const grant = await connectAtNetwork(context, session.project_id, definition, method, values);
    const begun = { state: newState('flow', visit), method, appId: null };
    return await offerAccounts(context, visit, toChoice(begun, grant));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const state = newState('form', visit);
    return formPage({ ...(await readForm(context, session, method)), state, values, error });
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export interface FieldsForm extends SessionForm {
  state: string;
  values: Record<string, string>;
  error?: AppError;
  /** A sentence above the form. */
  hint?: string | undefined;
}

/**
 * Asks for the credentials of a form, or for the inputs of a consent. A consent without inputs has the page
 * too, because link previews and scanners send no forms, so they can't begin a consent. Some networks skip
 * their own page.
 */
export function formPage(form: FieldsForm): Promise<Response> {
  const { session, method, state, error, hint } = form;
  const { description = introductionOf(method, session), fields } = readFields(fieldsOf(method));
  const shown = fields.map((field) => ({ ...field, issues: findIssues(field, fields, error) }));
  const wrong = shown.filter(({ issues }) => issues.length > 0);
  return sessionPage(
    `${session.accountName === null ? 'Connect' : 'Reconnect'} your ${session.network} account`,
    html`${request(session)} ${description !== undefined && html`<p>${prose(description)}</p>`}
      ${hint !== undefined && html`<p>${hint}</p>`}
      ${findOtherIssues(fields, error).map((text) => html`<p role="alert">${plain(text)}</p>`)}
      ${wrong.length > 0 && issueSummary(wrong)}
      <form method="post" action="${urlOf(session, form)}">
        <input type="hidden" name="state" value="${state}" />
        ${shown.map((field) => showField(field, form.values[field.name], field === wrong[0]))}
        <button class="first" name="decision" value="connect">
          ${method.kind === 'form' ? 'Connect' : 'Continue'}
        </button>
        <button name="decision" value="cancel" formnovalidate>Cancel</button>
      </form>
      ${otherMethods(session, form)}`,
    session,
    { status: error ? 422 : 200, isFormLeaving: true, isInvalid: error !== undefined },
  );
}

/** Undefined for a form, whose fields say enough. */
function introductionOf(method: ConnectMethod, { network }: PageSession): string | undefined {
  if (method.kind === 'form') return undefined;
  return `You log in at ${method.title ?? network}, and allow it there.`;
}

/**
 * The issues of the field as complete sentences. A message of Fanfare gets the label before it and a period
 * after it. A message of a network already is a sentence.
 */
function findIssues(
  { name, label }: CredentialField,
  fields: CredentialField[],
  error: AppError | undefined,
): string[] {
  return (error?.options.issues ?? [])
    .filter(({ path }) => isAt(path, name))
    .map(({ message }) => {
      const text = useLabels(render(message), fields);
      return /^[a-z].*[^.]$/s.test(text) ? `${label} ${text}.` : text;
    });
}

function findOtherIssues(fields: CredentialField[], error: AppError | undefined): string[] {
  if (!error) return [];
  if (error.code !== 'validation_error') return [error.message];
  return (error.options.issues ?? [])
    .filter(({ path }) => !fields.some(({ name }) => isAt(path, name)))
    .map(({ message }) => useLabels(render(message), fields));
}

function isAt([parent, member]: Path, name: string): boolean {
  return parent === 'credentials' && member === name;
}

/** Replaces the API's field names, such as `bot_token`, with their labels. */
function useLabels(message: string, fields: CredentialField[]): string {
  return fields
    .filter(({ name }) => name.includes('_'))
    .reduce((text, { name, label }) => text.replaceAll(name, label), message);
}

/** Links to the fields to correct. */
function issueSummary(wrong: readonly { name: string; issues: string[] }[]): Html {
  return html`<section aria-labelledby="problem" class="summary">
    <h2 id="problem">There is a problem</h2>
    <ul>
      ${wrong.map(({ name, issues }) => html`<li><a href="#${name}">${issues.join(' ')}</a></li>`)}
    </ul>
  </section>`;
}

function showField(
  field: CredentialField & { issues: string[] },
  value: string | undefined,
  isFocused: boolean,
): Html {
  const { name, label, description, isRequired, isOptional, isMultiline, isSecret, issues } = field;
  const error = issues.length > 0 && `${name}-error`;
  const hint = description !== undefined && `${name}-hint`;
  const describedBy = [error, hint].filter(Boolean).join(' ');
  const attributes = html`autocomplete="off" autocapitalize="none" spellcheck="false"
  ${describedBy !== '' && html`aria-describedby="${describedBy}"`}
  ${error && html`aria-invalid="true"`} ${isFocused && 'autofocus'} ${isRequired && 'required'}`;
  return html`<label for="${name}">${label}${isOptional && ' (optional)'}</label>
    ${error && html`<p role="alert" id="${error}">${plain(issues.join(' '))}</p>`}
    ${
      isMultiline
        ? html`<textarea id="${name}" name="${name}" rows="4" ${attributes}>${value}</textarea>`
        : html`<input
            id="${name}"
            name="${name}"
            type="${isSecret ? 'password' : 'text'}"
            value="${isSecret ? '' : value}"
            ${attributes}
          />`
    }
    ${hint && html`<p class="quiet" id="${hint}">${prose(description)}</p>`}`;
}
