// Operations on connect sessions: create one for a user, read its status, and erase the sessions of a user.
import { ConnectSession, type CreateConnectSession } from '../../schema/accounts.ts';
import { requireReach } from '../../schema/api-keys.ts';
import { listAccountsById } from '../../schema/database/accounts/accounts.ts';
import {
  eraseConnectSessions,
  getConnectSessionRow,
  insertConnectSession,
  listConnectSessionsById,
  lockSessionsOfUser,
} from '../../schema/database/accounts/connect-sessions.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { ConnectSessionRow } from '../../schema/database/tables.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import { inTransaction } from '../../schema/database/transaction.ts';
import type { PlatformName } from '../../schema/platforms/index.ts';
import { validationError } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import { present } from '../../schema/wire/present.ts';
import type { Text } from '../../schema/wire/names.ts';
import { newLinkToken } from '../http/auth/api-keys.ts';
import type { Caller, Context } from '../http/context.ts';
import { byIds } from '../http/listing.ts';
import { transact, type Answer } from '../http/transact.ts';
import { chooseLogin } from './session-login.ts';
import { discardFlows, openFlows, sessionLifetimeMs, statusOf } from './session.ts';

export async function createConnectSession(
  context: Context,
  caller: Caller,
  input: CreateConnectSession,
): Promise<Answer<ConnectSession>> {
  const subject = await findSubject(context, caller, input);
  if (input.return_url !== undefined) await checkReturnUrl(context, caller, input.return_url);
  return transact(context, caller, async ({ trx, audit }) => {
    const id = newId('connectSession');
    const { token, hash } = newLinkToken();
    const row = await insertConnectSession(trx, {
      id,
      project_id: caller.projectId,
      environment: caller.environment,
      ...subject,
      return_url: input.return_url ?? null,
      status: 'pending',
      expires_at: new Date(Date.now() + sessionLifetimeMs),
      token_hash: hash,
    });
    audit({ subject: 'connect_session', subject_id: id, kind: 'created' });
    const url = `${context.publicUrl}/connect/${id}?token=${token}`;
    return { status: 201, data: { ...presentConnectSession(row), url }, isSecret: true };
  });
}

export async function getConnectSession(
  context: Context,
  caller: Caller,
  id: string,
): Promise<ConnectSession> {
  return presentConnectSession(await getConnectSessionRow(context.db, caller, id));
}

export const findConnectSessions = byIds(listConnectSessionsById, presentConnectSession);

const sessionsAtOnce = 100;

/**
 * Ends the open sessions of the user, and revokes the logins that waited for a choice in them. Removes the
 * user from all of the sessions. `platform`: only sessions at this network.
 */
export async function eraseSessionsOfUser(
  context: Context,
  scope: RowScope,
  externalUserId: string,
  platform?: PlatformName,
): Promise<void> {
  let sessions: ConnectSessionRow[];
  do {
    sessions = await inTransaction(context.db, context.notifier, async (trx) => {
      const locked = await lockSessionsOfUser(trx, scope, externalUserId, sessionsAtOnce, platform);
      await eraseConnectSessions(trx, locked);
      return locked;
    });
    for (const session of sessions) {
      await discardFlows(context, session, openFlows(context, session));
    }
  } while (sessions.length === sessionsAtOnce);
}

/** Returns what the session connects: accounts of a network for a user, or one known account again. */
async function findSubject(context: Context, caller: Caller, input: CreateConnectSession) {
  const { social_account_id: accountId, platform, external_user_id, external_user_email } = input;
  if (accountId === undefined) {
    const name = platform!;
    requireReach(caller, name);
    return {
      platform: name,
      external_user_id: external_user_id!,
      external_user_email: external_user_email ?? null,
      social_account_id: null,
      login: await chooseLogin(context, caller, { name, field: 'platform', login: input.login }),
    };
  }
  const [account] = await listAccountsById(context.db, caller, [accountId]);
  if (!account || account.is_erased) {
    const message = account ? 'names an account that was erased' : 'No account has this ID.';
    throw validationError([{ path: ['social_account_id'], code: 'unknown_account', message }]);
  }
  const { platform: name } = account;
  const field = 'social_account_id';
  return {
    platform: name,
    external_user_id: account.external_user_id,
    // The account keeps its email.
    external_user_email: null,
    social_account_id: account.id,
    login: await chooseLogin(context, caller, { name, field, login: input.login }),
  };
}

async function checkReturnUrl(
  { db, publicUrl }: Context,
  { projectId, environment }: Caller,
  url: string,
): Promise<void> {
  const { username, password, origin } = new URL(url);
  if (username !== '' || password !== '') {
    const message = 'must not contain a user name or password';
    throw validationError([{ path: ['return_url'], code: 'has_credentials', message }]);
  }
  if (environment === 'test' || (isLoopbackUrl(url) && isLoopbackUrl(publicUrl))) return;
  const { return_origins } = await getProjectRow(db, projectId);
  if (return_origins.some((allowed) => new URL(allowed).origin === origin)) return;
  const message: Text = ({ field }) => `must be at one of the project's ${field('return_origins')}`;
  const hint: Text = ({ field, operation }) =>
    `Add the origin to ${field('return_origins')} with ${operation('updateProject')}.`;
  throw validationError(
    [{ path: ['return_url'], code: 'origin_not_allowed', message, actual: origin }],
    hint,
  );
}

/**
 * Whether a browser that opens the URL stays on its own machine (RFC 6761 and RFC 5735). `URL` writes every
 * IPv4 address in full.
 */
function isLoopbackUrl(url: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|\[::1\]|(.+\.)?localhost)$/.test(new URL(url).hostname);
}

/** Only the response of `createConnectSession` includes the URL. */
function presentConnectSession(row: ConnectSessionRow): ConnectSession {
  return present(ConnectSession, {
    ...row,
    url: null,
    status: statusOf(row),
    completed_social_account_id: row.completed_social_account_ids[0] ?? null,
  });
}
