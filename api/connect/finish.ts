// Ends a connect session and sends its user back: completed with accounts of a login, which the user chooses on a
// page where there are several, or canceled. A session ends only once.
import { html } from 'hono/html';
import type { Grant, GrantedAccount } from '../../activities/platforms/platform.ts';
import { getAccountRow } from '../../schema/database/accounts/accounts.ts';
import {
  lockConnectSession,
  setConnectSessionEnded,
} from '../../schema/database/accounts/connect-sessions.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { AppError, errorKinds } from '../../schema/wire/errors.ts';
import { describeProblem } from '../accounts/connect-at-network.ts';
import { revokeLogins } from '../accounts/revoke-login.ts';
import { writeConnection } from '../accounts/write-connection.ts';
import type { Context } from '../http/context.ts';
import type { Html } from '../http/pages.ts';
import { transact, type Effects } from '../http/transact.ts';
import {
  formUrlOf,
  otherMethods,
  readForm,
  request,
  returnUrlOf,
  sessionPage,
  show,
  showEnded,
  usedPage,
  type SessionForm,
} from './pages.ts';
import {
  discardFlows,
  findFlow,
  keepFlow,
  openFlows,
  statusOf,
  type Choice,
  type Visit,
} from './session.ts';

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

/** Connects the chosen accounts of the login that waits for this browser, or says why they can't be connected. */
export async function chooseAccounts(
  context: Context,
  visit: Visit,
  given: unknown[],
): Promise<Response> {
  const { session, secret } = visit;
  const chosen = given.filter((id) => typeof id === 'string');
  try {
    const ended = await endSession(context, session, async (effects, locked) => {
      const choice = findFlow(context, { session: locked, secret });
      if (choice?.kind !== 'choice') {
        throw new AppError('conflict', 'This list of accounts is out of date.');
      }
      const accounts = findChosen(choice.grant, chosen);
      return writeAccounts(context, effects, locked, choice, accounts);
    });
    return await leave(context, ended);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const page = await findChoicePage(context, visit, { chosen, error });
    return page ?? (await show(context, session, usedPage));
  }
}

/** In the order of the grant. */
function findChosen({ accounts }: Grant, ids: readonly string[]): GrantedAccount[] {
  if (ids.length === 0) throw new AppError('validation_error', 'Choose at least one account.');
  const chosen = accounts.filter(
    ({ externalAccountId, problem }) => problem === null && ids.includes(externalAccountId),
  );
  if (chosen.length === new Set(ids).size) return chosen;
  throw new AppError('conflict', 'An account that you chose is no longer available. Choose again.');
}

/**
 * Completes the session with all accounts of the login, unless another request ended it first. Throws
 * `account_in_use` and leaves the session open if an account belongs to another user.
 */
export async function finishWithLogin(
  context: Context,
  session: ConnectSessionRow,
  login: Choice,
): Promise<Response> {
  const unused = async () => discardFlows(context, session, [login]);
  const ended = await endSession(
    context,
    session,
    (effects, locked) => writeAccounts(context, effects, locked, login, login.grant.accounts),
    unused,
  ).catch(async (error: unknown) => {
    // After any other error, such as a lost connection, the login may have been written.
    if (error instanceof AppError) await unused();
    throw error;
  });
  return leave(context, ended);
}

async function writeAccounts(
  context: Context,
  effects: Effects,
  session: ConnectSessionRow,
  login: Choice,
  accounts: readonly GrantedAccount[],
): Promise<Ended> {
  const { grant, appId, state } = login;
  const others = openFlows(context, session).filter((flow) => flow.state !== state);
  const { written, leftGrants } = await writeConnection(context, effects, {
    projectId: session.project_id,
    platform: session.platform,
    grant,
    accounts,
    appId,
    connectionType: 'managed',
    externalUserId: session.external_user_id ?? undefined,
    externalUserEmail: session.external_user_email ?? undefined,
    mayMove: session.social_account_id === null ? 'unless_active' : 'never',
  });
  const ended = await setConnectSessionEnded(effects.trx, session.project_id, session.id, {
    status: 'completed',
    completed_social_account_ids: written.map(({ account }) => account.id),
  });
  const afterwards = async () => {
    await revokeLogins(context, leftGrants, grant.credentials);
    await discardFlows(context, ended, others);
  };
  return { session: ended, afterwards };
}

/** Revokes the logins that waited for a choice. */
export async function cancelSession(
  context: Context,
  session: ConnectSessionRow,
): Promise<Response> {
  const { project_id: projectId, id } = session;
  const canceled = await endSession(context, session, async ({ trx }, locked) => {
    const unused = openFlows(context, locked);
    const ended = await setConnectSessionEnded(trx, projectId, id, { status: 'canceled' });
    return { session: ended, afterwards: () => discardFlows(context, ended, unused) };
  });
  return leave(context, canceled);
}

interface Ended {
  session: ConnectSessionRow;
  /** Calls the network, after the commit. */
  afterwards?: (() => Promise<void>) | undefined;
}

async function endSession(
  context: Context,
  { id, project_id: projectId }: ConnectSessionRow,
  end: (effects: Effects, locked: ConnectSessionRow) => Promise<Ended>,
  ifEnded?: () => Promise<void>,
): Promise<ConnectSessionRow> {
  const { data } = await transact(context, { projectId }, async (effects) => {
    const session = await lockConnectSession(effects.trx, projectId, id);
    const isOpen = statusOf(session) === 'pending';
    return {
      status: 200,
      data: isOpen ? await end(effects, session) : { session, afterwards: ifEnded },
    };
  });
  await data.afterwards?.();
  return data.session;
}

/** Sends the user to the return URL, or shows the last page. */
export async function leave(context: Context, session: ConnectSessionRow): Promise<Response> {
  const url = returnUrlOf(session);
  const status = statusOf(session);
  if (status === 'pending') throw new Error('The session of a user who leaves is still open.');
  if (url === null || status === 'expired') return showEnded(context, session, status);
  return new Response(null, { status: 303, headers: { Location: url } });
}
