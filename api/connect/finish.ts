// Ends a connect session, completed with accounts or canceled, and sends its user back. A session ends only once.
import type { Grant, GrantedAccount } from '../../activities/platforms/platform.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import {
  lockConnectSession,
  setConnectSessionEnded,
} from '../../schema/database/accounts/connect-sessions.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { revokeLogins } from '../accounts/revoke-login.ts';
import { writeConnection } from '../accounts/write-connection.ts';
import type { Context } from '../http/context.ts';
import { transact, type Effects } from '../http/transact.ts';
import { discardFlows, findFlow, openFlows, type Choice } from './flow.ts';
import { showEnded } from './pages.ts';
import { returnUrlOf, statusOf, type Visit } from './session.ts';

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

/** Completes the session with accounts of the login that waits for this browser's choice. */
export async function finishWithChosen(
  context: Context,
  { session, secret }: Visit,
  externalAccountIds: readonly string[],
): Promise<Response> {
  const ended = await endSession(context, session, async (effects, locked) => {
    const choice = findFlow(context, { session: locked, secret });
    if (choice?.kind !== 'choice') {
      throw new AppError('conflict', 'This list of accounts is out of date.');
    }
    const accounts = choose(choice.grant, externalAccountIds);
    return writeAccounts(context, effects, locked, choice, accounts);
  });
  return leave(context, ended);
}

/** In the order of the grant. */
function choose({ accounts }: Grant, ids: readonly string[]): GrantedAccount[] {
  if (ids.length === 0) throw new AppError('validation_error', 'Choose at least one account.');
  const chosen = accounts.filter(
    ({ externalAccountId, problem }) => problem === null && ids.includes(externalAccountId),
  );
  if (chosen.length === new Set(ids).size) return chosen;
  throw new AppError('conflict', 'An account that you chose is no longer available. Choose again.');
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
