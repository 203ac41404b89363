// Ends a connect session: completed with an account, or canceled. A session ends only once.
import type { Connection } from '../../activities/platforms/platform.ts';
import type { ConnectSessionRow, GrantRow } from '../../schema/database/tables.ts';
import {
  lockConnectSession,
  setConnectSessionEnded,
} from '../../schema/database/accounts/connect-sessions.ts';
import { revokeLogin } from '../accounts/revoke-login.ts';
import { writeConnection } from '../accounts/write-connection.ts';
import type { Context } from '../http/context.ts';
import { transact, type Effects } from '../http/transact.ts';
import { statusOf } from './presenter.ts';

/**
 * Returns the session, even if another request ended it first. Throws `account_in_use` and leaves
 * the session open if the account belongs to another user.
 */
export async function completeSession(
  context: Context,
  session: ConnectSessionRow,
  connection: Connection,
): Promise<ConnectSessionRow> {
  const { session: ended, leftGrant } = await endSession(context, session, async (effects) => {
    const { account, leftGrant } = await writeConnection(context, effects, {
      projectId: session.project_id,
      platform: session.platform,
      connection,
      connectionType: 'managed',
      externalUserId: session.external_user_id,
      externalUserEmail: session.external_user_email ?? undefined,
      mayMove: false,
    });
    const completed = await setConnectSessionEnded(effects.trx, session.project_id, session.id, {
      status: 'completed',
      completed_social_account_id: account.id,
    });
    return { session: completed, leftGrant };
  });
  if (leftGrant) await revokeLogin(context, leftGrant, connection.credentials);
  return ended;
}

export async function cancelSession(
  context: Context,
  session: ConnectSessionRow,
): Promise<ConnectSessionRow> {
  const ended = await endSession(context, session, async ({ trx }) => ({
    session: await setConnectSessionEnded(trx, session.project_id, session.id, {
      status: 'canceled',
    }),
  }));
  return ended.session;
}

interface Ended {
  session: ConnectSessionRow;
  /** The grant that its account left. */
  leftGrant?: GrantRow | undefined;
}

async function endSession(
  context: Context,
  { id, project_id: projectId }: ConnectSessionRow,
  end: (effects: Effects) => Promise<Ended>,
): Promise<Ended> {
  const { data } = await transact(context, { projectId }, async (effects) => {
    const session = await lockConnectSession(effects.trx, projectId, id);
    const isOpen = statusOf(session) === 'pending';
    return { status: 200, data: isOpen ? await end(effects) : { session } };
  });
  return data;
}

/** The address to send the user to. Null: show a page that says how the session ended. */
export function returnUrlOf(session: ConnectSessionRow): string | null {
  if (session.return_url === null) return null;
  const url = new URL(session.return_url);
  url.searchParams.set('status', statusOf(session));
  url.searchParams.set('session_id', session.id);
  if (session.completed_social_account_id !== null) {
    url.searchParams.set('account_id', session.completed_social_account_id);
  }
  return url.href;
}
