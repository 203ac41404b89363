// The choice among the accounts of a login, on a page of its own where there are several.
import { html } from 'hono/html';
import type { GrantedAccount } from '../../activities/platforms/platform.ts';
import { getAccountRow } from '../../schema/database/accounts/accounts.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { AppError, errorKinds } from '../../schema/wire/errors.ts';
import { describeProblem } from '../accounts/connect-at-network.ts';
import type { Context } from '../http/context.ts';
import type { Html } from '../http/pages.ts';
import { finishWithChosen, finishWithLogin } from './finish.ts';
import { discardFlows, findFlow, keepFlow, type Choice } from './flow.ts';
import {
  formUrlOf,
  otherMethods,
  readForm,
  request,
  sessionPage,
  show,
  usedPage,
  type SessionForm,
} from './pages.ts';
import type { Visit } from './session.ts';

/** Ends the session with the login's only account, or sends the user to the choice. */
export async function offerAccounts(
  context: Context,
  visit: Visit,
  login: Choice,
): Promise<Response> {
  const choice = await restrict(context, visit.session, login);
  if (choice.grant.accounts.length === 1) return finishWithLogin(context, visit.session, choice);
  await keepFlow(context, visit, choice);
  const Location = `/connect/${visit.session.id}`;
  return new Response(null, { status: 303, headers: { Location } });
}

/** The login with the accounts that the session can connect. Discards a login that has none. */
async function restrict(
  context: Context,
  session: ConnectSessionRow,
  login: Choice,
): Promise<Choice> {
  try {
    const choice = await restrictToAccount(context, session, login);
    const { accounts } = choice.grant;
    if (accounts.some(({ problem }) => problem === null)) return choice;
    throw new AppError('conflict', accounts.map(describeProblem).join(' '));
  } catch (error) {
    if (error instanceof AppError) await discardFlows(context, session, [login]);
    throw error;
  }
}

/**
 * The login with the account to reconnect alone, or as it is if the user chooses the accounts. Throws if
 * it doesn't reach that account.
 */
async function restrictToAccount(
  { db }: Context,
  { project_id: projectId, environment, social_account_id: id }: ConnectSessionRow,
  login: Choice,
): Promise<Choice> {
  if (id === null) return login;
  const known = await getAccountRow(db, { projectId, environment }, id);
  const accounts = login.grant.accounts.filter(
    ({ externalAccountId }) => externalAccountId === known.external_account_id,
  );
  if (accounts.length > 0) return { ...login, grant: { ...login.grant, accounts } };
  const message = `This login does not reach the account ${known.account_name}. Log in as a user who can post to it.`;
  throw new AppError('conflict', message);
}

/** Undefined: no login of this browser waits for a choice. */
export async function findChoicePage(
  context: Context,
  visit: Visit,
  failed: { chosen?: string[]; error?: AppError } = {},
): Promise<Response | undefined> {
  const flow = findFlow(context, visit);
  if (flow?.kind !== 'choice') return undefined;
  const form = await readForm(context, visit, flow.method);
  return choicePage({ ...form, accounts: flow.grant.accounts, ...failed });
}

/** Connects the chosen accounts, or says why they can't be connected. */
export async function chooseAccounts(
  context: Context,
  visit: Visit,
  given: unknown[],
): Promise<Response> {
  const chosen = given.filter((id) => typeof id === 'string');
  try {
    return await finishWithChosen(context, visit, chosen);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const page = await findChoicePage(context, visit, { chosen, error });
    return page ?? (await show(context, visit.session, usedPage));
  }
}

interface ChoiceForm extends SessionForm {
  accounts: readonly GrantedAccount[];
  /** IDs that the user chose before. */
  chosen?: readonly string[];
  error?: AppError;
}

/** Asks which accounts of a login to connect. */
function choicePage(form: ChoiceForm): Promise<Response> {
  const { session, state, accounts, chosen = [], error } = form;
  return sessionPage(
    `Choose your ${session.network} accounts`,
    html`${request(session)} ${error && html`<p role="alert">${error.message}</p>`}
      <form method="post" action="/connect/${session.id}">
        <input type="hidden" name="state" value="${state}" />
        ${accounts.map((account, i) => showAccount(account, i, chosen))}
        <button class="first" name="decision" value="choose">Connect</button>
        <button name="decision" value="cancel">Cancel</button>
      </form>
      <p><a href="${formUrlOf(session, form)}">Log in again</a></p>
      ${otherMethods(session, form)}`,
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
