// Writes a connected account, new or known, with its grant and its event.
import type { App } from '../../schema/platforms/definition.ts';
import type { Connection } from '../../activities/platforms/platform.ts';
import type { ConnectionType } from '../../schema/accounts.ts';
import { toAccountEventData } from '../../schema/database/accounts/event-data.ts';
import {
  insertAccount,
  lockAccountAtNetwork,
  updateAccount,
  type AccountRow,
} from '../../schema/database/accounts/accounts.ts';
import { lockApp } from '../../schema/database/accounts/apps.ts';
import {
  deleteEmptyGrant,
  insertGrant,
  sealCredentials,
} from '../../schema/database/accounts/grants.ts';
import type { GrantRow, SocialAccountRow } from '../../schema/database/tables.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { PlatformName } from '../../schema/platforms/index.ts';
import type { Context } from '../http/context.ts';
import type { Effects } from '../http/transact.ts';

const appDeleted = 'The app of the network was deleted in the meantime. Connect the account again.';

export interface NewConnection {
  projectId: string;
  platform: PlatformName;
  connection: Connection;
  /** The app that the connection was made with. Absent: none. */
  app?: App | null;
  connectionType: ConnectionType;
  /** Undefined: a known account keeps its user. */
  externalUserId: string | undefined;
  externalUserEmail: string | undefined;
  /**
   * Whether an active account may move to another user. An API key may move it. A user in a connect
   * session may not, since they would take over the other user's posts.
   */
  mayMove: boolean;
}

interface Written {
  account: AccountRow;
  isNew: boolean;
  /** The account's old grant, if it was deleted because it has no account left. Revoke it after the commit. */
  leftGrant?: GrantRow | undefined;
}

export async function writeConnection(
  context: Pick<Context, 'vault' | 'config'>,
  { trx, change }: Effects,
  input: NewConnection,
): Promise<Written> {
  const written = await upsert(context, trx, input);
  const { account } = written;
  await recordEvent(
    trx,
    {
      projectId: input.projectId,
      environment: account.environment,
      type: 'account.connected',
      data: toAccountEventData(account),
      socialAccountId: account.id,
    },
    context.config,
  );
  change({ subject: 'account', subject_id: account.id, kind: 'connected' });
  return written;
}

async function upsert(
  { vault }: Pick<Context, 'vault'>,
  trx: Effects['trx'],
  input: NewConnection,
): Promise<Written> {
  const { projectId, platform, connection, app } = input;
  const { externalAccountId } = connection;
  const columns = {
    account_name: connection.accountName,
    connection_type: input.connectionType,
    status: 'active',
    scope: connection.scope,
    grant_id: newId('grant'),
    traits: JSON.stringify(connection.traits ?? {}),
    connected_at: new Date(),
    disconnected_at: null,
  } as const;
  if (app && !(await lockApp(trx, app.id))) throw new AppError('conflict', appDeleted);
  await insertGrant(trx, grantOf(vault, columns.grant_id, input));
  for (;;) {
    const known = await lockAccountAtNetwork(trx, projectId, platform, externalAccountId);
    if (known) refuseMove(known, input);
    const all = { ...columns, ...userColumns(known, input) };
    if (known) {
      const account = await updateAccount(trx, projectId, known.id, all);
      const old = known.grant_id;
      const leftGrant = old === null ? undefined : await deleteEmptyGrant(trx, projectId, old);
      return { account, isNew: false, leftGrant };
    }
    const id = newId('account');
    const account = await insertAccount(trx, {
      id,
      project_id: projectId,
      platform,
      external_account_id: externalAccountId,
      ...all,
    });
    if (account) return { account, isNew: true };
  }
}

function grantOf(
  vault: Context['vault'],
  id: string,
  { projectId, platform, connection, app }: NewConnection,
) {
  return {
    id,
    project_id: projectId,
    platform,
    app_id: app?.id ?? null,
    token_expires_at: connection.tokenExpiresAt,
    ...sealCredentials(vault, id, connection.credentials),
  };
}

function refuseMove(known: SocialAccountRow, { mayMove, externalUserId }: NewConnection): void {
  if (mayMove || known.status !== 'active' || known.external_user_id === externalUserId) return;
  // A page shows only the message.
  throw new AppError(
    'account_in_use',
    'This account is connected for another user. Disconnect it there first, or connect another account.',
  );
}

/** An email belongs to its user, so it doesn't move with the account. */
function userColumns(
  known: SocialAccountRow | undefined,
  { externalUserId, externalUserEmail }: NewConnection,
): { external_user_id?: string; external_user_email?: string | null } {
  const isMoved = externalUserId !== undefined && externalUserId !== known?.external_user_id;
  return {
    ...(externalUserId !== undefined && { external_user_id: externalUserId }),
    ...((externalUserEmail !== undefined || isMoved) && {
      external_user_email: externalUserEmail ?? null,
    }),
  };
}
