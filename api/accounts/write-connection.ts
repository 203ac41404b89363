// Writes a login: its grant, its accounts, new or known, and their events.
import { loginColumns } from '../../activities/logins/login-columns.ts';
import type { Grant, GrantedAccount } from '../../activities/platforms/platform.ts';
import type { ConnectionType } from '../../schema/accounts.ts';
import { recordAccountEvent } from '../../schema/database/events/account-events.ts';
import {
  insertAccount,
  lockAccountAtNetwork,
  lockAccountsAtNetwork,
  updateAccount,
  type AccountRow,
} from '../../schema/database/accounts/accounts.ts';
import { lockApp } from '../../schema/database/accounts/apps.ts';
import { deleteEmptyGrant, insertGrant } from '../../schema/database/accounts/grants.ts';
import type { GrantRow, SocialAccountRow } from '../../schema/database/tables.ts';
import { AppError } from '../../schema/wire/errors.ts';
import { newId } from '../../schema/wire/ids.ts';
import type { PlatformName } from '../../schema/platforms/index.ts';
import type { Context } from '../http/context.ts';
import type { Effects } from '../http/transact.ts';

export const appDeleted =
  'The app of the network was deleted in the meantime. Connect the account again.';

export interface NewConnection {
  projectId: string;
  platform: PlatformName;
  grant: Grant;
  /** Accounts of the grant to connect. At least one. */
  accounts: readonly GrantedAccount[];
  /** The app that the login was made with. Null: none. */
  appId: string | null;
  connectionType: ConnectionType;
  /** Undefined: a known account keeps its user. */
  externalUserId: string | undefined;
  externalUserEmail: string | undefined;
  /**
   * Whether a known account may move to another user. An API key may move it. A user in a connect session may
   * move it only if it isn't active, since they would take over the other user's posts. A reconnect never
   * moves an account.
   */
  mayMove: 'always' | 'unless_active' | 'never';
}

interface WrittenAccount {
  account: AccountRow;
  isNew: boolean;
  /** The grant that a known account leaves. */
  oldGrantId: string | null;
}

interface WrittenConnection {
  /** The connected accounts, in the order of the grant. */
  written: WrittenAccount[];
  /** Grants that were deleted because they have no account left. Revoke them after the commit. */
  leftGrants: GrantRow[];
}

export async function writeConnection(
  context: Pick<Context, 'vault' | 'config' | 'platforms'>,
  effects: Effects,
  input: NewConnection,
): Promise<WrittenConnection> {
  const { trx } = effects;
  const { projectId, platform, appId } = input;
  if (appId !== null && !(await lockApp(trx, appId))) throw new AppError('conflict', appDeleted);
  const grantId = newId('grant');
  const login = context.platforms.get(platform) ?? {};
  await insertGrant(trx, {
    id: grantId,
    project_id: projectId,
    platform,
    app_id: appId,
    ...loginColumns(context.vault, login, grantId, input.grant),
  });
  // Two logins may reach the same accounts and list them in another order.
  const accounts = input.accounts.toSorted((a, b) =>
    a.externalAccountId < b.externalAccountId ? -1 : 1,
  );
  const externalIds = accounts.map(({ externalAccountId }) => externalAccountId);
  await lockAccountsAtNetwork(trx, projectId, platform, externalIds);
  const byExternalId = new Map<string, WrittenAccount>();
  for (const granted of accounts) {
    const account = await writeAccount(context, effects, input, grantId, granted);
    byExternalId.set(granted.externalAccountId, account);
  }
  const written = input.accounts.map(({ externalAccountId }) =>
    byExternalId.get(externalAccountId)!,
  );
  const leftGrants: GrantRow[] = [];
  for (const id of new Set(written.map(({ oldGrantId }) => oldGrantId))) {
    const left = id === null ? undefined : await deleteEmptyGrant(trx, projectId, id);
    if (left) leftGrants.push(left);
  }
  return { written, leftGrants };
}

async function writeAccount(
  context: Pick<Context, 'config'>,
  { trx, change }: Effects,
  input: NewConnection,
  grantId: string,
  granted: GrantedAccount,
): Promise<WrittenAccount> {
  const written = await upsert(trx, input, grantId, granted);
  const { account } = written;
  await recordAccountEvent(trx, account, 'account.connected', context.config, {});
  change({ subject: 'account', subject_id: account.id, kind: 'connected' });
  return written;
}

async function upsert(
  trx: Effects['trx'],
  input: NewConnection,
  grantId: string,
  { externalAccountId, accountName, pictureUrl, traits = {} }: GrantedAccount,
): Promise<WrittenAccount> {
  const { projectId, platform, grant } = input;
  const columns = {
    account_name: accountName,
    picture_url: pictureUrl ?? null,
    connection_type: input.connectionType,
    status: 'active',
    scope: grant.scope,
    grant_id: grantId,
    traits: JSON.stringify(traits),
    connected_at: new Date(),
    disconnected_at: null,
    erase_at: null,
  } as const;
  for (;;) {
    const known = await lockAccountAtNetwork(trx, projectId, platform, externalAccountId);
    if (known) refuseMove(known, input);
    const { externalUserId, externalUserEmail } = input;
    const all = { ...columns, ...userColumns(known, externalUserId, externalUserEmail) };
    if (known) {
      const account = await updateAccount(trx, projectId, known.id, all);
      return { account, isNew: false, oldGrantId: known.grant_id };
    }
    const id = newId('account');
    const account = await insertAccount(trx, {
      id,
      project_id: projectId,
      platform,
      external_account_id: externalAccountId,
      ...all,
    });
    if (account) return { account, isNew: true, oldGrantId: null };
  }
}

/** The messages also say what to do, because a page shows no hint. */
function refuseMove(known: SocialAccountRow, { mayMove, externalUserId }: NewConnection): void {
  const { account_name: name, status, external_user_id: userId } = known;
  if (mayMove === 'always' || userId === (externalUserId ?? null)) return;
  if (mayMove === 'never') {
    const message = `The account ${name} no longer belongs to the user of this link. Go back to the app and ask for a new one.`;
    throw new AppError('account_in_use', message);
  }
  if (status !== 'active') return;
  const message = `The account ${name} is connected for another user. Have that user disconnect it first, or connect another account.`;
  throw new AppError('account_in_use', message);
}

/**
 * An email belongs to its user, so it doesn't move with the account. `userId` undefined: the user doesn't
 * change.
 */
export function userColumns(
  known: SocialAccountRow | undefined,
  userId: string | null | undefined,
  email?: string,
): { external_user_id?: string | null; external_user_email?: string | null } {
  const isMoved = userId !== undefined && userId !== known?.external_user_id;
  return {
    ...(userId !== undefined && { external_user_id: userId }),
    ...((email !== undefined || isMoved) && { external_user_email: email ?? null }),
  };
}
