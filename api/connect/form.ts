// The page of a connection method, and its form: cancels, chooses accounts, sends credentials, or begins a consent.
import { html } from 'hono/html';
import { fieldsOf, readFields } from '../../activities/platforms/credential-fields.ts';
import type { ConnectMethod } from '../../activities/platforms/platform.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { connectAtNetwork } from '../accounts/connect-at-network.ts';
import type { Context } from '../http/context.ts';
import { logInButton } from '../http/pages/marks.ts';
import { prose, type Html } from '../http/pages/prose.ts';
import { inEnglish, ofConnector, type PageContext, type Texts } from '../http/pages/texts.ts';
import { chooseAccounts, showChoice } from './choose.ts';
import { beginConsent } from './consent.ts';
import { findIssues, findOtherIssues, issueSummary, showField } from './fields.ts';
import { cancelSession, offerAccounts } from './finish.ts';
import type { PageSession } from './page-session.ts';
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

const noSuchPage = ({ connect }: Texts): Failure => ({
  message: connect.failures.noPage,
  status: 404,
});

/**
 * `number`: the connection method that the URL names. Undefined: none, so a waiting choice is shown first.
 */
export async function showForm(
  context: PageContext,
  visit: Visit,
  number: string | undefined,
): Promise<Response> {
  const choice = number === undefined ? findChoice(context, visit) : undefined;
  if (choice) return showChoice(context, visit, choice);
  const state = newState('form', visit);
  const method = findMethod(context, visit, number);
  if (!method) return showFailed(context, visit.session, noSuchPage(context.texts));
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
  context: PageContext,
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
  if (!method) return showFailed(context, session, noSuchPage(context.texts));
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
  const { texts } = session;
  const { description, fields } = readFields(fieldsOf(method));
  const introduction = introduce(method, session, description);
  const shown = fields.map((field) => ({ ...field, issues: findIssues(field, fields, error) }));
  const wrong = shown.filter(({ issues }) => issues.length > 0);
  return sessionPage(
    texts.connect[session.accountName === null ? 'title' : 'again'](session.network),
    html`${request(session)} ${introduction && html`<p>${introduction}</p>`}
      ${hint !== undefined && html`<p>${inEnglish(texts, hint)}</p>`}
      ${findOtherIssues(texts, fields, error).map((text) => html`<p role="alert">${text}</p>`)}
      ${wrong.length > 0 && issueSummary(texts, wrong)}
      <form method="post" action="${urlOf(session, form)}">
        <input type="hidden" name="state" value="${state}" />
        ${shown.map((field) =>
          showField(texts, field, form.values[field.name], field === wrong[0]),
        )}
        ${
          method.kind === 'form'
            ? html`<button class="first" name="decision" value="connect">
                ${texts.connect.connect}
              </button>`
            : logInButton(texts, method)
        }
        <button name="decision" value="cancel" formnovalidate>${texts.cancel}</button>
      </form>
      ${otherMethods(session, form)}`,
    session,
    { status: error ? 422 : 200, isFormLeaving: true, isInvalid: error !== undefined },
  );
}

/** Null for a form without a description, whose fields say enough. */
function introduce(
  method: ConnectMethod,
  { network, texts }: PageSession,
  description: string | undefined,
): Html | null {
  if (description !== undefined) return ofConnector(texts, description, prose);
  if (method.kind === 'form') return null;
  return html`${texts.connect.logInAt(method.title ?? network)}`;
}
