// Writes a connected account, new or known, and its event.
import type { Connection } from '../../activities/platforms/platform.ts';
import type { ConnectionType } from '../../schema/accounts.ts';
import { toAccountEventData } from '../../schema/database/accounts/event-data.ts';
import {
  insertAccount,
  lockAccountAtNetwork,
  sealCredentials,
  setAccountCredentials,
} from '../../schema/database/accounts/accounts.ts';
import type { SocialAccountRow } from '../../schema/database/tables.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { PlatformName } from '../../schema/platforms/index.ts';
import type { Context } from '../http/context.ts';
import type { Effects } from '../http/transact.ts';

export interface NewConnection {
  projectId: string;
  platform: PlatformName;
  connection: Connection;
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

export async function writeConnection(
  context: Pick<Context, 'vault' | 'config'>,
  { trx, change }: Effects,
  input: NewConnection,
): Promise<{ account: SocialAccountRow; isNew: boolean }> {
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
): Promise<{ account: SocialAccountRow; isNew: boolean }> {
  const { projectId, platform, connection } = input;
  const { externalAccountId } = connection;
  const columns = {
    account_name: connection.accountName,
    connection_type: input.connectionType,
    status: 'active',
    scope: connection.scope,
    traits: JSON.stringify(connection.traits ?? {}),
    token_expires_at: connection.tokenExpiresAt,
    connected_at: new Date(),
    disconnected_at: null,
  } as const;
  for (;;) {
    const known = await lockAccountAtNetwork(trx, projectId, platform, externalAccountId);
    if (known) refuseMove(known, input);
    const id = known?.id ?? newId('account');
    const user = userColumns(known, input);
    const all = { ...columns, ...user, ...sealCredentials(vault, id, connection.credentials) };
    if (known)
      return { account: await setAccountCredentials(trx, projectId, id, all), isNew: false };
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
