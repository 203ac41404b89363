// The page of a connection method, and its form: cancels, chooses accounts, sends credentials, or begins a consent.
import { html } from 'hono/html';
import type { ConnectMethod } from '../../activities/platforms/platform.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { connectAtNetwork } from '../accounts/connect-at-network.ts';
import type { Context } from '../http/context.ts';
import { plain, prose } from '../http/pages.ts';
import { chooseAccounts, findChoicePage, offerAccounts } from './choose.ts';
import { beginConsent } from './consent.ts';
import { cancelSession } from './finish.ts';
import { toChoice } from './flow.ts';
import {
  fieldsOf,
  findIssues,
  findOtherIssues,
  issueSummary,
  readFields,
  showField,
} from './form-fields.ts';
import {
  otherBrowserPage,
  otherMethods,
  readForm,
  request,
  sessionPage,
  show,
  showFailed,
  urlOf,
  type Failure,
  type PageSession,
  type SessionForm,
} from './pages.ts';
import { isState, newState, platformOf, type Visit } from './session.ts';

const noSuchPage: Failure = { message: 'This page does not exist.', status: 404 };

/** `number`: which connection method the address asks for. Undefined: none, so a choice comes first. */
export async function showForm(
  context: Context,
  visit: Visit,
  number: string | undefined,
): Promise<Response> {
  const choice = number === undefined ? await findChoicePage(context, visit) : undefined;
  if (choice) return choice;
  const method = findMethod(context, visit, number);
  if (!method) return showFailed(context, visit.session, noSuchPage);
  return formPage({ ...(await readForm(context, visit, method)), values: {} });
}

/** Undefined: the network has no such method. */
function findMethod(
  context: Context,
  { session }: Visit,
  number: string | undefined,
): ConnectMethod | undefined {
  return platformOf(context, session).connect[Number(number ?? 1) - 1];
}

/** `number`: of the connection method whose form it is. */
export async function submitForm(
  context: Context,
  visit: Visit,
  number: string | undefined,
  form: Record<string, unknown>,
): Promise<Response> {
  const { session, secret } = visit;
  // With the cookie alone, any page of the same site could submit the form.
  if (!isState('form', session.id, secret, text(form['state']))) {
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
      const Location = await beginConsent(context, visit, method, values);
      return new Response(null, { status: 303, headers: { Location } });
    }
    const { definition } = platformOf(context, session);
    const grant = await connectAtNetwork(context, session.project_id, definition, method, values);
    const begun = { state: newState('flow', session.id, secret), method, appId: null };
    return await offerAccounts(context, visit, toChoice(begun, grant));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return formPage({ ...(await readForm(context, visit, method)), values, error });
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export interface FieldsForm extends SessionForm {
  values: Record<string, string>;
  error?: AppError;
}

/**
 * Asks for the credentials of a form, or for the inputs of a consent. A consent without inputs has the page
 * too: link previews and scanners send no forms, and some networks skip their own page.
 */
export function formPage(form: FieldsForm): Promise<Response> {
  const { session, method, state, error } = form;
  const { description = introductionOf(method, session), fields } = readFields(fieldsOf(method));
  const shown = fields.map((field) => ({ ...field, issues: findIssues(field, fields, error) }));
  const wrong = shown.filter(({ issues }) => issues.length > 0);
  return sessionPage(
    `${session.accountName === null ? 'Connect' : 'Reconnect'} your ${session.network} account`,
    html`${request(session)} ${description !== undefined && html`<p>${prose(description)}</p>`}
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
function introductionOf({ kind }: ConnectMethod, { network }: PageSession): string | undefined {
  return kind === 'form' ? undefined : `You log in at ${network}, and allow it there.`;
}
