// Operations on connected accounts: connect with plain credentials, read, disconnect.
import { fetchFor } from '../../activities/egress/guarded-fetch.ts';
import type { Account, ConnectAccount } from '../../schema/accounts.ts';
import { environmentOf } from '../../schema/api-keys.ts';
import { toAccountEventData } from '../../schema/database/accounts/event-data.ts';
import {
  getAccountRow,
  listAccountRows,
  listAccountsById,
  lockAccount,
  openCredentials,
  setAccountCredentials,
  type AccountFilters,
} from '../../schema/database/accounts/accounts.ts';
import type { RowScope } from '../../schema/database/row-scope.ts';
import type { SocialAccountRow } from '../../schema/database/tables.ts';
import { recordEvent } from '../../schema/database/events/record.ts';
import { AppError, validationError } from '../../schema/wire/errors.ts';
import type { Page, Paging } from '../../schema/wire/listing.ts';
import type { PlatformName } from '../../schema/platforms/index.ts';
import type { Caller, Context } from '../http/context.ts';
import { page } from '../http/listing.ts';
import { transact, type Answer } from '../http/transact.ts';
import { connectAtNetwork } from './connect-at-network.ts';
import { presentAccount } from './presenter.ts';
import { writeConnection } from './write-connection.ts';

const revokeTimeoutMs = 5_000;

/** 201 for an account that is new to the project, 200 for a known one. */
export async function connectAccount(
  context: Context,
  caller: Caller,
  input: ConnectAccount,
): Promise<Answer<Account>> {
  const { platform: name, external_user_id, external_user_email } = input;
  requireReach(caller, name);
  const connect = context.platforms.get(name)?.connect;
  if (!connect) {
    throw validationError([
      context.platforms.has(name)
        ? { path: ['platform'], code: 'consent_only', message: 'needs a connect session' }
        : {
            path: ['platform'],
            code: 'platform_not_configured',
            message: 'is not configured here',
          },
    ]);
  }
  const connection = await connectAtNetwork(caller.projectId, connect, input.credentials);
  return transact(context, caller, async (effects) => {
    const { account, isNew } = await writeConnection(context, effects, {
      projectId: caller.projectId,
      platform: name,
      connection,
      connectionType: 'byo',
      externalUserId: external_user_id,
      externalUserEmail: external_user_email,
      mayMove: true,
    });
    return { status: isNew ? 201 : 200, data: presentAccount(account) };
  });
}

export function listAccounts(
  { db }: Context,
  caller: Caller,
  { limit, cursor, ...filters }: AccountFilters & Paging,
): Promise<Page<Account>> {
  return page(
    'account',
    { limit, cursor },
    (slice) => listAccountRows(db, caller, filters, slice),
    (rows) => rows.map(presentAccount),
  );
}

export async function getAccount({ db }: Context, caller: Caller, id: string): Promise<Account> {
  return presentAccount(await getAccountRow(db, caller, id));
}

/** The accounts with these ids that the scope includes. */
export async function findAccounts(
  { db }: Context,
  scope: RowScope,
  ids: string[],
): Promise<Account[]> {
  return (await listAccountsById(db, scope, ids)).map(presentAccount);
}

/** The account stays in lists, without its credentials. A repeated call changes nothing. */
export async function disconnectAccount(
  context: Context,
  caller: Caller,
  id: string,
): Promise<Answer<null>> {
  let before: SocialAccountRow | undefined;
  const answer = await transact(context, caller, async ({ trx, change }) => {
    const row = await lockAccount(trx, caller, id);
    if (row.status === 'disconnected') return { status: 204, data: null };
    before = row;
    const account = await setAccountCredentials(trx, caller.projectId, id, {
      status: 'disconnected',
      credentials: null,
      credentials_key_id: null,
      token_expires_at: null,
      disconnected_at: new Date(),
    });
    await recordEvent(
      trx,
      {
        projectId: caller.projectId,
        environment: account.environment,
        type: 'account.disconnected',
        data: toAccountEventData(account, 'user'),
        socialAccountId: id,
      },
      context.config,
    );
    change({ subject: 'account', subject_id: id, kind: 'disconnected' });
    return { status: 204, data: null };
  });
  if (before) await revokeAtNetwork(context, before);
  return answer;
}

/** The credentials are deleted by now. If the call fails, the network keeps a token that nobody has. */
async function revokeAtNetwork(
  { platforms, vault, log }: Context,
  account: SocialAccountRow,
): Promise<void> {
  const platform = platforms.get(account.platform);
  if (!platform?.revoke) return;
  try {
    const credentials = openCredentials(vault, account);
    if (!credentials) return;
    const signal = AbortSignal.timeout(revokeTimeoutMs);
    await fetchFor(account.project_id, () => platform.revoke!(credentials, signal));
  } catch (err) {
    log.warn({ err, account_id: account.id }, 'cannot revoke an account at its network');
  }
}

/** Call it before connecting an account of this network. */
export function requireReach({ environment }: Pick<Caller, 'environment'>, platform: PlatformName) {
  if (environment === 'production' || environmentOf(platform) === 'test') return;
  throw new AppError('insufficient_scope', 'A test key can connect only sandbox accounts.', {
    hint: 'Use a production key.',
  });
}
