// The choice among the accounts of a login: its page, and its form.
import { html } from 'hono/html';
import type { Grant, GrantedAccount } from '../../activities/platforms/platform.ts';
import { AppError, errorKinds, type ErrorCode } from '../../schema/wire/errors.ts';
import type { Html } from '../http/pages/prose.ts';
import {
  inEnglish,
  messageOf,
  ofConnector,
  PageError,
  type PageContext,
  type Texts,
} from '../http/pages/texts.ts';
import { endSession, leave, writeAccounts } from './finish.ts';
import {
  formUrlOf,
  otherMethods,
  readForm,
  request,
  sessionPage,
  show,
  showPicture,
  usedPage,
  type SessionForm,
} from './pages.ts';
import { findChoice, newState, type Choice, type Visit } from './session.ts';

/** `failed`: the IDs that the user chose before, and why they can't be connected. */
export async function showChoice(
  context: PageContext,
  visit: Visit,
  { method, grant: { accounts, notice } }: Choice,
  failed: { chosen?: readonly string[]; error?: AppError } = {},
): Promise<Response> {
  const state = newState('form', visit);
  const form = await readForm(context, visit.session, method);
  return choicePage({ ...form, state, accounts, notice, ...failed });
}

interface ChoiceForm extends SessionForm {
  state: string;
  accounts: readonly GrantedAccount[];
  notice: string | undefined;
  chosen?: readonly string[];
  error?: AppError;
}

function choicePage(form: ChoiceForm): Promise<Response> {
  const { session, state, accounts, notice, chosen = [], error } = form;
  const { texts } = session;
  const { choose, connect, logInAgain } = texts.connect;
  return sessionPage(
    choose(session.network),
    html`${request(session)} ${notice !== undefined && html`<p>${inEnglish(texts, notice)}</p>`}
      ${error && html`<p role="alert">${messageOf(texts, error)}</p>`}
      <form method="post" action="/connect/${session.id}">
        <input type="hidden" name="state" value="${state}" />
        ${accounts.map((account, i) => showAccount(texts, account, i, chosen))}
        <button class="first" name="decision" value="choose">${connect}</button>
        <button name="decision" value="cancel">${texts.cancel}</button>
      </form>
      <p><a href="${formUrlOf(session, form)}">${logInAgain}</a></p>
      ${otherMethods(session, form)}`,
    session,
    {
      status: error ? errorKinds[error.code].status : 200,
      isFormLeaving: true,
      isInvalid: error !== undefined,
      imageUrls: accounts.flatMap(({ pictureUrl }) => pictureUrl ?? []),
    },
  );
}

function showAccount(
  texts: Texts,
  { externalAccountId, accountName, pictureUrl, kind, problem }: GrantedAccount,
  i: number,
  chosen: readonly string[],
): Html {
  const hint = problem !== null && `account-${i}-hint`;
  const about = [
    ...(kind === undefined ? [] : [ofConnector(texts, kind)]),
    ...(problem === null ? [] : [inEnglish(texts, problem)]),
  ];
  return html`<div class="choice">
    <input
      type="checkbox"
      id="account-${i}"
      name="account"
      value="${externalAccountId}"
      ${chosen.includes(externalAccountId) && 'checked'}
      ${hint && html`disabled aria-describedby="${hint}"`}
    />
    ${showPicture(pictureUrl ?? null)}
    <label for="account-${i}">
      <bdi>${accountName}</bdi>
      ${
        about.length > 0 &&
        html`<span class="quiet" ${hint && html`id="${hint}"`}>${joined(about)}</span>`
      }
    </label>
  </div>`;
}

/** `Page. You are not an administrator.` */
const joined = ([first, ...others]: readonly Html[]): Html =>
  others.length === 0 ? html`${first}` : html`${first}. ${joined(others)}`;

/** Connects the chosen accounts of the login that waits for this browser, or says why they can't be connected. */
export async function chooseAccounts(
  context: PageContext,
  visit: Visit,
  given: unknown[],
): Promise<Response> {
  const { session, secret } = visit;
  const chosen = given.filter((id) => typeof id === 'string');
  try {
    const ended = await endSession(context, session, async (effects, locked) => {
      const choice = findChoice(context, { session: locked, secret });
      if (!choice) throw refusal('conflict', 'oldChoice');
      const accounts = findChosen(choice.grant, chosen);
      return writeAccounts(context, effects, locked, choice, accounts);
    });
    return await leave(context, ended);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const choice = findChoice(context, visit);
    return choice
      ? await showChoice(context, visit, choice, { chosen, error })
      : await show(context, session, usedPage);
  }
}

/** The chosen accounts, in the order of the grant. */
function findChosen({ accounts }: Grant, ids: readonly string[]): GrantedAccount[] {
  if (ids.length === 0) throw refusal('validation_error', 'noChoice');
  const chosen = accounts.filter(
    ({ externalAccountId, problem }) => problem === null && ids.includes(externalAccountId),
  );
  if (chosen.length === new Set(ids).size) return chosen;
  throw refusal('conflict', 'lostChoice');
}

const refusal = (code: ErrorCode, why: 'oldChoice' | 'noChoice' | 'lostChoice') =>
  new PageError(code, ({ connect }) => connect.failures[why]);
