// Ends a connect session once: completes it with accounts of a login, or cancels it, and sends its user back.
import type { GrantedAccount } from '../../activities/platforms/platform.ts';
import { getAccountRow } from '../../schema/database/accounts/accounts.ts';
import {
  lockConnectSession,
  setConnectSessionEnded,
} from '../../schema/database/accounts/connect-sessions.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { describeProblems } from '../accounts/connect-at-network.ts';
import { revokeLogins } from '../accounts/revoke-login.ts';
import { writeConnection } from '../accounts/write-connection.ts';
import type { Context } from '../http/context.ts';
import { PageError, type PageContext } from '../http/pages/texts.ts';
import { transact, type Effects } from '../http/transact.ts';
import { returnUrlOf } from './page-session.ts';
import { seeOther, showEnded } from './pages.ts';
import { discardFlows, keepFlow, openFlows, statusOf, type Choice, type Visit } from './session.ts';

/** Ends the session with the login's only account, or sends the user to the choice. */
export async function offerAccounts(
  context: PageContext,
  visit: Visit,
  login: Choice,
): Promise<Response> {
  const choice = await restrict(context, visit.session, login);
  if (choice.grant.accounts.length === 1) return finishWithLogin(context, visit.session, choice);
  await keepFlow(context, visit, choice);
  return seeOther(`/connect/${visit.session.id}`);
}

/**
 * Returns the login with only the accounts that the session can connect. Discards a login without such
 * accounts.
 */
async function restrict(
  context: Context,
  session: ConnectSessionRow,
  login: Choice,
): Promise<Choice> {
  try {
    const choice = await restrictToAccount(context, session, login);
    const { accounts } = choice.grant;
    if (accounts.some(({ problem }) => problem === null)) return choice;
    throw new AppError('conflict', describeProblems(accounts));
  } catch (error) {
    if (error instanceof AppError) await discardFlows(context, session, [login]);
    throw error;
  }
}

/**
 * The login with only the account to reconnect, or unchanged if the user chooses the accounts. Throws if the
 * login doesn't reach the account.
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
  throw new PageError('conflict', ({ connect }) => connect.failures.otherLogin(known.account_name));
}

/**
 * Completes the session with all accounts of the login, unless another request ended it first. Throws
 * `account_in_use` and leaves the session open if an account belongs to another user.
 */
export async function finishWithLogin(
  context: PageContext,
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

/**
 * Connects these accounts of the login, and completes the session. Discards the other logins of the session.
 */
export async function writeAccounts(
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

/** Cancels the session, and revokes its logins that waited for a choice. */
export async function cancelSession(
  context: PageContext,
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

/** Ends the session. If it has ended before, runs `ifEnded` instead, after the transaction. */
export async function endSession(
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
export async function leave(context: PageContext, session: ConnectSessionRow): Promise<Response> {
  const url = returnUrlOf(session);
  const status = statusOf(session);
  if (status === 'pending') throw new Error('The session of a user who leaves is still open.');
  if (url === null || status === 'expired') return showEnded(context, session, status);
  return seeOther(url);
}
