// Operations on connect sessions: create one for a user, and read its status.
import { findFormWay } from '../../activities/platforms/index.ts';
import type { ConnectSession, CreateConnectSession } from '../../schema/accounts.ts';
import {
  getConnectSessionRow,
  insertConnectSession,
  listConnectSessionsById,
} from '../../schema/database/accounts/connect-sessions.ts';
import { getProjectRow } from '../../schema/database/projects.ts';
import type { PlatformName } from '../../schema/platforms/index.ts';
import { validationError } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { Text } from '../../schema/wire/names.ts';
import { requireReach } from '../accounts/operations.ts';
import type { Caller, Context } from '../http/context.ts';
import { transact, type Answer } from '../http/transact.ts';
import { findNetworkApp } from './consent-app.ts';
import { presentConnectSession } from './presenter.ts';
import { newToken } from './session-secrets.ts';

const lifetimeMs = 30 * 60_000;

export async function createConnectSession(
  context: Context,
  caller: Caller,
  input: CreateConnectSession,
): Promise<Answer<ConnectSession>> {
  requireReach(caller, input.platform);
  await requireConfigured(context, caller, input.platform);
  if (input.return_url !== undefined) await checkReturnUrl(context, caller, input.return_url);
  return transact(context, caller, async ({ trx, note }) => {
    const id = newId('connectSession');
    const { token, hash } = newToken();
    const row = await insertConnectSession(trx, {
      id,
      project_id: caller.projectId,
      environment: caller.environment,
      platform: input.platform,
      external_user_id: input.external_user_id,
      external_user_email: input.external_user_email ?? null,
      return_url: input.return_url ?? null,
      status: 'pending',
      expires_at: new Date(Date.now() + lifetimeMs),
      token_hash: hash,
    });
    note({ subject: 'connect_session', subject_id: id, kind: 'created' });
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

/** Returns only the sessions that the caller can read. */
export async function findConnectSessions(
  context: Context,
  caller: Caller,
  ids: string[],
): Promise<ConnectSession[]> {
  const rows = await listConnectSessionsById(context.db, caller, ids);
  return rows.map(presentConnectSession);
}

/** The network is on, and has the app that its ways to connect need. */
async function requireConfigured(
  context: Context,
  { projectId }: Caller,
  name: PlatformName,
): Promise<void> {
  const platform = context.platforms.get(name);
  const needsApp = platform?.definition.hasApp === true && !findFormWay(platform);
  if (platform && !needsApp) return;
  if (platform && (await findNetworkApp(context, projectId, platform.definition))) return;
  const message: Text = platform
    ? 'needs an app. Set your own, or ask the operator for one.'
    : 'is not configured on this server';
  throw validationError([{ path: ['platform'], code: 'platform_not_configured', message }]);
}

async function checkReturnUrl({ db }: Context, { projectId }: Caller, url: string): Promise<void> {
  const { username, password, origin } = new URL(url);
  if (username !== '' || password !== '') {
    const message = 'must not contain a user name or password';
    throw validationError([{ path: ['return_url'], code: 'has_credentials', message }]);
  }
  const { return_origins } = await getProjectRow(db, projectId);
  if (return_origins.length === 0) return;
  if (return_origins.some((allowed) => new URL(allowed).origin === origin)) return;
  const message: Text = ({ field }) => `must be at one of the project's ${field('return_origins')}`;
  throw validationError([
    { path: ['return_url'], code: 'origin_not_allowed', message, actual: origin },
  ]);
}
